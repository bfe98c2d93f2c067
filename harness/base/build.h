/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What a program was built from: release, revision, compilers and flags; and --version. */
#ifndef COPRA_BASE_BUILD_H
#define COPRA_BASE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

struct build_info {
	const char *version;  /* of the release: "2.0.0", from CITATION.cff */
	const char *revision; /* 40 hex digits, or "unknown" outside a git clone */
	bool dirty;           /* files differed from that revision */
	const char *data;     /* data folder of an installed copra, relative to its programs */
	const char *compiler; /* first line of --version */
	const char *flags;
	const char *nvcc; /* "13.0.88", or "none" */
	const char *nvcc_flags;
	const char *sanitizer; /* "none", "address,undefined", "thread" */
	bool optimised;        /* false for sanitizer and -O0 builds, whose times mean nothing */
};

/* Recorded when the program was linked, by scripts/build-info.sh. */
const struct build_info *build_info(void);

/* Hash of compiler and flags, but not of the revision. Builds with equal hashes may share cached
 * peak rates. */
uint64_t build_hash(void);

/* Whether the first argument is --version. */
bool build_version_asked(int argc, char **argv);
/* Prints "PROGRAM VERSION (revision REVISION; COMPILER; CUDA VERSION)" as one line and returns the
 * exit code. */
int build_version_print(const char *program);

#endif
