"""Small questions to the kernel that only trying answers; each is asked once a run."""

import os
import subprocess
import sys
from functools import cache

from arbiter.isolation.resources import needed_for

_LIMIT = 10


@cache
def can_make_user_namespaces() -> bool:
    """Whether this user may make a user namespace and map itself into it."""
    if sys.platform != "linux":
        return False
    code = (
        "import ctypes, os; user, group = os.getuid(), os.getgid();"
        " assert ctypes.CDLL(None).unshare(0x10000000) == 0;"
        " open('/proc/self/setgroups', 'w').write('deny');"
        " open('/proc/self/uid_map', 'w').write(f'{user} {user} 1');"
        " open('/proc/self/gid_map', 'w').write(f'{group} {group} 1')"
    )
    try:
        with needed_for("trying whether user namespaces can be made"):
            done = subprocess.run(
                [os.path.realpath(sys.executable), "-ISB", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_LIMIT,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
