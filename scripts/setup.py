"""Sets everything up: `python3 scripts/setup.py [--with EXTRA …] [--models ROLE …|none]`.

Written so that an old Python can still read it far enough to say that it is too old.
"""

import sys
from pathlib import Path

from setting_up import interpreter


def main() -> int:
    if sys.version_info < interpreter.OLDEST:
        return interpreter.run_with_newer([str(Path(__file__).resolve()), *sys.argv[1:]])
    from setting_up import steps

    return steps.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
