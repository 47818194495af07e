"""`python -m engine`: the engine's process, started by engine.client.process."""

from __future__ import annotations

from engine.host.entry import serve


def main() -> None:
    """Run the engine's process until the desktop closes its end."""
    serve()


if __name__ == "__main__":
    main()
