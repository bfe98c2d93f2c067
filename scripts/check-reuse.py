#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every file names its copyright holder and its licence, as REUSE 3 asks.

usage: check-reuse.py        name each file without; exit 1 if there is one
       check-reuse.py --fix  add the two SPDX lines to sources that lack them

A file needs both SPDX lines near its top, or a pattern of REUSE.toml. Each licence that is named has its
text in LICENSES/, and no other is there. In C they are the first comment. In scripts they end the
comment at the top, so that the line numbers of a usage text do not change.
"""
import re
import subprocess
import sys
from pathlib import Path

HOLDER, LICENCE = "2026 The copra authors", "BSD-3-Clause"
# split, so that no tool takes them for the tags of this file
HOLDER_TAG, LICENCE_TAG = "SPDX-FileCopyright" "Text", "SPDX-License-" "Identifier"
LINES = [f"{HOLDER_TAG}: {HOLDER}", f"{LICENCE_TAG}: {LICENCE}"]
C_SUFFIXES = {".c", ".h", ".cu", ".cuh"}
HASH_SUFFIXES = {".sh", ".bash", ".py", ".gp", ".yml", ".in"}
HASH_NAMES = {"Makefile", "run"}
IGNORED = re.compile(r"(^|/)(LICENSE|COPYING)[^/]*$|^LICENSES/|^REVISION$|^build/|^results/local/|__pycache__/")
NEAR_TOP = 8192  # bytes


def files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = [n for n in listed.stdout.split("\0") if n]
    else:  # a tarball
        names = [str(p) for p in Path(".").rglob("*")]
    return sorted(n for n in names if Path(n).is_file() and not IGNORED.search(n))


def pattern(glob):
    """A path of REUSE.toml: ** matches anything, * anything but a slash."""
    parts = re.split(r"(\*\*|\*)", glob)
    return re.compile("".join(".*" if p == "**" else "[^/]*" if p == "*" else re.escape(p)
                              for p in parts) + r"\Z")


def annotations():
    text = Path("REUSE.toml").read_text(encoding="utf-8")
    found = []
    for block in text.split("[[annotations]]")[1:]:
        paths = re.search(r"path\s*=\s*\[(.*?)\]", block, re.S)
        licence = re.search(LICENCE_TAG + r'\s*=\s*"([^"]+)"', block)
        if not paths or not licence or HOLDER_TAG not in block:
            sys.exit("REUSE.toml: an annotation lacks a path, a holder or a licence")
        found += [(pattern(g), licence.group(1)) for g in re.findall(r'"([^"]+)"', paths.group(1))]
    return found


def licence_of(name, annotated):
    """The licence of a file, or None if the file lacks a holder or a licence."""
    top = Path(name).read_bytes()[:NEAR_TOP].decode("utf-8", "replace")
    own = re.search(LICENCE_TAG + r": *([A-Za-z0-9.+-]+)", top)
    if own and re.search(HOLDER_TAG + r": *\S", top):
        return own.group(1)
    return next((licence for glob, licence in annotated if glob.match(name)), None)


def with_lines(name, text):
    """The text with the SPDX lines, or None for a file of another kind."""
    path = Path(name)
    if path.suffix in C_SUFFIXES:
        return f"/* {LINES[0]}\n * {LINES[1]} */\n{text}"
    if path.suffix not in HASH_SUFFIXES and path.name not in HASH_NAMES:
        return None
    lines = text.split("\n")
    end = 1 if lines[0].startswith("#!") else 0
    if path.suffix != ".py":
        while end < len(lines) and lines[end].startswith("#"):
            end += 1
    between = ["#"] if end > (1 if lines[0].startswith("#!") else 0) else []
    return "\n".join(lines[:end] + between + [f"# {line}" for line in LINES] + lines[end:])


def main():
    fix = sys.argv[1:] == ["--fix"]
    if sys.argv[1:] and not fix:
        sys.exit(__doc__)
    annotated, used, bad = annotations(), set(), []
    for name in files():
        licence = licence_of(name, annotated)
        if licence is None and fix:
            text = with_lines(name, Path(name).read_text(encoding="utf-8"))
            if text is not None:
                Path(name).write_text(text, encoding="utf-8")
                licence = LICENCE
        if licence is None:
            bad.append(f"{name}: no {HOLDER_TAG} and {LICENCE_TAG} (scripts/check-reuse.py --fix)")
        else:
            used.add(licence)
    there = {p.stem for p in Path("LICENSES").glob("*.txt")}
    bad += [f"LICENSES/{name}.txt is missing" for name in sorted(used - there)]
    bad += [f"LICENSES/{name}.txt: no file has this licence" for name in sorted(there - used)]
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
