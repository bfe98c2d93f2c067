# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the Spack recipe with the Makefile, CITATION.cff, setup.sh and hip-archs.sh.

usage: spack_recipe.py ROOT                      each difference is one line; exit 1 if there is one
       spack_recipe.py RECIPE URL SHA256         the recipe of a release
"""
import ast
import re
import sys
from pathlib import Path

# what Debian packages of setup.sh are in Spack; a reason where the recipe does not need it
PACKAGES = {
    "gcc": "c", "g++": "cxx", "pkg-config": "pkgconfig", "libjansson-dev": "jansson", "libcmocka-dev": "cmocka",
    "gnuplot-nox": "gnuplot", "jq": "jq", "python3": "python", "libopenmpi-dev": "mpi", "openmpi-bin": "mpi",
    "libmpich-dev": "mpi", "mpich": "mpi", "hipcc": "hip", "libamdhip64-dev": "hip", "rocm-device-libs": "llvm-amdgpu",
    "lld-15": "llvm-amdgpu",
}
NOT_NEEDED = {
    "libc6-dev": "part of the system", "clang-format": "for developers",
    "sqlite3": "make history, in the source folder", "hyperfine": "make compare, in the source folder",
    "libbenchmark-tools": "tests skip without it", "python3-scipy": "tests skip without it",
    "libsimgrid-dev": "make simulate, in the source folder", "faketime": "tests skip without it",
}
faults = []


def expect(truth, text):
    if not truth:
        faults.append(text)


def calls(tree, name):
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == name]


def firsts(tree, name):
    return [c.args[0].value for c in calls(tree, name) if isinstance(c.args[0], ast.Constant)]


def assigned(tree, name):
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == name]
    return ast.unparse(found[0]).strip("'\"") if found else ""


def settings(tree):
    """The names of the settings that the recipe passes to make."""
    function = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "settings")
    names = {k.value for n in ast.walk(function) if isinstance(n, ast.Dict) for k in n.keys}
    names |= set(re.findall(r"[fF]['\"]([A-Z]+)=\{", ast.unparse(tree)))
    return names | {n.slice.value for n in ast.walk(function) if isinstance(n, ast.Subscript)
                    and isinstance(n.ctx, ast.Store)}


def check_make(tree, makefile):
    names = settings(tree)
    expect(len(names) > 8, f"settings for make: found only {sorted(names)}")
    for name in sorted(names):
        known = re.search(rf"^(override )?{name} *[?:]?=|\$\({name}\)|^export .*\b{name}\b", makefile, re.M)
        expect(known, f"the Makefile has no setting {name}")
    phony = set(" ".join(re.findall(r"^\.PHONY:(.*)", makefile, re.M)).split())
    targets = firsts(tree, "make")
    expect({"all", "test", "install"} <= set(targets), f"targets of make: {targets}")
    for target in targets:
        expect(target in phony, f"the Makefile has no target {target}")


def check_dependencies(tree, setup):
    have = {re.match(r"[a-z0-9-]+", d).group() for d in firsts(tree, "depends_on")}
    lines = re.findall(r":([^:\n]+):(needed|wanted)\b", setup)
    expect(len(lines) > 10, "setup.sh: its list was not understood")
    for name in sorted({name for names, _ in lines for name in names.split()}):
        expect((name in PACKAGES) != (name in NOT_NEEDED), f"setup.sh has {name}: is it a dependency of the recipe?")
        expect(PACKAGES.get(name, "c") in have, f"the recipe does not depend on {PACKAGES.get(name)} ({name} of setup.sh)")


def check_repository(root):
    folder = root / "scripts/spack/spack_repo/copra"
    tree = ast.parse((folder / "packages/copra/package.py").read_text())
    makefile = (root / "Makefile").read_text()
    expect(re.search(r"^  namespace: copra$", (folder / "repo.yaml").read_text(), re.M), "repo.yaml: another namespace")
    bases = [b.id for n in tree.body if isinstance(n, ast.ClassDef) for b in n.bases]
    expect(bases == ["MakefilePackage", "CudaPackage"], f"base classes: {bases}")
    for variant in ("hip", "mpi", "python"):
        expect(variant in firsts(tree, "variant"), f"no variant {variant}")
    version = re.search(r"^version: *(\S+)", (root / "CITATION.cff").read_text(), re.M).group(1)
    expect(version in firsts(tree, "version"), f"no version {version}")
    expect(assigned(tree, "url").endswith(f"/build/copra-{version}.tar.gz"), f"url: {assigned(tree, 'url')}")
    here = folder / "packages/copra/package.py"
    up = int(re.search(r"parents\[(\d+)\]", assigned(tree, "SOURCE")).group(1))
    expect(here.resolve().parents[up] == root, "SOURCE is not copra's folder")
    amd = re.search(r"^for arch in (.*); do", (root / "scripts/hip-archs.sh").read_text(), re.M).group(1).split()
    values = [c.value for call in calls(tree, "any_combination_of") for c in (a for a in call.args)]
    expect(sorted(values) == sorted(amd), f"amdgpu_target: {values}, hip-archs.sh: {amd}")
    oldest = re.search(r"foreach a,(\d+)", makefile).group(1)
    expect(f"< {oldest}:" in here.read_text(), f"the oldest GPU of the Makefile is sm_{oldest}")
    check_make(tree, makefile)
    check_dependencies(tree, (root / "scripts/setup.sh").read_text())


def check_release(recipe, url, checksum):
    text = Path(recipe).read_text()
    tree = ast.parse(text)
    keywords = [(k.arg, k.value.value) for c in calls(tree, "version") for k in c.keywords]
    expect(keywords == [("sha256", checksum)], f"checksums: {keywords}")
    expect(assigned(tree, "url") == url, f"url: {assigned(tree, 'url')}")
    expect(not re.search(r"SOURCE|pathlib|Path\(|main\", branch", text), "it refers to the sources around it")


if len(sys.argv) == 2:
    check_repository(Path(sys.argv[1]).resolve())
else:
    check_release(*sys.argv[1:])
print(*faults, sep="\n", end="\n" if faults else "")
sys.exit(bool(faults))
