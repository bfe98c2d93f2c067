/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Errors: a code and one line of text, passed by value to the caller.
 *
 * Functions that can fail return 0 or a negative ERR_ code and, when the caller passed a non-NULL
 * `struct err *`, leave one line of text in it. Nothing below main() prints an error or exits. */
#ifndef COPRA_BASE_ERROR_H
#define COPRA_BASE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum err_code {
	ERR_OK = 0,
	ERR_FAILED = -1,      /* the work failed, or its result is wrong            -> exit 1 */
	ERR_USAGE = -2,       /* an impossible flag or combination of flags         -> exit 2 */
	ERR_INPUT = -3,       /* a malformed or unreadable input file               -> exit 2 */
	ERR_LIMIT = -4,       /* stopped at a limit or by SIGINT, result so far valid -> exit 3 */
	ERR_DEVICE = -5,      /* the requested device is not available              -> exit 4 */
	ERR_MEMORY = -6,      /* not enough host or device memory                   -> exit 1 */
	ERR_IO = -7,          /* an output could not be written (full disk, ...)    -> exit 1 */
	ERR_UNSUPPORTED = -8, /* this machine or build lacks what is needed         -> exit 4 */
};

struct err {
	int code;
	char text[512];
};

/* Sets *e (if not NULL) and returns `code`, so that `return err_set(e, ERR_INPUT, ...)` reads well.
 * The text is one line, without a final newline; longer text is cut. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text already in *e; returns e's code. */
int err_prefix(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Combines the results of several threads or devices. Returns `status`, the result so far, unless
 * `other` takes precedence; then returns `other` with its text in *e. A failure takes precedence
 * over ERR_LIMIT, because a thread also returns ERR_LIMIT when another one failed. Otherwise the
 * first error is kept. */
int err_merge(int status, int other, const struct err *text, struct err *e);

/* The process exit code for a status: 0, 1, 2, 3 or 4 as listed above. */
int err_exit_code(int code);

#ifdef __cplusplus
}
#endif
#endif
