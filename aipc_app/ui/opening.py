"""Opens the services on a thread while the frame is already on screen, and closes them at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from aipc_app.operations.services import Services


class Opening:
    """`post` brings the outcome to the window's thread. `close` waits for an opening that is under way."""

    def __init__(
        self, make: Callable[[], AbstractContextManager[Services]], post: Callable[[Callable[[], None]], None]
    ) -> None:
        self._make, self._post = make, post
        self._entered: AbstractContextManager[Services] | None = None
        self._thread: threading.Thread | None = None

    def start(self, opened: Callable[[Services], None], failed: Callable[[BaseException], None]) -> None:
        """One of the two is called on the window's thread."""
        def work() -> None:
            try:
                context = self._make()
                services = context.__enter__()
            except Exception as error:
                problem = error
                self._post(lambda: failed(problem))
                return
            self._entered = context
            self._post(lambda: opened(services))

        self._thread = threading.Thread(target=work, name="ui-opening", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the services, if they were opened."""
        if self._thread is not None:
            self._thread.join()
        if self._entered is not None:
            self._entered.__exit__(None, None, None)
            self._entered = None
