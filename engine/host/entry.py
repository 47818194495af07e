"""Starts the engine's process: the wire first, then the heavy imports, a self-check, the hand-shake, the loop."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from typing import NoReturn

from engine.errors import EngineError
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, claim_pipes
from engine.wire.messages import EngineRequest


def serve() -> NoReturn:
    """Become the engine's process; standard input and output are the wire. Never returns."""
    channel: Channel[EngineRequest] = Channel(*claim_pipes(), EngineRequest)
    faulthandler.enable()  # an abort inside llama.cpp leaves the Python stack in the log
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is the desktop's to answer
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ[name] = "1"
    # NumPy asks for huge pages for large arrays; where memory is in pieces the kernel then moves others' pages first,
    # and a block took 80 ms to copy instead of 4 (engine/kv/decisions/0002). Read once, when NumPy is imported.
    os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"
    try:
        from engine.host.loop import Host
        from engine.native.library import open_library

        library = open_library()
    except EngineError as error:
        _give_up(channel, error.message)
    except Exception as error:
        print(f"engine: {error!r}", file=sys.stderr, flush=True)
        _give_up(channel, "The inference library can't be opened on this computer; install the program again.")
    channel.send(Hello(PROTOCOL_VERSION, "engine", facts={"cpu_backend": library.cpu_backend, **library.versions}))
    Host(channel, library).run()


def _give_up(channel: Channel[EngineRequest], problem: str) -> NoReturn:
    channel.send(Hello(PROTOCOL_VERSION, "engine", problem=problem))
    os._exit(1)
