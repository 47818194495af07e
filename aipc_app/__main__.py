"""The program's entry: the desktop, the command line, or one of its own children.

`aipc --child reader|encoder|engine|models|plan …` turns this process into a child, so that a frozen program, which
has no interpreter to call, can start itself again. Stands above `app`: the one place that knows every process.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments ask for; returns the exit status (0 done, 1 could not, 2 wrong usage)."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["--child"]:
        return _child(arguments[1], arguments[2:])
    from aipc_app.app import run

    return run(arguments)


def _child(kind: str, arguments: list[str]) -> int:
    """Become a child. Imports are here so that no process loads what only another needs."""
    sys.argv = [f"aipc-{kind}", *arguments]
    if kind != "models":  # fetching a model, only when asked for, is the named exception
        from engine.wire.offline import guard

        guard()
    if kind == "engine":
        from engine.__main__ import main as engine_main

        engine_main()
    elif kind == "models":
        from engine.host.model_tasks import main as models_main

        models_main()
    elif kind == "plan":
        from engine.host.plan_tasks import main as plan_main

        plan_main()
    elif kind == "reader":
        from aipc_app.reader.main import main as reader_main

        reader_main()
    elif kind == "encoder":
        from aipc_app.encoder.main import main as encoder_main

        encoder_main()
    else:
        sys.stderr.write(f"aipc: there is no child '{kind}'.\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
