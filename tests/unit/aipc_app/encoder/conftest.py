"""The embedding library's threads wait quietly, as in the encoder process; to be said before it is loaded."""

from __future__ import annotations

import os

os.environ["OMP_WAIT_POLICY"] = "passive"
