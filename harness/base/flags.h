/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Command-line flags from a table.
 *
 * Accepted: --name=value, --name value (not for switches), and --name alone for switches, which
 * also take --name=true|false|yes|no|on|off|1|0 as Google Benchmark's do. A value is stored at
 * `base + offset`, so that a table is constant and the options belong to the caller:
 *
 *     static const struct flag flags[] = {
 *         FLAG("seed", FLAG_U64, struct options, seed, "N", "seed of the generator"),
 *         FLAG_END };
 *
 * Text values point into argv or the environment and are not copied. */
#ifndef COPRA_BASE_FLAGS_H
#define COPRA_BASE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

enum flag_type {
	FLAG_BOOL = 1, /* bool */
	FLAG_INT,      /* int64_t, any sign */
	FLAG_COUNT,    /* int64_t >= 0 */
	FLAG_BYTES,  /* int64_t or uint64_t, 1 to INT64_MAX; with K, M, G or T times powers of 1024
		      */
	FLAG_U64,    /* uint64_t */
	FLAG_REAL,   /* double, finite, >= 0 */
	FLAG_TEXT,   /* const char * */
	FLAG_LIST,   /* struct flag_list: the flag may be given several times */
	FLAG_PARSED, /* parse() is called with the value */
	FLAG_OPTIONAL, /* the same; the value may be missing (parse() gets "") and is never the next
			  argument */
};

enum { FLAG_LIST_MAX = 32 };
struct flag_list {
	int count;
	const char *values[FLAG_LIST_MAX];
};

struct flag {
	const char *name; /* without the dashes */
	enum flag_type type;
	size_t offset;           /* of the value in the caller's options structure */
	const char *argument;    /* "N", "FILE", "a|b|c"; NULL for a switch */
	const char *help;        /* one line */
	const char *environment; /* variable that gives the default, or NULL */
	int (*parse)(void *value, const char *text, struct err *e); /* FLAG_PARSED */
};

#define FLAG(name_, type_, options, member, argument_, help_)                                      \
	{                                                                                          \
		.name = name_, .type = type_, .offset = offsetof(options, member),                 \
		.argument = argument_, .help = help_                                               \
	}
#define FLAG_ENV(name_, type_, options, member, argument_, help_, environment_)                    \
	{                                                                                          \
		.name = name_, .type = type_, .offset = offsetof(options, member),                 \
		.argument = argument_, .help = help_, .environment = environment_                  \
	}
#define FLAG_END                                                                                   \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/* Applies the environment variables of the tables, then the arguments argv[0..argc-1] (without the
 * program name). `tables` is a NULL-terminated list, searched in order. *help is set if --help or
 * -h is among the arguments; the others are then ignored. ERR_USAGE names the flag. */
int flags_parse(const struct flag *const *tables, void *base, int argc, char **argv, bool *help,
		struct err *e);

/* Prints one aligned line per flag. */
void flags_print(FILE *out, const struct flag *table);

/* Parses a value as the flag does and stores it at base + f->offset. The error does not name the
 * flag. */
int flag_store(const struct flag *f, void *base, const char *text, struct err *e);

/* Parse a single value, for other parsers. The whole text must be valid. */
int flag_parse_int(int64_t *out, const char *text, struct err *e);
int flag_parse_real(double *out, const char *text, struct err *e);
int flag_parse_bool(bool *out, const char *text, struct err *e);

/* Sets *choice to the index of `text` in `words`, a NULL-terminated list, or to 0, the default, if
 * `text` is NULL. ERR_USAGE names the flag and the words. */
int flag_choose(int *choice, const char *flag, const char *text, const char *const *words,
		struct err *e);

/* A flag that may have been given although the run would ignore it. */
struct flag_refusal {
	bool refused; /* true if it was given and has no meaning here */
	const char *flag, *why;
};

/* ERR_USAGE "--flag: why" for the first refused flag of an array. */
int flags_refuse(const struct flag_refusal *list, size_t count, struct err *e);
#define FLAGS_REFUSE(list, e) flags_refuse(list, sizeof(list) / sizeof((list)[0]), e)

#endif
