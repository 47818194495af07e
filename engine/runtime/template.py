"""Renders a prompt with the model's own chat template, keeping template text and segment text apart.

The template is rendered over sentinels that stand for the segments; what comes out is split at them again. So text
of the template (which may open turns) and text of a document (which may not) are never in one string.
See decisions/0001-segments-tokenised-apart.md.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.types.prompt import Prompt, Role, Segment

_SENTINEL = re.compile(r"AIPCq7Zk(\d{6})x")
_OPEN_THOUGHT, _CLOSE_THOUGHT = "<think>", "</think>"
# A template that prints today's date would give every day another prefix; this is the day llama.cpp's tests use.
_FIXED_DAY = datetime.datetime(2024, 7, 26, tzinfo=datetime.UTC)

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


@dataclass(frozen=True)
class Part:
    """A stretch of the rendered prompt. Only `template` text may contain special tokens; `segment` is whose it is."""

    text: str
    template: bool
    segment: Segment | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Rendered:
    """The prompt in order; `thinking` when the template leaves a thought open for the model to go on with."""

    parts: tuple[Part, ...]
    thinking: bool


class _TemplateUnfit(Exception):
    """The template failed, or left a segment out."""


class ChatTemplate:
    """A model's chat template, compiled once."""

    def __init__(self, source: str | None, *, bos: str = "", eos: str = "") -> None:
        environment = _environment()
        self._marks = {"bos_token": bos, "eos_token": eos}
        self._fallback = environment.from_string(CHATML)
        self._own: jinja2.Template | None = None
        if source and not _SENTINEL.search(source):
            try:
                self._own = environment.from_string(source)
            except jinja2.TemplateError:
                self._own = None

    def render(self, prompt: Prompt, *, think: bool = True) -> Rendered:
        """The prompt with the answer's turn opened.

        The model's own template is tried as it is, then with the system message as part of the first user message
        (some templates refuse the role); if it still fails or drops a segment, ChatML is used.
        With `think` False the answer begins at once: a thought that the template opened is closed.
        """
        think = think and not prompt.answer_start
        segments = [segment for message in prompt.messages for segment in message.segments]
        output = self._rendered(prompt, think)
        parts = [part for part in _split(output, segments) if part.text]
        thinking = _leaves_thought_open(parts)
        if thinking and not think:
            parts.append(Part(f"\n{_CLOSE_THOUGHT}\n\n", template=True))
            thinking = False
        if prompt.answer_start:
            parts.append(Part(prompt.answer_start, template=False))
        return Rendered(tuple(parts), thinking)

    def _rendered(self, prompt: Prompt, think: bool) -> str:
        messages = _with_sentinels(prompt)
        if self._own is not None:
            for attempt in (messages, _system_in_user(messages)):
                try:
                    return self._run(self._own, attempt, think)
                except _TemplateUnfit:
                    continue
        return self._run(self._fallback, messages, think)

    def _run(self, template: jinja2.Template, messages: Sequence[Mapping[str, str]], think: bool) -> str:
        try:
            output = template.render(
                messages=messages, add_generation_prompt=True, tools=None, enable_thinking=think, **self._marks
            )
        except Exception as error:  # a model's template is a stranger's program: whatever it raises, it is unfit
            raise _TemplateUnfit(str(error)) from error
        wanted = set(_SENTINEL.findall("".join(message["content"] for message in messages)))
        if set(_SENTINEL.findall(output)) != wanted:
            raise _TemplateUnfit("a segment was left out")
        return output


def _with_sentinels(prompt: Prompt) -> list[dict[str, str]]:
    number, messages = 0, []
    for message in prompt.messages:
        content = ""
        for _ in message.segments:
            content += f"AIPCq7Zk{number:06d}x"
            number += 1
        messages.append({"role": message.role.value, "content": content})
    return messages


def _system_in_user(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    system = [message["content"] for message in messages if message["role"] == Role.SYSTEM.value]
    rest = [dict(message) for message in messages if message["role"] != Role.SYSTEM.value]
    if rest:
        rest[0]["content"] = "\n\n".join([*system, rest[0]["content"]])
    return rest


def _split(output: str, segments: Sequence[Segment]) -> list[Part]:
    parts, start = [], 0
    for found in _SENTINEL.finditer(output):
        parts.append(Part(output[start : found.start()], template=True))
        segment = segments[int(found[1])]
        parts.append(Part(segment.text, template=False, segment=segment))
        start = found.end()
    parts.append(Part(output[start:], template=True))
    return parts


def _leaves_thought_open(parts: Sequence[Part]) -> bool:
    if not parts or not parts[-1].template:
        return False
    tail = parts[-1].text
    return tail.rfind(_OPEN_THOUGHT) > tail.rfind(_CLOSE_THOUGHT)


class _GenerationBlock(Extension):
    """`{% generation %}`, which training tools put around the assistant's text; it prints what it encloses."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _GenerationBlock]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise, strftime_now=_FIXED_DAY.strftime)
    return environment


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    """As Hugging Face's: plain JSON, not escaped for HTML."""
    known = {name: option for name, option in options.items() if name in ("separators", "sort_keys")}
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **known)


def _raise(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
