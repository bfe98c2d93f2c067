# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs check.py of the current folder once per request, each time in a forked process.

Starting Python takes longer than most checks, so checks.bash starts it only once per test. A request
on standard input is the number of arguments and the arguments, each ended by a NUL byte. The reply is
a line with the exit status; the output of check.py goes to check.out.
"""
import itertools, json  # used by most check.py, so loaded once
import os, runpy, sys, traceback


def read_text():
    text = b""
    while (byte := sys.stdin.buffer.read(1)) != b"\0":
        if not byte:
            sys.exit(0)
        text += byte
    return text.decode()


def run(arguments):
    output = os.open("check.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["check.py", *arguments]
    status = 0
    try:
        runpy.run_path("check.py", run_name="__main__")
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)


sys.path.insert(0, os.getcwd())
while True:
    request = [read_text() for _ in range(int(read_text()))]
    child = os.fork()
    if child == 0:
        run(request)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
