#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that includes follow the dependency rules of docs/ARCHITECTURE.md.

usage: check-includes.py            print each include that breaks a rule; exit 1 if there is one
       check-includes.py --picture  print the table of folders that docs/ARCHITECTURE.md contains
       check-includes.py --circles  print groups of files that include each other

A folder may include itself and the folders that stand before it in LAYERS, as far as ALLOWED says.
Every include of a file of copra is written from the root.
"""
import re
import subprocess
import sys
from pathlib import Path

TARGETS = ["dp-knapsack", "helbecque-pool", "gmys-ivm", "koester-recovery", "gboa"]
HARNESS = ["harness/" + layer for layer in
           ("base", "device", "machine", "bench", "report", "compare")]

# folder -> the folders that it may include, besides itself
ALLOWED = {layer: HARNESS[:i] for i, layer in enumerate(HARNESS)}
ALLOWED["kernels"] = ["harness/base", "harness/device"]
ALLOWED["datasets"] = ["harness/base"]
ALLOWED["front"] = ["harness/base", "harness/device", "datasets"]
ALLOWED["algorithms/tree-search"] = ["kernels", "datasets", *HARNESS[:4]]
for target in TARGETS:
    ALLOWED["algorithms/" + target] = ["algorithms/tree-search", "kernels", "datasets", *HARNESS[:4]]
ALLOWED["checker"] = []
ALLOWED["library"] = [*("algorithms/" + t for t in TARGETS), "algorithms/tree-search", "kernels",
                      "datasets", *HARNESS[:4]]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def folder_of(path):
    """The folder of ALLOWED that holds the path, or None (tests, scripts)."""
    found = [f for f in ALLOWED if path.startswith(f + "/")]
    if not found and path.startswith("algorithms/"):  # a target that make new-target made
        return "algorithms/" + TARGETS[0]
    return found[0] if found else None


def sources():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                             "*.c", "*.h", "*.cu", "*.cuh"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [p for p in listed.stdout.split("\n") if p and Path(p).exists()]
    return sorted(str(p) for p in Path(".").rglob("*") if p.suffix in (".c", ".h", ".cu", ".cuh"))


def includes():
    """All (file, line, included path) of the tree."""
    for path in sources():
        if path.startswith("scripts/"):
            continue
        text = Path(path).read_text(encoding="utf-8")
        for m in INCLUDE.finditer(text):
            line = text.count("\n", 0, m.start()) + 1
            # examples in a header's manual
            if text.rfind("/*", 0, m.start()) > text.rfind("*/", 0, m.start()):
                continue
            yield path, line, m.group(1)


def check():
    bad = 0
    for path, line, included in includes():
        mine, other = folder_of(path), folder_of(included)
        if not Path(included).exists():
            print(f"{path}:{line}: \"{included}\" is not a path from the root")
            bad += 1
        elif mine and other != mine and other not in ALLOWED[mine]:
            print(f"{path}:{line}: {mine}/ must not include {included}")
            bad += 1
    return bad


def picture():
    """One line for each folder: the folders that its files include."""
    uses = {f: set() for f in ALLOWED}
    for path, _, included in includes():
        mine, other = folder_of(path), folder_of(included)
        if mine and other and mine != other:
            uses[mine].add(other)
    return "".join(f"{folder:28} {', '.join(n for n in ALLOWED if n in used) or '-'}\n"
                   for folder, used in uses.items())


def check_document():
    path = Path("docs/ARCHITECTURE.md")
    if path.exists() and picture() not in path.read_text(encoding="utf-8"):
        print(f"{path}: the table of includes is out of date; insert the output of "
              "scripts/check-includes.py --picture")
        return 1
    return 0


def circles():
    """Prints groups of modules (a header with its source) that include each other."""
    graph = {}
    for path, _, included in includes():
        if folder_of(path) and folder_of(included):
            a, b = re.sub(r"\.\w+$", "", path), re.sub(r"\.\w+$", "", included)
            if a != b:
                graph.setdefault(a, set()).add(b)
                graph.setdefault(b, set())
    reach = {}
    for start in graph:
        seen, todo = set(), [start]
        while todo:
            for n in graph[todo.pop()]:
                if n not in seen:
                    seen.add(n)
                    todo.append(n)
        reach[start] = seen
    done = set()
    for a in sorted(graph):
        group = sorted({b for b in reach[a] if a in reach[b]} | {a})
        if a in reach[a] and len(group) > 1 and a not in done:
            done.update(group)
            print("  ".join(group))


if __name__ == "__main__":
    if sys.argv[1:] == ["--picture"]:
        print(picture(), end="")
    elif sys.argv[1:] == ["--circles"]:
        circles()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        sys.exit(1 if check() + check_document() else 0)
