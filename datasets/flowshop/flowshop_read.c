/* The reader of both flowshop file formats. Jobs and machines are checked against the limits before
 * anything is allocated for them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "datasets/flowshop/flowshop_make.h"
#include "harness/base/text_reader.h"

/* Room for the longest row, 1000 times of 10 digits, with any usual alignment. */
enum { LINE_BYTES = 32768 };

/* The line that must be there; `what` names it where the file ends before it. */
static int needed_line(struct text_reader *r, const char *what, struct err *e)
{
	int status = text_next_line(r, e);

	if (!status && r->ended)
		return text_bad(r, e, "the file ends before %s", what);
	return status;
}

static int read_size(struct text_reader *r, const char **s, struct flowshop *f, struct err *e)
{
	int64_t jobs, machines;
	int status;

	if ((status = text_number(r, s, &jobs, "number of jobs", e)) ||
	    (status = text_number(r, s, &machines, "number of machines", e)))
		return status;
	status = flowshop_alloc(f, jobs, machines, e, "%s", text_base_name(r->path));
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

static int read_time(struct text_reader *r, const char **s, struct flowshop *f, int machine,
		     int job, int64_t *sum, struct err *e)
{
	char name[64];
	int64_t time;
	int status;

	snprintf(name, sizeof(name), "time of job %d on machine %d", job, machine);
	if ((status = text_number(r, s, &time, name, e)))
		return status;
	status = flowshop_put(f, machine, job, time, sum, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

/* Behind the line of words: numbers, "processing times :", a row a machine. */
static int read_taillard(struct text_reader *r, struct flowshop *f, struct err *e)
{
	static const char *const others[] = { "seed", "upper bound", "lower bound" };
	static const char title[] = "processing times";
	const char *s = r->text;
	int64_t unused, sum = 0;
	int status = needed_line(r, "the line of jobs and machines", e);

	if (!status)
		status = read_size(r, &s, f, e);
	for (int i = 0; i < 3 && !status; i++)
		status = text_number(r, &s, &unused, others[i], e);
	if (!status && !text_at_end(s))
		status = text_bad(r, e, "more on the line than sizes, seed and bounds");
	if (!status)
		status = needed_line(r, "the processing times", e);
	s = r->text + strspn(r->text, " \t");
	if (!status && strncasecmp(s, title, sizeof(title) - 1) != 0)
		status = text_bad(r, e, "expected the line \"%s :\"", title);
	for (int k = 0; k < f->machines && !status; k++) {
		status = needed_line(r, "the row of every machine", e);
		s = r->text;
		for (int j = 0; j < f->jobs && !status; j++)
			status = read_time(r, &s, f, k, j, &sum, e);
		if (!status && !text_at_end(s))
			status = text_bad(r, e, "more on the line than a time for every job");
	}
	return status;
}

static int read_pair(struct text_reader *r, const char **s, struct flowshop *f, int machine,
		     int job, int64_t *sum, struct err *e)
{
	int64_t index;
	int status = text_number(r, s, &index, "machine", e);

	if (!status && index != machine)
		return text_bad(r, e, "machine %" PRId64 " is out of order: expected %d", index,
				machine);
	return status ? status : read_time(r, s, f, machine, job, sum, e);
}

/* The first line is there: "jobs machines"; then a row a job of pairs "machine time". */
static int read_vfr(struct text_reader *r, struct flowshop *f, struct err *e)
{
	const char *s = r->text;
	int64_t sum = 0;
	int status = read_size(r, &s, f, e);

	if (!status && !text_at_end(s))
		status = text_bad(r, e, "more on the line than jobs and machines");
	for (int j = 0; j < f->jobs && !status; j++) {
		status = needed_line(r, "the row of every job", e);
		s = r->text;
		for (int k = 0; k < f->machines && !status; k++)
			status = read_pair(r, &s, f, k, j, &sum, e);
		if (!status && !text_at_end(s))
			status = text_bad(r, e, "more on the line than a time for every machine");
	}
	return status;
}

static int read_all(struct text_reader *r, struct flowshop *f, struct err *e)
{
	const char *s;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return err_set(e, ERR_INPUT, "%s: the file is empty", r->path);
	s = r->text + strspn(r->text, " \t");
	status = isalpha((unsigned char)*s) ? read_taillard(r, f, e) : read_vfr(r, f, e);
	if (!status)
		status = text_next_line(r, e);
	if (!status && !r->ended)
		status = text_bad(r, e, "more in the file than one instance");
	return status;
}

int flowshop_read(struct flowshop *f, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*f = (struct flowshop){ .jobs = 0 };
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, f, e);
	text_close(&r);
	if (status)
		flowshop_free(f);
	return status;
}
