#!/usr/bin/env bash
# The Spack recipe agrees with the Makefile, the version and the packages of setup.sh. With
# COPRA_TEST_EXTENDED=1 and spack (0.23 or later) on PATH, Spack audits, installs and tests it, with the
# libraries of the system. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
repository=$root/scripts/spack/spack_repo/copra
recipe=$repository/packages/copra/package.py
compare=$root/tests/cli/spack_recipe.py
export PYTHONDONTWRITEBYTECODE=1
check "the recipe agrees with the sources" python3 "$compare" "$root"
version=$(sed -n 's/^version: *//p' "$root/CITATION.cff")

# ---- the recipe of a release ----
release=$root/scripts/spack/release.sh
url=https://example.org/copra-$version.tar.gz
echo tarball >some.tar.gz
sum=$(sha256sum <some.tar.gz)
check "release.sh writes a repository" exits 0 "$release" some.tar.gz "$url" released
check "... and prints its folder" grep -qx "$PWD/released/spack_repo/copra\|released/spack_repo/copra" out.txt
check "... with the URL and the checksum" python3 "$compare" released/spack_repo/copra/packages/copra/package.py "$url" "${sum%% *}"
release_refuses() { # words of the line, arguments...
	local words=$1
	shift
	check "release.sh $* is refused" exits 2 "$release" "$@"
	check "... in one line: $words" one_line "$words"
}
release_refuses "released exists" some.tar.gz "$url" released
release_refuses "no file none.tar.gz" none.tar.gz "$url" new
release_refuses "not a URL that ends in" some.tar.gz https://example.org/copra-0.1.tar.gz new
release_refuses "cannot hold" some.tar.gz "https://example.org/a|b/copra-$version.tar.gz" new
release_refuses "usage: release.sh" some.tar.gz

# ---- MPICC, which the recipe sets; without the settings of a make that runs this test ----
check "MPICC that is no MPI compiler is refused" exits 2 env -u MAKEFLAGS make -s -C "$root" CUDA=0 MPICC=false config
check "... in one line" one_line "MPICC=false compiles for neither OpenMPI nor MPICH"
if command -v mpicc.mpich >/dev/null; then
	check "MPICC chooses one library" exits 0 env -u MAKEFLAGS make -s -C "$root" CUDA=0 MPICC=mpicc.mpich config
	check "... and no other" grep -qE '^  MPI +mpich=mpicc.mpich *$' out.txt
fi

# ---- Spack itself ----
if [ -z "${COPRA_TEST_EXTENDED:-}" ] || ! command -v spack >/dev/null; then
	exit "$failed"
fi
export SPACK_USER_CONFIG_PATH=$work/config SPACK_USER_CACHE_PATH=$work/cache SPACK_SYSTEM_CONFIG_PATH=$work/none
mkdir -p config
cat >config/config.yaml <<CONFIG
config:
  install_tree: {root: $work/store}
  build_stage: [$work/stage]
  test_stage: $work/tested
  source_cache: $work/sources
  build_jobs: 2
CONFIG
external() { # name in Spack, version
	echo "  $1: {buildable: false, externals: [{spec: '$1@$2', prefix: /usr}]}"
}
{
	echo "packages:"
	external jansson "$(pkg-config --modversion jansson)"
	external pkgconf "$(pkg-config --version)"
	external gmake "$(make --version | sed -n '1s/.* //p')"
	external python "$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
	command -v mpicc.openmpi >/dev/null && external openmpi "$(ompi_info --version | sed -n '1s/.* v//p')"
} >config/packages.yaml
mpi=~mpi
command -v mpicc.openmpi >/dev/null && mpi="+mpi ^openmpi"
spec="copra@$version +python $mpi"
check "spack repo add" exits 0 spack repo add "$repository"
check "spack audit finds no fault" exits 0 spack audit packages copra
for bad in "+cuda" "+cuda cuda_arch=70" "+hip"; do
	check "spack refuses copra $bad" bash -c '! spack spec copra '"$bad"' >out.txt 2>&1 && grep -qE "name the GPUs|75 or newer" out.txt'
done
if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then
	check "make dist" exits 0 make -s -C "$root" CUDA=0 BUILD="$work" dist
	check "release.sh" exits 0 "$release" "copra-$version.tar.gz" "file://$work/copra-$version.tar.gz" dist
	check "spack repo remove" exits 0 spack repo remove copra
	check "spack repo add of the release" exits 0 spack repo add "$work/dist/spack_repo/copra"
	check "spack install $spec, with the checksum" exits 0 spack install $spec
	check "spack test run" exits 0 spack test run copra
	check "all its tests passed" grep -qE "PASSED: Copra::test_python|1 passed of 1 spec" out.txt
	check "spack uninstall" exits 0 spack uninstall -y copra
	echo changed >>"copra-$version.tar.gz"
	rm -rf sources stage
	check "another tarball is refused by its checksum" bash -c '! spack fetch '"copra@$version"' >out.txt 2>&1 && grep -qi "checksum failed" out.txt'
fi
exit "$failed"
