#!/usr/bin/env bash
# Installs missing packages with apt when run as root; otherwise prints the command that installs them.
# The exit code is non-zero only if a package that the build requires is missing.
# usage: setup.sh          (environment: SETUP=0 does nothing; HIP=1 includes the compiler for AMD GPUs)
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
[ "${SETUP:-1}" = 0 ] && exit 0

# name : command that succeeds if it is installed : Debian package : needed|wanted
wants() {
	cat <<'LIST'
C compiler:command -v gcc:gcc:needed
C++ compiler (kernels on the host):command -v g++:g++:needed
C library headers:test -e /usr/include/stdio.h:libc6-dev:needed
pkg-config:command -v pkg-config:pkg-config:wanted
jansson (JSON; JANSSON_PREFIX names its folder):gcc -I"$JANSSON_PREFIX/include" -E -include jansson.h - </dev/null:libjansson-dev:needed
cmocka (tests):pkg-config --exists cmocka:libcmocka-dev:wanted
gnuplot (plots):command -v gnuplot:gnuplot-nox:wanted
sqlite3 (index of the history):command -v sqlite3:sqlite3:wanted
hyperfine (whole-process times):command -v hyperfine:hyperfine:wanted
jq (JSON in scripts):command -v jq:jq:wanted
clang-format (make format):command -v clang-format:clang-format:wanted
python3 (command-line tests):command -v python3:python3:wanted
faketime (tests with clocks that differ):command -v faketime:faketime:wanted
compare.py (a consumer the tests use):test -e /usr/share/benchmark/compare.py:libbenchmark-tools:wanted
OpenMPI (searches on several nodes):command -v mpicc.openmpi && command -v mpirun.openmpi:libopenmpi-dev openmpi-bin:wanted
MPICH (the same):command -v mpicc.mpich && command -v mpirun.mpich:libmpich-dev mpich:wanted
SimGrid (simulated clusters):command -v smpicc && command -v smpirun:libsimgrid-dev:wanted
scipy (compare.py needs it):/usr/bin/python3 -c 'import scipy':python3-scipy:wanted
LIST
	[ "${HIP:-0}" = 1 ] || return 0
	echo 'HIP (AMD GPUs):hipcc -x hip --offload-arch=gfx90a --cuda-device-only -include hip/hip_runtime.h -c -o /dev/null /dev/null:hipcc rocm-device-libs libamdhip64-dev lld-15:wanted'
}

missing_packages=()
missing_needed=()
missing_names=()
scan() {
	missing_packages=() missing_needed=() missing_names=()
	local what probe package kind
	while IFS=: read -r what probe package kind; do
		if ! bash -c "$probe" >/dev/null 2>&1; then
			read -ra packages <<<"$package"
			missing_packages+=("${packages[@]}")
			missing_names+=("$what")
			[ "$kind" = needed ] && missing_needed+=("$what")
		fi
	done < <(wants)
}

verdict() {
	if [ ${#missing_needed[@]} -gt 0 ]; then
		printf 'setup: cannot build without: %s\n' "${missing_needed[*]}" >&2
		exit 1
	fi
	local name
	for name in "${missing_names[@]}"; do
		printf 'setup: not found, its feature is disabled: %s\n' "$name"
	done
	exit 0
}

scan
[ ${#missing_packages[@]} -eq 0 ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "setup: no apt-get here; install by hand: ${missing_packages[*]}"
	verdict
fi
get() { # apt-get with short time-outs, for machines without a network
	apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@"
}
install="install -y --no-install-recommends ${missing_packages[*]}"
if [ "$(id -u)" -ne 0 ]; then
	echo "setup: some packages are missing. Run:  sudo apt-get $install"
	verdict
fi
echo "setup: apt-get $install"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# if one package is not in this release, install the others
if ! { get update && get $install; } >"$log" 2>&1; then
	for package in "${missing_packages[@]}"; do
		get install -y --no-install-recommends "$package" >>"$log" 2>&1 ||
			echo "setup: could not install $package: $(grep -E '^E:' "$log" | tail -n 1)"
	done
fi
rm -f "$log"
scan
verdict
