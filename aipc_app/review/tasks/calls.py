"""The tools of a free task as typed calls, and the grammar that holds the model to them. Pure.

Nothing of a document goes into the grammar: documents and tables are called D1, T1 and so on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

_LONGEST_TEXT, _LONGEST_SENTENCE, _LONGEST_WHY, _MOST_SENTENCES = 80, 120, 40, 4


class Call(Struct, frozen=True, kw_only=True, tag_field="tool", forbid_unknown_fields=True):
    """`why`: the model's own reason, for the reader of the steps."""

    why: str = ""


class ListDocuments(Call, frozen=True, kw_only=True, tag="list_documents"):
    """Documents and tables of the case."""


class SearchCase(Call, frozen=True, kw_only=True, tag="search_case"):
    query: str


class SearchLibrary(Call, frozen=True, kw_only=True, tag="search_library"):
    query: str


class ReadPage(Call, frozen=True, kw_only=True, tag="read_page"):
    """`document` "D3"; `part` from 1, of a page too long for one look."""

    document: str
    page: int
    part: int


class ReadTable(Call, frozen=True, kw_only=True, tag="read_table"):
    """`table` "T2"."""

    table: str


class SumTable(Call, frozen=True, kw_only=True, tag="sum_table"):
    """Of the rows with a date past `after` and ahead of `before` ("" any) that have `where` ("" all): the figures of
    `column`, "" for all columns of figures. Dates come first: a small model fills the first field that could be meant.
    """

    table: str
    column: str
    after: str
    before: str
    where: str
    operation: Literal["sum", "count", "largest", "smallest", "average"]


class Calculate(Call, frozen=True, kw_only=True, tag="calculate"):
    """`expression`: figures that were read, + - * / and brackets; s3 is the result of step 3."""

    expression: str


class DaysBetween(Call, frozen=True, kw_only=True, tag="days_between"):
    start: str
    end: str


class AddToDate(Call, frozen=True, kw_only=True, tag="add_to_date"):
    date: str
    amount: int
    unit: Literal["days", "months", "years"]


class Answer(Call, frozen=True, kw_only=True, tag="answer"):
    """The end. `found` False: the material doesn't tell."""

    found: bool
    sentences: tuple[str, ...]


AnyCall = (
    ListDocuments | SearchCase | SearchLibrary | ReadPage | ReadTable | SumTable | Calculate | DaysBetween | AddToDate
    | Answer
)  # fmt: skip
TOOLS: tuple[type[Call], ...] = get_args(AnyCall)


def name_of(kind: type[Call]) -> str:
    """The tool's name as the model writes it."""
    return str(kind.__struct_config__.tag)


def read_call(text: str) -> Call | None:
    """None when it is no call of the form asked for: it was cut off, say."""
    try:
        return msgspec.json.decode(text, type=AnyCall)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def written(call: Call) -> str:
    """As the model writes it: the reason first."""
    values = msgspec.to_builtins(call)
    ordered = {"why": values.pop("why"), **values}
    return json.dumps(ordered, ensure_ascii=False)


def grammar_of(
    documents: Sequence[str], tables: Sequence[str], *, without: Collection[str] = (), only_answer: bool = False
) -> str:
    """The grammar (GBNF) of the next call as `written` writes it; a tool that has nothing to work on is left out, and
    so are those named in `without`.

    One rule for the reason all calls begin with: as alternatives of a JSON schema each of them would carry its own,
    and every token be tried ten times over.
    """
    names = {"document": tuple(documents), "table": tuple(tables)}
    usable = [k for k in TOOLS if all(names.get(field, ("",)) for field in _fields(k)) and name_of(k) not in without]
    kinds = [Answer] if only_answer else usable
    rules = [
        f'root ::= "{{\\"why\\": " why ", \\"tool\\": " ({" | ".join(_rule_name(kind) for kind in kinds)}) "}}"',
        *(f"{_rule_name(kind)} ::= {_arguments(kind, names)}" for kind in kinds),
        f'why ::= "\\"" char{{0,{_LONGEST_WHY}}} "\\""',
        f'text ::= "\\"" char{{0,{_LONGEST_TEXT}}} "\\""',
        f'sentence ::= "\\"" char{{1,{_LONGEST_SENTENCE}}} "\\""',
        'whole ::= "-"? ("0" | [1-9] [0-9]{0,3})',
        r'char ::= [^"\\\x7F\x00-\x1F] | "\\" ["\\/bfnrt]',
    ]
    return "\n".join(rules)


def _fields(kind: type[Call]) -> dict[str, Any]:
    own = get_type_hints(kind)
    return {field.name: own[field.name] for field in msgspec.structs.fields(kind) if field.name != "why"}


def _rule_name(kind: type[Call]) -> str:
    return name_of(kind).replace("_", "-")


def _arguments(kind: type[Call], names: Mapping[str, Sequence[str]]) -> str:
    told = _literal(json.dumps(name_of(kind)))
    if kind is Answer:  # what is not found has no sentences, what is found has some
        more = f'(", " sentence){{0,{_MOST_SENTENCES - 1}}}'
        found = f'{_literal("true, " + _key("sentences") + "[")} sentence {more} "]"'
        nothing = _literal("false, " + _key("sentences") + "[]")
        return f"{told} {_literal(', ' + _key('found'))} ({nothing} | {found})"
    values = [
        f"{_literal(', ' + _key(name))} {_value(type_, names.get(name, ()))}" for name, type_ in _fields(kind).items()
    ]
    return " ".join((told, *values))


def _value(type_: Any, names: Sequence[str]) -> str:
    choices = names or get_args(type_) if names or get_origin(type_) is Literal else ()
    if choices:
        return "(" + " | ".join(_literal(json.dumps(choice)) for choice in choices) + ")"
    return "whole" if type_ is int else "text"


def _key(name: str) -> str:
    return f"{json.dumps(name)}: "


def _literal(text: str) -> str:
    """As GBNF quotes it."""
    return json.dumps(text)
