#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# autogen.sh - makes configure from configure.ac.  Arguments are ignored.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all,no-obsolete
