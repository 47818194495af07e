"""A free task as a review: its items are the result and, one by one, the steps that were taken. Pure.

So it is stored, listed, gone on with, decided on, exported and deleted as any review is.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec.structs import replace

from aipc_app.domain.exporting import Typography
from aipc_app.domain.review import Item, Review, Section, Template, Words
from aipc_app.review.tasks import calls
from aipc_app.review.tasks.wording import said

KIND, ANSWER = "task", "answer"
_SHOWN_CHARACTERS = 80
_CALL = "call"


def template_of(task: str) -> Template:
    """A task that is not begun. Its id comes from its words, so that the same task again goes on with it."""
    digest = hashlib.sha256(task.encode()).hexdigest()
    shown = task if len(task) <= _SHOWN_CHARACTERS else f"{task[:_SHOWN_CHARACTERS]}…"
    answer = Item(id=ANSWER, label=_words("answer"))
    return Template(
        id=f"{KIND}-{digest[:12]}",
        title=_same(" ".join(shown.split())),
        about=_same(task),
        notice=_words("notice"),
        sections=(Section(title=_words("kind"), items=(answer,)), Section(title=_words("steps"), items=())),
        typography=Typography.PLAIN,
        hash=digest,
    )


def is_task(template: Template) -> bool:
    return template.id.startswith(f"{KIND}-")


def task_of(template: Template) -> str:
    """The user's own words."""
    return template.about.zh


def is_step(item: Item) -> bool:
    """Of a task: what was done on the way."""
    return _CALL in item.inputs


def steps_of(template: Template) -> tuple[Item, ...]:
    """The steps begun so far, in order."""
    return template.sections[1].items


def written_of(step: Item) -> str:
    """The call as the model wrote it."""
    return step.inputs[_CALL]


def with_step(template: Template, written: str) -> Template:
    """The same task with one more step, just begun."""
    number = len(steps_of(template)) + 1
    call = calls.read_call(written)
    label = Words(zh=_label(number, call, "zh"), en=_label(number, call, "en"))
    tool = calls.name_of(type(call)) if call is not None else "unreadable"
    step = Item(id=f"step_{number}", label=label, compute=tool, inputs={_CALL: written})
    steps = replace(template.sections[1], items=(*steps_of(template), step))
    return replace(template, sections=(template.sections[0], steps))


def without_step(review: Review) -> Template:
    """The template without a last step that was begun and not done: it is begun anew."""
    steps = steps_of(review.template)
    if not steps or review.finding(steps[-1].id) is not None:
        return review.template
    rest = replace(review.template.sections[1], items=steps[:-1])
    return replace(review.template, sections=(review.template.sections[0], rest))


def _label(number: int, call: calls.Call | None, language: str) -> str:
    key = calls.name_of(type(call)) if call is not None else "unreadable"
    values = msgspec.to_builtins(call) if call is not None else {}
    told = said(f"tool_{key}", language).format(**values)
    return said("step", language).format(number, told)


def _words(key: str) -> Words:
    return Words(zh=said(key, "zh"), en=said(key, "en"))


def _same(text: str) -> Words:
    """The user's own words in either language."""
    return Words(zh=text, en=text)
