"""Measures two Python packages on calls that come on standard input; prints nanoseconds as JSON."""

import asyncio
import json
import sys
import time
from importlib.metadata import version

from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai_blocking_approval import (
    ApprovalBlocked,
    ApprovalDecision,
    ApprovalResult,
    ApprovalToolset,
)
from pydantic_ai_middleware import AgentMiddleware, ToolDecision, ToolPermissionResult
from pydantic_ai_middleware.exceptions import ToolBlocked
from pydantic_ai_middleware.toolset import MiddlewareToolset

ROUNDS = 30


class Tools(AbstractToolset):
    """Tools that do nothing."""

    @property
    def id(self):
        return "tools"

    async def get_tools(self, ctx):
        return {}

    async def call_tool(self, name, tool_args, ctx, tool):
        return tool_args


class Rules(AgentMiddleware):
    """Decides by the name of the tool."""

    def __init__(self, decisions):
        self.decisions = decisions

    async def before_tool_call(self, tool_name, tool_args, deps, ctx=None):
        return ToolPermissionResult(decision=self.decisions[tool_name], reason="by rule")


class Blocking(Tools):
    """Tools that say themselves that they are blocked."""

    def needs_approval(self, name, tool_args, ctx, config):
        return ApprovalResult.blocked("by rule")


async def yes(*_):
    return True


def approve(_request):
    return ApprovalDecision(approved=True)


class Remembering:
    """A callback that remembers, as the package's own pages suggest."""

    def __init__(self):
        self.known = {}

    def __call__(self, request):
        key = (request.tool_name, json.dumps(request.tool_args, sort_keys=True, default=str))
        if key not in self.known:
            self.known[key] = ApprovalDecision(approved=True, remember="session")
        return self.known[key]


async def best(toolset, calls, blocked=()):
    """The best of several rounds, in nanoseconds for each call."""
    least = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter_ns()
        for name, args in calls:
            try:
                await toolset.call_tool(name, args, None, None)
            except blocked:
                pass
        least = min(least, (time.perf_counter_ns() - began) / len(calls))
    return least


async def main():
    calls = [(call["tool"], call["args"]) for call in json.load(sys.stdin)]
    names = {name for name, _ in calls}

    def middleware(decision):
        rules = Rules({name: decision for name in names})
        return MiddlewareToolset(wrapped=Tools(), middleware=[rules], permission_handler=yes)

    def approval(callback, config=None, inner=Tools):
        return ApprovalToolset(inner(), approval_callback=callback, config=config)

    allowed = {name: {"pre_approved": True} for name in names}
    figures = {
        "allow": {
            "middleware": await best(middleware(ToolDecision.ALLOW), calls),
            "approval": await best(approval(approve, allowed), calls),
        },
        "deny": {
            "middleware": await best(middleware(ToolDecision.DENY), calls, ToolBlocked),
            "approval": await best(approval(approve, inner=Blocking), calls, ApprovalBlocked),
        },
        "ask answered at once": {
            "middleware": await best(middleware(ToolDecision.ASK), calls),
            "approval": await best(approval(approve), calls),
        },
        "memory hit": {"approval": await best(approval(Remembering()), calls)},
    }
    versions = {
        "middleware": version("pydantic-ai-middleware"),
        "approval": version("pydantic-ai-blocking-approval"),
    }
    json.dump({"figures": figures, "versions": versions}, sys.stdout)


asyncio.run(main())
