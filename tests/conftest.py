# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from support.plugin import *  # noqa: E402,F401,F403
