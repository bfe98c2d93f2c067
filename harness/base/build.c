/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/build.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"

uint64_t build_hash(void)
{
	const struct build_info *b = build_info();
	uint64_t h = hash_text(HASH_INIT, b->compiler);

	h = hash_text(h, b->flags);
	h = hash_text(h, b->nvcc);
	return hash_text(h, b->nvcc_flags);
}

bool build_version_asked(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "--version") == 0;
}

int build_version_print(const char *program)
{
	const struct build_info *b = build_info();

	printf("%s %s (revision %.12s%s; %s; CUDA %s)\n", program, b->version, b->revision,
	       b->dirty ? ", modified" : "", b->compiler, b->nvcc);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "%s: cannot write to standard output\n", program);
	return err_exit_code(ERR_IO);
}
