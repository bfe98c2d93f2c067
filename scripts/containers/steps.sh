#!/bin/sh
# The steps of the two container files, Dockerfile and copra.def, which tests/cli/test_containers.sh also
# runs in a chroot. They need Debian or Ubuntu and run as root.
# usage: steps.sh build   in the first stage, in the unpacked tarball: installs compilers with apt-get, builds,
#                         solves nine instances with known answers, and installs copra in /stage
#        steps.sh run     in the second stage, to which /stage was copied: installs what the programs need
# Settings, from the environment:
#   MARCH       the processor to compile for, as for gcc's -march. default: x86-64-v3 on x86-64, which has AVX2;
#               elsewhere that of the compiler. The machine that builds must run its code
#   WITH_MPI    the MPI libraries for searches on several nodes: openmpi (default), mpich, both or nothing
#   MAKE_FLAGS  further arguments of make, such as CUDA=0
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu

install_packages() {
	command -v apt-get >/dev/null || {
		echo "steps: the base image has no apt-get: it must be Debian, Ubuntu or made from them" >&2
		exit 2
	}
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update
	apt-get -qy install --no-install-recommends "$@"
	rm -rf /var/lib/apt/lists/*
}
mpi_packages() { # what to print for openmpi, for mpich
	for library in ${WITH_MPI-openmpi}; do
		case $library in
		openmpi) echo "$1" ;;
		mpich) echo "$2" ;;
		*) echo "steps: WITH_MPI must be openmpi, mpich, both or nothing, not '$library'" >&2 && exit 2 ;;
		esac
	done
}

build() {
	mpi=$(mpi_packages libopenmpi-dev libmpich-dev)
	cd "$(dirname "$0")/../.."
	# shellcheck disable=SC2086 # words
	install_packages gcc g++ make libc6-dev pkg-config libjansson-dev $mpi
	march=${MARCH:-default}
	[ "$march" != default ] || case $(uname -m) in x86_64) march=x86-64-v3 ;; *) march='' ;; esac
	eval "set -- ${MAKE_FLAGS:-}"
	set -- SETUP=0 NATIVE=0 ${march:+"CFLAGS=-march=$march" "CXXFLAGS=-march=$march"} "$@"
	make -j"$(nproc)" "$@" all lib man
	scripts/kick-the-tires.sh
	make "$@" install DESTDIR=/stage
	install scripts/containers/steps.sh /stage/usr/local/share/copra/scripts/
}

run() {
	mpi=$(mpi_packages openmpi-bin mpich)
	# shellcheck disable=SC2086 # words
	install_packages libjansson4 libgomp1 libstdc++6 jq gnuplot-nox hyperfine $mpi
	ldconfig
	copra solve 8Q | grep -q '^objective *92$' || {
		echo "steps: copra does not count 8 queens here; is this the distribution that it was built on?" >&2
		exit 1
	}
}

case ${1:-} in
build | run) "$1" ;;
*) sed -n '4,6s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
