"""Compares MCP servers with and without the gateway, driven by the official client."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import mcp_types as types
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

warnings.filterwarnings("ignore")
TOOLGATE, HOME = sys.argv[1], Path(sys.argv[2])
NODE = HOME / "node_modules" / "@modelcontextprotocol"
PYTHON = HOME / "python" / "bin"
SECONDS = 60
failures = []


def check(what, holds, detail=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)
    if not holds:
        failures.append(what)
        print(detail, flush=True)


def plain(value):
    """A result as JSON, without what differs from one moment to the next."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(value, sort_keys=True, default=str)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^\"\\ ]*", "<time>", text)
    text = re.sub(r"\d{1,2}:\d\d:\d\d( [AP]M)?", "<clock>", text)
    return re.sub(r"session/[0-9a-f-]{36}", "session/<id>", text)


class Watch:
    """What the server says without being asked, and what the client answers."""

    def __init__(self, answer="allow once"):
        self.answer, self.asked, self.heard, self.progress = answer, [], [], []

    async def elicit(self, context, params):
        self.asked.append(params.message)
        properties = getattr(params, "requested_schema", {}).get("properties", {})
        if "decision" in properties:
            if self.answer is None:
                return types.ElicitResult(action="decline")
            return types.ElicitResult(action="accept", content={"decision": self.answer})
        return types.ElicitResult(action="accept", content={"name": "Ann"})

    def questions(self):
        return [asked for asked in self.asked if asked.startswith("May this tool call run?")]

    async def sample(self, context, params):
        self.asked.append("sampling")
        content = types.TextContent(type="text", text="sampled")
        return types.CreateMessageResult(role="assistant", content=content, model="none")

    async def roots(self, context):
        self.asked.append("roots")
        return types.ListRootsResult(roots=[types.Root(uri="file:///nowhere", name="r")])

    async def message(self, message):
        self.heard.append(type(getattr(message, "root", message)).__name__)

    async def log(self, params):
        self.heard.append("log")

    async def report(self, progress, total, message):
        self.progress.append((progress, total))


def connect(command, watch, mode, full=True):
    if isinstance(command, str):
        transport = command
    else:
        server = StdioServerParameters(command=str(command[0]), args=[str(a) for a in command[1:]])
        transport = stdio_client(server, errlog=open(os.devnull, "w"))
    extra = {}
    if full:
        extra = {
            "elicitation_callback": watch.elicit,
            "sampling_callback": watch.sample,
            "list_roots_callback": watch.roots,
        }
    return Client(
        transport,
        mode=mode,
        message_handler=watch.message,
        logging_callback=watch.log,
        **extra,
    )


async def attempt(results, name, work):
    try:
        results[name] = plain(await asyncio.wait_for(work, 20))
    except Exception as error:  # noqa: BLE001: whatever it is, it has to be the same
        results[name] = f"error: {type(error).__name__}: {error}"


async def cancelled(client, results):
    """A call that the client gives up, and one after it."""
    call = client.call_tool("trigger-long-running-operation", {"duration": 30, "steps": 3})
    try:
        await asyncio.wait_for(call, 0.5)
        results["cancelled"] = "it ended"
    except asyncio.TimeoutError:
        results["cancelled"] = "given up"
    await attempt(results, "after it", client.call_tool("echo", {"message": "still here"}))


async def everything(command, mode, calls):
    """Every method that the server offers."""
    watch, results = Watch(), {}
    async with connect(command, watch, mode) as client:
        results["version"] = client.protocol_version
        results["server"] = plain(client.server_info)
        results["capabilities"] = plain(client.server_capabilities)
        results["instructions"] = plain(client.instructions)
        # Servers may offer more once they know their client.
        await asyncio.sleep(0.5)
        tools = await client.list_tools()
        results["tools"] = plain(tools)
        results["not called"] = sorted({tool.name for tool in tools.tools} - {name for name, _ in calls})
        for name, arguments in calls:
            callback = watch.report if name.startswith("trigger-long") else None
            await attempt(results, f"call {name} {json.dumps(arguments)}",
                          client.call_tool(name, arguments, progress_callback=callback))
        results["progress"] = watch.progress
        if mode == "legacy" and any(name.startswith("trigger-long") for name, _ in calls):
            await cancelled(client, results)
        capabilities = client.server_capabilities
        if capabilities.resources:
            await attempt(results, "resources", client.list_resources())
            await attempt(results, "templates", client.list_resource_templates())
            try:
                listed = (await client.list_resources()).resources
            except Exception:  # noqa: BLE001: compared above
                listed = []
            for resource in listed[:10]:
                await attempt(results, f"read {resource.uri}", client.read_resource(resource.uri))
            await attempt(results, "read none", client.read_resource("demo://nothing/at/all"))
            if listed and capabilities.resources.subscribe and mode == "legacy":
                uri = listed[0].uri
                await attempt(results, "subscribe", client.subscribe_resource(uri))
                await attempt(results, "unsubscribe", client.unsubscribe_resource(uri))
        if capabilities.prompts:
            await attempt(results, "prompts", client.list_prompts())
            for prompt in (await client.list_prompts()).prompts:
                arguments = {a.name: "1" for a in prompt.arguments or []}
                await attempt(results, f"prompt {prompt.name}", client.get_prompt(prompt.name, arguments))
            await attempt(results, "prompt none", client.get_prompt("nothing"))
        if capabilities.completions:
            ref = types.PromptReference(type="ref/prompt", name="completable-prompt")
            await attempt(results, "complete",
                          client.complete(ref, {"name": "department", "value": "E"}))
        if capabilities.logging and mode == "legacy":
            await attempt(results, "level", client.set_logging_level("error"))
        if mode == "legacy":
            await attempt(results, "ping", client.send_ping())
        results["asked"] = sorted(watch.asked)
    return results


async def same(name, command, calls, modes=("legacy", "auto")):
    """The server gives the same results with and without the gateway, under a policy that allows."""
    for mode in modes:
        direct = await everything(command, mode, calls)
        through = await everything(gateway(ALLOW, command), mode, calls)
        differing = [key for key in direct if direct[key] != through.get(key)]
        detail = "\n".join(f"  {k}\n    direct  {str(direct[k])[:400]}\n    gateway {str(through.get(k))[:400]}"
                           for k in differing)
        errors = [key for key in direct if str(direct[key]).startswith("error")]
        check(f"{name} ({direct['version']}): {len(direct)} results are the same ({len(errors)} of them errors)",
              not differing and direct.keys() == through.keys() and len(errors) < 8, detail)


def gateway(policy, command, *options):
    return [TOOLGATE, "mcp", "--policy", policy, "--no-terminal", "--name", "s", *options, "--", *command]


def text(result):
    return result.content[0].text if result.content else ""


async def judged(command, box):
    """Under a real policy the right calls are asked about and denied."""
    policy = box / "real.toml"
    policy.write_text(f"""
default = "ask"
workspace = "{box / 'files'}"
[tools]
allow = ["mcp:s/list_directory"]
deny = ["mcp:s/move_file"]
[write]
allow = ["notes/**"]
deny = ["secret/**"]
[tools."mcp:s/write_file"]
kind = "write"
ignore_args = ["content"]
""")
    files = box / "files"
    target, secret = files / "notes" / "a.txt", files / "secret" / "b.txt"
    outside = files / "c.txt"
    watch = Watch()
    for mode in ("legacy", "auto"):
        watch.answer, watch.asked = "allow once", []
        async with connect(gateway(policy, command), watch, mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            check(f"filesystem ({mode}): what is always denied is hidden",
                  "move_file" not in names and "write_file" in names, names)
            result = await client.call_tool("move_file", {"source": str(target), "destination": str(outside)})
            check(f"filesystem ({mode}): what is hidden is refused", result.is_error and "did not run" in text(result), text(result))
            result = await client.call_tool("write_file", {"path": str(target), "content": "x"})
            check(f"filesystem ({mode}): what is allowed runs", not result.is_error and target.read_text() == "x", text(result))
            result = await client.call_tool("write_file", {"path": str(secret), "content": "x"})
            check(f"filesystem ({mode}): what is denied does not", result.is_error and not secret.exists(), text(result))
            check(f"filesystem ({mode}): nobody was asked so far", watch.questions() == [], watch.asked)
            result = await client.call_tool("write_file", {"path": str(outside), "content": mode})
            check(f"filesystem ({mode}): a yes runs", len(watch.questions()) == 1 and outside.read_text() == mode, text(result))
            watch.answer = None
            result = await client.call_tool("write_file", {"path": str(outside), "content": "no"})
            check(f"filesystem ({mode}): a no does not", result.is_error and outside.read_text() == mode, text(result))
    async with connect(gateway(policy, command), watch, "legacy", full=False) as client:
        result = await client.call_tool("write_file", {"path": str(outside), "content": "no"})
        check("filesystem: with nobody to ask it is refused",
              result.is_error and "nobody is there" in text(result) and outside.read_text() == "auto", text(result))


async def deferred(command, repository):
    """In the protocol without sessions, questions are results, and calls are made again."""
    policy = ALLOW.with_name("ask.toml")
    policy.write_text('default = "ask"\n')
    watch = Watch()
    async with connect(gateway(policy, command), watch, "auto") as client:
        check("git: the protocol has no sessions", client.protocol_version == "2026-07-28", client.protocol_version)
        result = await client.call_tool("git_status", {"repo_path": str(repository)})
        check("git: a deferred yes runs", not result.is_error and len(watch.questions()) == 1, text(result))
        watch.answer = None
        result = await client.call_tool("git_status", {"repo_path": str(repository)})
        check("git: a deferred no does not", result.is_error and "said no" in text(result), text(result))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def reachable(port):
    for _ in range(200):
        try:
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            return
        except OSError:
            await asyncio.sleep(0.05)


async def over_http(demo, time, calls):
    """Streamable HTTP on both sides."""
    behind, front, modern = free_port(), free_port(), free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    options = ["--policy", ALLOW, "--no-terminal", "--listen"]
    running = [subprocess.Popen([*demo, "streamableHttp"], env={**os.environ, "PORT": str(behind)}, **quiet)]
    url = f"http://127.0.0.1:{behind}/mcp"
    try:
        await reachable(behind)
        running.append(subprocess.Popen(
            [TOOLGATE, "mcp", *options, f"127.0.0.1:{front}", "--url", url], **quiet))
        running.append(subprocess.Popen(
            [TOOLGATE, "mcp", *options, f"127.0.0.1:{modern}", "--", *time], **quiet))
        await reachable(front)
        await reachable(modern)
        direct = await everything(url, "legacy", calls)
        through = await everything(f"http://127.0.0.1:{front}/mcp", "legacy", calls)
        differing = [key for key in direct if direct[key] != through.get(key)]
        check(f"everything over HTTP on both sides: {len(direct)} results are the same", not differing,
              "\n".join(f"{k}\n  {str(direct[k])[:300]}\n  {str(through.get(k))[:300]}" for k in differing))
        async with Client(f"http://127.0.0.1:{modern}/mcp", mode="auto") as client:
            result = await client.call_tool("get_current_time", {"timezone": "UTC"})
            check(f"time over HTTP ({client.protocol_version})", "UTC" in text(result), text(result))
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(10)


async def several(box, servers):
    """Several servers behind one gateway."""
    config = box / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {
        name: {"command": str(c[0]), "args": [str(a) for a in c[1:]]} for name, c in servers.items()}}))
    command = [TOOLGATE, "mcp", "--policy", ALLOW, "--no-terminal", "--config", config]
    async with connect(command, Watch(), "auto") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("several: tools of all servers", "files__list_directory" in names and "time__get_current_time" in names, names)
        result = await client.call_tool("time__get_current_time", {"timezone": "UTC"})
        check("several: a call finds its server", "UTC" in text(result), text(result))


async def main(box):
    files = box / "files"
    for folder in ("notes", "secret"):
        (files / folder).mkdir(parents=True)
    (files / "notes" / "old.txt").write_text("old\n")
    (files / "dot.png").write_bytes(bytes(range(256)))
    repository = box / "repository"
    for arguments in (["init", "-q", str(repository)],
                      ["-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.com",
                       "commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", *arguments], check=True)

    demo = ["node", NODE / "server-everything/dist/index.js"]
    filesystem = ["node", NODE / "server-filesystem/dist/index.js", files]
    time = [PYTHON / "mcp-server-time", "--local-timezone=UTC"]
    git = [PYTHON / "mcp-server-git", "--repository", repository]

    await same("everything", demo, [
        ("echo", {"message": "hé\n\u2028"}), ("echo", {}), ("get-sum", {"a": 1, "b": 2.5}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 2}), ("get-structured-content", {"location": "Chicago"}),
        ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
        ("get-tiny-image", {}), ("trigger-long-running-operation", {"duration": 1, "steps": 4}),
        ("trigger-sampling-request", {"prompt": "p", "maxTokens": 5}),
        ("trigger-elicitation-request", {}), ("get-roots-list", {}), ("get-env", {}),
        ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hi", "outputType": "resource"}),
        ("toggle-simulated-logging", {}), ("toggle-simulated-logging", {}),
        ("toggle-subscriber-updates", {}), ("toggle-subscriber-updates", {}),
    ])
    await same("filesystem", filesystem, [
        ("list_directory", {"path": str(files)}), ("read_text_file", {"path": str(files / "notes/old.txt")}),
        ("directory_tree", {"path": str(files)}), ("search_files", {"path": str(files), "pattern": "**/*.txt"}),
        ("read_text_file", {"path": "/etc/hostname"}), ("list_allowed_directories", {}),
        ("read_multiple_files", {"paths": [str(files / "notes/old.txt"), str(files / "none")]}),
        ("read_media_file", {"path": str(files / "dot.png")}), ("get_file_info", {"path": str(files / "dot.png")}),
        ("list_directory_with_sizes", {"path": str(files)}), ("read_file", {"path": str(files / "notes/old.txt")}),
        ("create_directory", {"path": str(files / "notes")}),
        ("edit_file", {"path": str(files / "notes/old.txt"), "dryRun": True,
                       "edits": [{"oldText": "old", "newText": "new"}]}),
    ])
    await same("time", time, [
        ("get_current_time", {"timezone": "Europe/Berlin"}), ("get_current_time", {"timezone": "Nowhere"}),
        ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
    ])
    await same("git", git, [
        ("git_status", {"repo_path": str(repository)}), ("git_log", {"repo_path": str(repository)}),
        ("git_branch", {"repo_path": str(repository), "branch_type": "local"}), ("git_status", {"repo_path": "/"}),
        ("git_show", {"repo_path": str(repository), "revision": "HEAD"}),
        ("git_diff", {"repo_path": str(repository), "target": "HEAD"}),
        ("git_diff_staged", {"repo_path": str(repository)}), ("git_diff_unstaged", {"repo_path": str(repository)}),
    ])
    await judged(filesystem, box)
    await deferred(git, repository)
    await over_http(demo, time, [
        ("echo", {"message": "hé"}), ("get-sum", {"a": 1, "b": 2}), ("get-tiny-image", {}),
        ("trigger-long-running-operation", {"duration": 1, "steps": 2}),
        ("trigger-elicitation-request", {}), ("trigger-sampling-request", {"prompt": "p", "maxTokens": 5}),
    ])
    await several(box, {"files": filesystem, "time": time})


with tempfile.TemporaryDirectory() as folder:
    ALLOW = Path(folder) / "allow.toml"
    ALLOW.write_text('default = "allow"\ndangerous_default_allow = true\n')
    asyncio.run(asyncio.wait_for(main(Path(folder)), 240))
if failures:
    sys.exit(f"{len(failures)} failed")
print("all the same")
