#include "datasets/flowshop/flowshop.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "datasets/flowshop/flowshop_make.h"

int flowshop_alloc(struct flowshop *f, int64_t jobs, int64_t machines, struct err *e,
		   const char *format, ...)
{
	va_list ap;

	*f = (struct flowshop){ .jobs = 0 };
	if (jobs < 1 || jobs > FLOWSHOP_MAX_JOBS)
		return err_set(e, ERR_INPUT, "number of jobs %" PRId64 " is not in 1..%d", jobs,
			       FLOWSHOP_MAX_JOBS);
	if (machines < 1 || machines > FLOWSHOP_MAX_MACHINES)
		return err_set(e, ERR_INPUT, "number of machines %" PRId64 " is not in 1..%d",
			       machines, FLOWSHOP_MAX_MACHINES);
	f->time = calloc((size_t)(jobs * machines), sizeof(*f->time));
	if (!f->time)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " x %" PRId64 " times", jobs,
			       machines);
	f->jobs = (int)jobs;
	f->machines = (int)machines;
	va_start(ap, format);
	vsnprintf(f->name, sizeof(f->name), format, ap);
	va_end(ap);
	return 0;
}

int flowshop_add_time(int64_t time, int64_t *sum, struct err *e)
{
	if (time > INT32_MAX)
		return err_set(e, ERR_INPUT, "a time does not fit in 31 bits");
	*sum += time;
	if (*sum > INT32_MAX)
		return err_set(e, ERR_INPUT, "the sum of the times does not fit in 31 bits");
	return 0;
}

int flowshop_put(struct flowshop *f, int machine, int job, int64_t time, int64_t *sum,
		 struct err *e)
{
	int status = flowshop_add_time(time, sum, e);

	if (!status)
		f->time[machine * f->jobs + job] = (int32_t)time;
	return status;
}

void flowshop_free(struct flowshop *f)
{
	free(f->time);
	*f = (struct flowshop){ .jobs = 0 };
}

uint64_t flowshop_hash(const struct flowshop *f)
{
	size_t count = (size_t)f->jobs * (size_t)f->machines;
	uint64_t h = hash_u64(HASH_INIT, (uint64_t)f->jobs);

	h = hash_u64(h, (uint64_t)f->machines);
	return hash_bytes(h, f->time, count * sizeof(*f->time));
}

static int load_known(struct flowshop *f, const struct flowshop_known *known, struct err *e)
{
	int status = flowshop_taillard(f, known->jobs, known->machines, known->seed, e);

	if (!status)
		snprintf(f->name, sizeof(f->name), "%s", known->name);
	return status;
}

static const char taillard_prefix[] = "taillard:", random_prefix[] = "random:";

/* What follows the prefix, or NULL. */
static const char *behind(const char *prefix, const char *name)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

bool flowshop_is_name(const char *name)
{
	return flowshop_known(name) || behind(taillard_prefix, name) || behind(random_prefix, name);
}

int flowshop_load(struct flowshop *f, const char *name_or_file, struct err *e)
{
	const struct flowshop_known *known = flowshop_known(name_or_file);
	const char *parameters;

	*f = (struct flowshop){ 0 };
	if (known)
		return load_known(f, known, e);
	if ((parameters = behind(taillard_prefix, name_or_file)))
		return flowshop_taillard_named(f, parameters, e);
	if ((parameters = behind(random_prefix, name_or_file)))
		return flowshop_random(f, parameters, e);
	return flowshop_read(f, name_or_file, e);
}

const char *const flowshop_format_words[] = { "auto", "jobs-by-machines", "machines-by-jobs",
					      NULL };

int flowshop_load_as(struct flowshop *f, const char *name_or_file, enum flowshop_format format,
		     struct err *e)
{
	if (format == FLOWSHOP_AUTO)
		return flowshop_load(f, name_or_file, e);
	*f = (struct flowshop){ 0 };
	if (flowshop_is_name(name_or_file))
		return err_set(e, ERR_USAGE, "--format %s: %s is a known instance, not a file",
			       flowshop_format_words[format], name_or_file);
	return flowshop_read_matrix(f, name_or_file, format, e);
}

void flowshop_print(const struct flowshop *f, FILE *s)
{
	const struct flowshop_known *known = flowshop_known(f->name);

	fprintf(s,
		"number of jobs, number of machines, initial seed, upper bound and lower "
		"bound :\n"
		"%d %d %d %d %d\nprocessing times :\n",
		f->jobs, f->machines, known ? known->seed : 0, known ? known->upper : 0,
		known ? known->lower : 0);
	for (int k = 0; k < f->machines; k++)
		for (int j = 0; j < f->jobs; j++)
			fprintf(s, "%" PRId32 "%c", f->time[k * f->jobs + j],
				j + 1 < f->jobs ? ' ' : '\n');
}

int flowshop_write(const struct flowshop *f, const char *path, struct err *e)
{
	struct outfile *out;
	int status = outfile_open(&out, path, e);

	if (status)
		return status;
	flowshop_print(f, outfile_stream(out));
	return outfile_commit(out, e);
}
