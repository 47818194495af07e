"""Runs a command that sees Mesa's software GPU and no other: `python3 scripts/with_software_gpu.py .venv/bin/aipc …`.

For trying what a GPU's placement does where there is none. `scripts/setup.py --vulkan` brings what it needs.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from setting_up import software_gpu


def main() -> NoReturn:
    """Becomes the command; exits 1 when there is no software GPU, 2 when there is no command."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    variables = software_gpu.environment()
    if isinstance(variables, str):
        sys.exit(variables)
    os.execvpe(sys.argv[1], sys.argv[1:], {**os.environ, **variables})


if __name__ == "__main__":
    main()
