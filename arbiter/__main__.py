"""``python -m arbiter`` is the same as ``arbiter``."""

import sys

from arbiter.cli import main

sys.exit(main())
