//! From a question to lines.

use std::borrow::Cow;

use super::{
    LineKind, RenderedLine, Rendering, args, diff,
    escape::{Masked, Shown, prose, quoted, row},
    time,
};
use crate::{
    ApprovalRequest, Asked, CAPABILITY_WORDS, Capability, Presentation, Suggestion, approval,
    visible::visible,
};

/// Writes out a question, however long it is.
pub(super) fn render(request: &ApprovalRequest) -> Rendering {
    let mut page = Page::default();
    page.tool(request);
    page.origin(request);
    page.capabilities(&request.capabilities);
    for ask in &request.asks {
        page.ask(ask, request);
    }
    page.claim(request);
    page.presentation(request);
    args::show(&mut page, request);
    page.terms(request);
    page.suggestions(&request.suggestions);
    page.masked_note();
    Rendering {
        masked: page.masked.credentials,
        lines: page.lines,
    }
}

/// Lines that are being written.
#[derive(Default)]
pub(super) struct Page {
    lines: Vec<RenderedLine>,
    masked: Masked,
}

impl Page {
    /// Adds a line. A label that repeats is left out.
    pub(super) fn line(&mut self, kind: LineKind, label: &'static str, text: impl Into<String>) {
        let text = text.into();
        self.lines.push(RenderedLine { kind, label, text });
    }

    /// Takes text that was made visible.
    pub(super) fn take(&mut self, shown: Shown) -> String {
        self.masked.add(shown.masked);
        shown.text
    }

    /// A name: as it is if it can be nothing else, in quotes otherwise.
    pub(super) fn name(&mut self, name: &str) -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.:@+".contains(&b);
        match !name.is_empty() && name.bytes().all(plain) {
            true => name.to_owned(),
            false => self.take(quoted(name)),
        }
    }

    fn named(&mut self, kind: LineKind, label: &'static str, name: Option<&str>) {
        if let Some(name) = name {
            let name = self.name(name);
            self.line(kind, label, name);
        }
    }

    fn tool(&mut self, request: &ApprovalRequest) {
        let tool = &request.tool;
        self.named(LineKind::Fact, "tool", Some(tool.name()));
        self.named(LineKind::Fact, "server", tool.server());
        if let Some(digest) = tool.definition() {
            self.line(LineKind::Detail, "defined as", hex(digest.as_bytes()));
        }
        let call = request.call_id.as_ref().map(crate::CallId::as_str);
        self.named(LineKind::Detail, "call", call);
    }

    fn origin(&mut self, request: &ApprovalRequest) {
        let origin = &request.origin;
        let agent: Vec<_> = origin.agent().parts().map(|part| self.name(part)).collect();
        if !agent.is_empty() {
            self.line(LineKind::Fact, "agent", agent.join(" / "));
        }
        self.named(LineKind::Fact, "for", origin.principal());
        self.named(LineKind::Fact, "project", origin.project());
        self.named(LineKind::Fact, "session", origin.session());
        self.named(LineKind::Detail, "branch", origin.branch());
        self.named(LineKind::Detail, "turn", origin.turn());
    }

    fn capabilities(&mut self, capabilities: &[Capability]) {
        for (index, capability) in capabilities.iter().enumerate() {
            let name = capability.name();
            let words = CAPABILITY_WORDS.iter().find(|(known, _)| *known == name);
            let mut text = match words {
                Some((_, words)) => format!("{words} ({name})"),
                None => name.to_owned(),
            };
            if let Some(parameter) = capability.parameter() {
                text = format!("{text}: {}", self.take(quoted(parameter)));
            }
            self.line(LineKind::Fact, first(index, "can"), text);
        }
    }

    fn ask(&mut self, ask: &Asked, request: &ApprovalRequest) {
        let reason = match ask.reason.as_deref() {
            Some(reason) => self.take(prose(reason)),
            None => "(no reason given)".to_owned(),
        };
        self.line(LineKind::Fact, "asked", reason);
        let layer = self.name(&ask.layer);
        let by = match &ask.rule {
            Some(rule) => format!("by rule {} of {layer}", self.name(rule.id())),
            None => format!("by {layer}"),
        };
        self.line(LineKind::Fact, "", by);
        if let Some(rule) = &ask.rule {
            if let Some(text) = rule.text() {
                let text = self.take(quoted(text));
                self.line(LineKind::Fact, "", format!("which says {text}"));
            }
            if let Some(place) = rule.source() {
                let (file, line, column) = (self.name(&place.file), place.line, place.column);
                self.line(
                    LineKind::Fact,
                    "",
                    format!("at {file}, line {line}, column {column}"),
                );
            }
        }
        self.remembered(ask, request);
    }

    /// What the answer would be remembered by, if that is not simply the call.
    fn remembered(&mut self, ask: &Asked, request: &ApprovalRequest) {
        if let Some(subject) = ask.subject.as_deref() {
            let subject = self.take(quoted(subject));
            self.line(LineKind::Detail, "", format!("remembered as {subject}"));
        }
        if ask.payload != request.args {
            // What is masked here is masked among the arguments, and counted there.
            let masked = self.masked;
            let payload = args::compact_object(self, ask.payload.as_map());
            self.masked = masked;
            self.line(LineKind::Detail, "", format!("remembered by {payload}"));
        }
    }

    /// The description, unless it only repeats the call.
    fn claim(&mut self, request: &ApprovalRequest) {
        let Some(own) = request.description.own() else {
            return;
        };
        let usual = approval::describe(&request.tool, &request.args);
        if *own != *visible(&usual) {
            let text = self.take(prose(own));
            self.line(LineKind::Claim, "claim", text);
        }
    }

    /// What a policy wants to be shown. Text that is an argument is shown as that.
    fn presentation(&mut self, request: &ApprovalRequest) {
        match &request.presentation {
            None => {}
            Some(Presentation::Diff {
                path,
                before,
                after,
            }) => {
                diff::show(self, path, before, after);
            }
            // Then it is shown there.
            Some(_) if args::is_shown_text(request) => {}
            Some(Presentation::Code { language, text }) => {
                let language = self.name(language);
                self.claimed(
                    &format!("it runs this {language} code"),
                    LineKind::Code,
                    text,
                );
            }
            Some(Presentation::Plain { text }) => {
                self.claimed("it is about this", LineKind::Text, text);
            }
        }
    }

    fn claimed(&mut self, what: &str, kind: LineKind, text: &str) {
        let size = size(text);
        self.line(LineKind::Claim, "claim", format!("{what}:{size}"));
        self.block(kind, text);
    }

    /// Text of several lines, each behind its gutter.
    pub(super) fn block(&mut self, kind: LineKind, text: &str) {
        let mut empty = 0;
        for line in lines(text) {
            if line.is_empty() {
                empty += 1;
                continue;
            }
            self.empty_lines(kind, &mut empty);
            let line = self.take(row(line));
            self.line(kind, "", line);
        }
        self.empty_lines(kind, &mut empty);
    }

    /// Empty lines, which are counted if there are more than a few.
    fn empty_lines(&mut self, kind: LineKind, count: &mut usize) {
        if *count > 3 {
            self.line(kind, "", format!("\\{{{count} x \\n}}"));
        } else {
            (0..*count).for_each(|_| self.line(kind, "", ""));
        }
        *count = 0;
    }

    fn terms(&mut self, request: &ApprovalRequest) {
        if request.editable {
            self.line(
                LineKind::Detail,
                "editable",
                "the answer may change the arguments",
            );
        }
        if let Some(expires) = request.expires {
            self.line(LineKind::Detail, "answer by", time::utc(expires));
        }
    }

    fn suggestions(&mut self, suggestions: &[Suggestion]) {
        for (index, suggestion) in suggestions.iter().enumerate() {
            let text = self.take(prose(&suggestion.text));
            let any: Vec<_> = suggestion
                .without
                .iter()
                .map(|key| self.name(key))
                .collect();
            let more = match any.is_empty() {
                true => Cow::Borrowed(""),
                false => format!(" - with any {} at all", any.join(", ")).into(),
            };
            let text = format!("{}. {text}{more}", index + 1);
            self.line(LineKind::Suggestion, first(index, "remember"), text);
        }
    }

    fn masked_note(&mut self) {
        let Masked {
            credentials,
            characters,
        } = self.masked;
        if credentials > 0 {
            let s = if credentials == 1 { "" } else { "s" };
            let text = format!("{credentials} credential{s}, {characters} characters in all");
            self.line(LineKind::Warning, "masked", text);
        }
    }
}

/// How much there is of a text, and how it ends. Nothing to say of one line that does not.
pub(super) fn size(text: &str) -> String {
    if !text.contains('\n') && !text.is_empty() {
        return String::new();
    }
    let (count, characters) = (lines(text).count(), text.chars().count());
    let end = match text.ends_with('\n') {
        true => "with \\n at the end",
        false => "without \\n at the end",
    };
    let s = if count == 1 { "" } else { "s" };
    format!(" {count} line{s}, {characters} characters, {end}")
}

/// Bytes, for people.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    let digits = bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    digits.collect()
}

/// The lines of a text, without their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator('\n')
}

/// The label, on the first line of several.
fn first(index: usize, label: &'static str) -> &'static str {
    if index == 0 { label } else { "" }
}
