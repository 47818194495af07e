"""What each tool of a free task does. None reaches a network, a shell or a file: they read the store and reckon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from aipc_app.answer.material import Source, passage_source
from aipc_app.domain.documents import LIBRARY_ID, Passage
from aipc_app.review.tables import Row
from aipc_app.review.tasks import calls
from aipc_app.review.tasks.desk import Desk, Placed
from aipc_app.review.tasks.excerpt import excerpts
from aipc_app.review.tasks.reckoning import NotReckoned, day_of, moved, reckon, shown_figure
from aipc_app.review.tasks.seen import Seen, Spot
from aipc_app.review.tasks.tables import pick, work_out, working_of
from aipc_app.review.tasks.wording import said
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from aipc_app.text.facts import DateValue
from aipc_app.text.tokens import query_tokens

FOUND_PASSAGES = 5
_PART_CHARACTERS, _MOST_ROWS, _MOST_NAMED_ROWS = 1_200, 40, 4


class Outcome(Struct, frozen=True, kw_only=True):
    """What a step came to, as the model and the user read it; `problem`: it could not be done, and why.

    `value`: the figure that it worked out, `working` how, from what stands at `spots`; `calendar`, `inputs` and
    `basis` as in worked.Worked.
    """

    text: str = ""
    spots: tuple[Spot, ...] = ()
    working: str = ""
    value: Decimal | None = None
    calendar: bool = False
    inputs: tuple[Decimal, ...] = ()
    basis: tuple[str, ...] = ()
    problem: str = ""


class Toolbox:
    """The tools over one case. Each call blocks for well under a second. Not for two threads at once."""

    def __init__(
        self, store: Store, search: SearchService, case_id: int, desk: Desk, seen: Seen, language: str
    ) -> None:
        self._store, self._search, self._case_id = store, search, case_id
        self._desk, self._seen, self._language = desk, seen, language
        self._found: set[Spot] = set()  # what searches brought is not told twice: it would only be read again

    def use(self, call: calls.Call, results: Mapping[int, Outcome]) -> Outcome:
        """Do it. `results`: of earlier steps. What can't be done comes back as a problem, never as an exception."""
        try:
            return self._use(call, results)
        except NotReckoned as wrong:
            return Outcome(problem=said(wrong.key, self._language).format(wrong.about))

    def _use(self, call: calls.Call, results: Mapping[int, Outcome]) -> Outcome:
        match call:
            case calls.ListDocuments():
                return Outcome(text=self.contents())
            case calls.SearchCase(query=query):
                return self._find(query, self._case_id)
            case calls.SearchLibrary(query=query):
                return self._find(query, LIBRARY_ID)
            case calls.ReadPage():
                return self._read_page(call)
            case calls.ReadTable(table=name):
                placed = self._desk.table(name)
                return self._rows(placed, placed.table.rows)
            case calls.SumTable():
                return self._sum(call)
            case calls.Calculate(expression=expression):
                return self._calculate(expression, results)
            case calls.DaysBetween(start=start, end=end):
                return self._days(start, end)
            case calls.AddToDate():
                return self._move(call)
        raise AssertionError(f"{type(call).__name__} is no tool")

    # -- reading ---------------------------------------------------------------------------------

    def contents(self, *, most_tables: int = 99) -> str:
        """The documents and tables at hand."""
        language, desk = self._language, self._desk
        lines = [
            f"D{number} {document.name}（{said('pages', language).format(document.pages)}）"
            for number, document in enumerate(desk.documents, 1)
        ]
        if desk.total > len(desk.documents):
            lines.append(said("more_documents", language).format(desk.total - len(desk.documents)))
        for number, placed in list(enumerate(desk.tables, 1))[:most_tables]:
            place = said("page", language).format(placed.page(placed.table.head).page)
            heads = said("comma", language).join(placed.columns)
            lines.append(
                said("table", language).format(
                    number=number, document=placed.document, place=place, rows=len(placed.table.rows), columns=heads
                )
            )
        return "\n".join(lines)

    def _find(self, query: str, case_id: int) -> Outcome:
        library = case_id == LIBRARY_ID
        evidence = self._search.search(query, cases=(case_id,), limit=FOUND_PASSAGES).evidence
        shown = self._passages([one.passage for one in evidence], query, library=library)
        shown += [] if library else self._named_rows(query)
        if not shown:
            raise NotReckoned("found_nothing", query[:40])
        fresh = [(text, spot) for text, spot in shown if spot not in self._found]
        if not fresh:
            raise NotReckoned("nothing_new", query[:40])
        self._found.update(spot for _, spot in fresh)
        return Outcome(text="\n".join(text for text, _ in fresh), spots=tuple(spot for _, spot in fresh))

    def _named_rows(self, query: str) -> list[tuple[str, Spot]]:
        """Rows of tables whose label the query names: a passage has no room for the head above its figures."""
        asked = frozenset(query_tokens(query))
        rows = [
            (number, placed, row)
            for number, placed in enumerate(self._desk.tables, 1)
            for row in placed.table.rows
            if (label := frozenset(query_tokens(row.cells[0]))) and label <= asked
        ]
        rows = rows[:_MOST_NAMED_ROWS]
        for _, placed, row in rows:
            self._seen.add(placed.page(row))
        return [(f"[T{number}] {_with_heads(placed, row)}", placed.spot(row)) for number, placed, row in rows]

    def _passages(self, passages: Sequence[Passage], query: str, *, library: bool) -> list[tuple[str, Spot]]:
        """What of them is worth showing; what is read of the case is the page each stands on."""
        sources = [self._source(passage, library=library) for passage in passages]
        return [
            (f"[{self._place_of(source, library=library)}] {' '.join(source.page_text[start:end].split())}",
             Spot(source.document_id, source.page, start, end))
            for source, (start, end) in zip(sources, excerpts(sources, query), strict=True)
        ]  # fmt: skip

    def _source(self, passage: Passage, *, library: bool) -> Source:
        page = self._store.documents.page(passage.document_id, passage.page, boxes=False)
        source = passage_source(passage, page.text, library=library)
        if library:
            self._seen.add(source)
        else:
            self._desk.number(passage.document_id)  # at hand from now on
            self._seen.add(self._desk.page(passage.document_id, passage.page) or source)
        return source

    def _place_of(self, source: Source, *, library: bool) -> str:
        name = source.document if library else f"D{self._desk.number(source.document_id)}"
        return f"{name} {said('page', self._language).format(source.page)}"

    def _read_page(self, call: calls.ReadPage) -> Outcome:
        document, pages = self._desk.document(call.document)
        source = next((one for one in pages if one.page == call.page), None)
        if source is None:
            raise NotReckoned("no_page", str(document.pages))
        self._seen.add(source)
        parts = max(1, -(-len(source.page_text) // _PART_CHARACTERS))
        part = min(max(call.part, 1), parts)
        start = (part - 1) * _PART_CHARACTERS
        end = min(start + _PART_CHARACTERS, len(source.page_text))
        head = said("part", self._language).format(part, parts) if parts > 1 else ""
        spot = Spot(source.document_id, source.page, start, end)
        return Outcome(text=f"{head}{source.page_text[start:end].strip()}", spots=(spot,))

    def _rows(self, placed: Placed, rows: Sequence[Row]) -> Outcome:
        shown = rows[:_MOST_ROWS]
        for row in shown:
            self._seen.add(placed.page(row))
        lines = [" | ".join(placed.columns), *(" | ".join(row.cells) for row in shown)]
        if len(rows) > len(shown):
            lines.append(said("more_rows", self._language).format(len(rows) - len(shown)))
        return Outcome(text="\n".join(lines), spots=tuple(placed.spot(row) for row in shown))

    # -- reckoning -------------------------------------------------------------------------------

    def _sum(self, call: calls.SumTable) -> Outcome:
        placed = self._desk.table(call.table)
        picked = pick(placed.table, column=call.column, where=call.where, after=call.after, before=call.before)
        values = [value for _, value, _ in picked.figures]
        result = work_out(call.operation, values)
        rows = self._rows(placed, picked.rows)
        working = working_of(call.operation, values, result)
        bounds = [said(key, self._language).format(day) for key in ("after", "before") if (day := getattr(call, key))]
        of_what = said("comma", self._language).join((*picked.columns, *bounds))
        told = said("worked_out", self._language).format(said(call.operation, self._language), of_what, working)
        return Outcome(text=f"{rows.text}\n{told}", spots=rows.spots, working=told, value=result)

    def _calculate(self, expression: str, results: Mapping[int, Outcome]) -> Outcome:
        done = reckon(expression, {number: one.value for number, one in results.items() if one.value is not None})
        if not (done.figures or done.steps):
            raise NotReckoned("not_read", done.shown)
        taken = [results[number] for number in done.steps]
        taken += [one for figure in done.figures for one in results.values() if one.value == figure]
        read = tuple(figure for figure in done.figures if all(one.value != figure for one in taken))
        spots = [spot for one in taken for spot in one.spots]
        for figure in read:
            places = self._seen.figure(figure)
            if places is None:
                raise NotReckoned("not_read", shown_figure(figure))
            spots += places
        share = any(sign in done.shown for sign in "/÷")
        working = f"{done.shown} = {_told(done.value, share=share)}"
        return Outcome(
            text=working, spots=tuple(dict.fromkeys(spots)), working=working, value=done.value,
            inputs=read,
            basis=tuple(dict.fromkeys(line for one in taken for line in (*one.basis, one.working))),
        )  # fmt: skip

    def _days(self, start: str, end: str) -> Outcome:
        first, last = day_of(start), day_of(end)
        spots = (*self._place(first.year, first.month, first.day), *self._place(last.year, last.month, last.day))
        days = (last - first).days
        working = said("days_told", self._language).format(first.isoformat(), last.isoformat(), days)
        return Outcome(
            text=working, spots=tuple(dict.fromkeys(spots)), working=working, value=Decimal(days), calendar=True
        )

    def _move(self, call: calls.AddToDate) -> Outcome:
        day = day_of(call.date)
        spots = self._place(day.year, day.month, day.day)
        found = moved(day, call.amount, call.unit)
        unit = said(call.unit, self._language)
        working = f"{day.isoformat()} + {call.amount} {unit} = {found.isoformat()}"
        return Outcome(text=working, spots=spots, working=working, calendar=True)

    def _place(self, year: int, month: int, day: int) -> tuple[Spot, ...]:
        places = self._seen.day(DateValue(year, month, day))
        if places is None:
            raise NotReckoned("not_read", f"{year}-{month:02}-{day:02}")
        return places


def _with_heads(placed: Placed, row: Row) -> str:
    heads = placed.columns
    if len(heads) != len(row.cells):
        return " | ".join(row.cells)
    return " | ".join((row.cells[0], *(f"{head} {cell}" for head, cell in zip(heads[1:], row.cells[1:], strict=True))))


def _told(value: Decimal, *, share: bool) -> str:
    """A share is told in per cent too."""
    percent = f" ({shown_figure(value * 100)}%)" if share and 0 < abs(value) < 2 and value != int(value) else ""
    return shown_figure(value) + percent
