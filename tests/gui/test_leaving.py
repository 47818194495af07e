"""The program ends cleanly, whatever was copied from its window."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
from aipc_app.settings.model import Settings
from aipc_app.ui.case.conversation.answer_view import AnswerView
from aipc_app.ui.desktop import Desktop
from aipc_app.ui.main import make_application, settle_clipboard
application = make_application(())
desktop = Desktop(application, Settings())
view = AnswerView(desktop.context)
view.finish("copied words", ())
view.selectAll()
view.copy()
assert application.clipboard().text() == "copied words"
assert desktop.close()
settle_clipboard()
assert application.clipboard().text() == "copied words"
"""


def test_leaving_after_a_selection_was_copied() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
