"""How long the rest will take: said when it is known, and near what it then is."""

from aipc_app.domain.jobs import PendingWork
from aipc_app.ingest.pace import Pace


def test_nothing_is_said_before_something_was_measured() -> None:
    pace = Pace()
    pending = PendingWork(read_documents=10, read_bytes=1_000_000)
    assert pace.seconds_left(pending) is None
    pace.note_read(100_000, 20, 0.1)
    assert pace.seconds_left(pending) is None
    assert pace.seconds_left(PendingWork()) == 0.0


def test_files_alike_take_as_long_as_those_before() -> None:
    pace = Pace()
    for _ in range(10):
        pace.note_read(80_000, 10, 0.5)
        pace.note_embedded(10, 0.25)
    pending = PendingWork(read_documents=40, read_bytes=40 * 80_000)
    assert pace.seconds_left(pending) == 20.0
    assert pace.seconds_left(pending, readers=2) == 10.0  # vectors then take as long
    waiting = PendingWork(embed_documents=4, embed_passages=400)
    assert pace.seconds_left(waiting) == 10.0
    assert pace.seconds_left(waiting, embeds=False) == 0.0


def test_a_long_file_tells_its_own_time_while_it_is_read() -> None:
    pace = Pace()
    pending = PendingWork(read_documents=1, read_bytes=5_000_000)
    pace.note_running(7, 5_000_000, 0.01, 30.0)
    pace.note_running(7, 5_000_000, 0.5, 1.0)
    assert pace.seconds_left(pending) is None  # too little of it, or too short
    pace.note_running(7, 5_000_000, 0.25, 30.0)
    assert pace.seconds_left(pending) == 90.0
    for _ in range(3):
        pace.note_read(80_000, 0, 1.0)
    more = PendingWork(read_documents=11, read_bytes=5_000_000 + 10 * 80_000)
    assert pace.seconds_left(more) == 100.0  # 90 of the long one, and ten alike
    assert pace.seconds_left(more, readers=2) == 90.0  # the long one is not read by two
    pace.note_ended(7)
    assert pace.seconds_left(PendingWork()) == 0.0


def test_the_latest_work_counts() -> None:
    pace = Pace()
    for _ in range(100):
        pace.note_read(80_000, 0, 10.0)
    for _ in range(64):
        pace.note_read(80_000, 0, 1.0)
    left = pace.seconds_left(PendingWork(read_documents=1, read_bytes=80_000))
    assert left == 1.0
