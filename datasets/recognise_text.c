/* What a recognised file is called in messages. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "datasets/flowshop/flowshop.h"
#include "datasets/recognise.h"

__attribute__((format(printf, 2, 3))) static void append(char text[RECOGNISE_TEXT],
							 const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, RECOGNISE_TEXT - used, format, ap);
	va_end(ap);
}

static bool has(const struct recognised *r, enum file_form form)
{
	return r->forms >> form & 1;
}

static void describe_sized(const struct recognised *r, const char *unit, char text[RECOGNISE_TEXT])
{
	if (has(r, FORM_MATRIX))
		append(text, "one of %" PRId64 " x %" PRId64, r->sized.rows, r->sized.columns);
	else
		append(text, "a plain matrix of %" PRId64 " x %" PRId64 " %s", r->sized.rows,
		       r->sized.columns, unit);
	append(text, " with its size in %sthe first line", r->reverse ? "reverse order in " : "");
}

void recognise_describe(const struct recognised *r, const char *unit, char text[RECOGNISE_TEXT])
{
	const char *last = "";

	text[0] = '\0';
	for (int i = 0; i < FORMS; i++) {
		if (!has(r, (enum file_form)i) || strcmp(r->form[i].what, last) == 0)
			continue;
		if (*last)
			append(text, " or ");
		last = r->form[i].what;
		if (i == FORM_SIZED_MATRIX)
			describe_sized(r, unit, text);
		else
			append(text, "%s", last);
		if (i == FORM_MATRIX)
			append(text, " of %" PRId64 " x %" PRId64 " %s", r->matrix.rows,
			       r->matrix.columns, unit);
	}
}

static bool fits(int64_t jobs, int64_t machines)
{
	return jobs <= FLOWSHOP_MAX_JOBS && machines <= FLOWSHOP_MAX_MACHINES;
}

void recognise_advise(const struct recognised *r, const char *call, char text[RECOGNISE_TEXT])
{
	bool sized = has(r, FORM_SIZED_MATRIX), plain = has(r, FORM_MATRIX);
	struct recognised_size size = sized ? r->sized : r->matrix;
	bool by_job = fits(size.rows, size.columns), by_machine = fits(size.columns, size.rows);

	text[0] = '\0';
	if (!by_job && !by_machine) {
		append(text, "it is too large for a flowshop");
		return;
	}
	append(text, "%s --format %s", call,
	       flowshop_format_words[by_job ? FLOWSHOP_JOBS_BY_MACHINES :
					      FLOWSHOP_MACHINES_BY_JOBS]);
	if (by_job && by_machine)
		append(text, " or --format %s", flowshop_format_words[FLOWSHOP_MACHINES_BY_JOBS]);
	if (sized && plain && !r->reverse)
		append(text, ", which reads the first line as the size");
	else if (sized && !plain && r->reverse)
		append(text, " after correcting the first line");
}

static bool is_square(const struct recognised *r, enum file_form form, struct recognised_size size)
{
	return has(r, form) && size.rows == size.columns;
}

const char *recognise_atsp_advice(const struct recognised *r)
{
	if (is_square(r, FORM_SIZED_MATRIX, r->sized))
		return "an ATSP file needs the TSPLIB header instead of the first line (see "
		       "docs/SOLVE.md)";
	if (is_square(r, FORM_MATRIX, r->matrix))
		return "an ATSP file needs the TSPLIB header above the matrix (see docs/SOLVE.md)";
	return NULL;
}
