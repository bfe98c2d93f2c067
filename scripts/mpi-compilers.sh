#!/usr/bin/env bash
# Prints the MPI libraries that can be compiled for, one "NAME=COMPILER" a word: openmpi, mpich.
# Environment: MPICC, the only compiler to ask.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
declare -A found
for compiler in ${MPICC:-mpicc.openmpi mpicc.mpich mpicc}; do
	command -v $compiler >/dev/null || continue
	macros=$($compiler -E -dM -include mpi.h -x c /dev/null 2>/dev/null) || continue
	case $macros in
	*"define OPEN_MPI "*) name=openmpi ;;
	*"define MPICH_VERSION "*) name=mpich ;;
	*) continue ;;
	esac
	found[$name]=${found[$name]:-$compiler}
done
for name in "${!found[@]}"; do
	printf '%s=%s ' "$name" "${found[$name]}"
done
