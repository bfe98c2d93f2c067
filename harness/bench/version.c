#include "harness/bench/version.h"

#include <stdio.h>
#include <string.h>

#include "harness/machine/environment.h"
#include "harness/base/error.h"

bool version_asked(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "--version") == 0;
}

int version_print(const char *program)
{
	const struct env_build *b = env_build();

	printf("%s %s (revision %.12s%s; %s; CUDA %s)\n", program, b->version, b->revision,
	       b->dirty ? ", modified" : "", b->compiler, b->nvcc);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "%s: cannot write to standard output\n", program);
	return err_exit_code(ERR_IO);
}
