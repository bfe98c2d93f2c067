#include "harness/report/results.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/results_private.h"
#include "harness/report/text.h"

/* Largest first: rows of a larger scale stand for those of a smaller one. The last are toys, which
 * count only where there is nothing else. */
static const char *const scales[] = { "paper", "quick", "smoke" };
enum { SCALES = sizeof(scales) / sizeof(scales[0]), TOYS = SCALES - 1 };

static int new_set(struct results *r, const char *target, const char *machine, bool recorded,
		   struct err *e)
{
	int status = array_grow((void **)&r->set, r->sets, sizeof(*r->set), e);
	if (status)
		return status;
	struct result_set *set = &r->set[r->sets];
	*set = (struct result_set){ .recorded = recorded };
	r->sets++;
	status = text_copy(&set->target, target, e);
	return status ? status : text_copy(&set->machine, machine, e);
}

/* Reads one kind of file of a set; what is wrong with it becomes a problem. */
static int read_one(struct results *r, const char *path, const char *scale,
		    int (*read)(struct result_set *, const char *, const char *, struct err *),
		    struct err *e)
{
	struct err problem = { 0 };
	if (access(path, F_OK) != 0)
		return 0;
	int status = read(&r->set[r->sets - 1], path, scale, &problem);
	if (status == ERR_MEMORY)
		return err_set(e, ERR_MEMORY, "%s", problem.text);
	return status ? problems_add(&r->problems, problem.text, e) : 0;
}

static int read_set(struct results *r, const char *folder, struct err *e)
{
	char path[PATH_MAX];
	int status = 0;
	for (size_t i = 0; i < SCALES && !status; i++) {
		if (i == TOYS && r->set[r->sets - 1].benches)
			break;
		status = text_path(path, e, "%s/%s/bench.json", folder, scales[i]);
		if (!status)
			status = read_one(r, path, scales[i], results_read_rows, e);
		if (!status)
			status = text_path(path, e, "%s/%s/bench.skipped.json", folder, scales[i]);
		if (!status)
			status = read_one(r, path, scales[i], results_read_skips, e);
	}
	if (!status)
		status = text_path(path, e, "%s/comparators.json", folder);
	if (!status)
		status = read_one(r, path, "comparators", results_read_rows, e);
	if (!status)
		status = text_path(path, e, "%s/process.json", folder);
	if (!status)
		status = read_one(r, path, "process", results_read_rows, e);
	if (!status)
		status = text_path(path, e, "%s/../ceilings.json", folder);
	return status ? status : read_one(r, path, "", results_read_ceilings, e);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int load_target(struct results *r, const char *folder, const char *machine,
		       const char *target, bool recorded, struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s/%s", folder, machine, target);
	if (!status)
		status = new_set(r, target, machine, recorded, e);
	if (!status)
		status = read_set(r, path, e);
	return status;
}

/* Every <folder>/<machine>/<target>. */
static int load_origin(struct results *r, const char *folder, bool recorded, struct err *e)
{
	struct dirent **machines, **targets;
	int status = 0, count = scandir(folder, &machines, visible, alphasort);
	for (int m = 0; m < count; m++) {
		char path[PATH_MAX];
		if (!status)
			status = text_path(path, e, "%s/%s", folder, machines[m]->d_name);
		int inner = status ? -1 : scandir(path, &targets, visible, alphasort);
		for (int t = 0; t < inner; t++) {
			if (!status)
				status = load_target(r, folder, machines[m]->d_name,
						     targets[t]->d_name, recorded, e);
			free(targets[t]);
		}
		if (inner >= 0)
			free(targets);
		free(machines[m]);
	}
	if (count >= 0)
		free(machines);
	return status;
}

static void free_bench(struct result_bench *b)
{
	for (size_t i = 0; i < b->counters; i++) {
		free(b->counter[i].name);
		free(b->counter[i].values);
	}
	free(b->counter);
	free(b->seconds);
	free(b->name);
	free(b->label);
}

static void free_file(struct result_file *f)
{
	for (size_t i = 0; i < f->facts; i++) {
		free(f->fact[i].name);
		free(f->fact[i].value);
	}
	free(f->fact);
	free(f->path);
	free(f->scale);
	free(f->date);
}

static void free_set(struct result_set *s)
{
	for (size_t i = 0; i < s->benches; i++)
		free_bench(&s->bench[i]);
	for (size_t i = 0; i < s->files; i++)
		free_file(&s->file[i]);
	free_file(&s->ceilings);
	for (size_t i = 0; i < s->skips; i++) {
		free(s->skip[i].name);
		free(s->skip[i].message);
	}
	free(s->bench);
	free(s->file);
	free(s->skip);
	free(s->target);
	free(s->machine);
}

/* Folders that hold no results (local/report, say) leave no set behind. */
static void drop_empty(struct results *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->sets; i++) {
		if (r->set[i].benches || r->set[i].skips)
			r->set[kept++] = r->set[i];
		else
			free_set(&r->set[i]);
	}
	r->sets = kept;
}

static int by_target(const void *a, const void *b)
{
	const struct result_set *x = a, *y = b;
	int order = strcmp(x->target, y->target);
	if (!order)
		order = (int)x->recorded - (int)y->recorded;
	return order ? order : strcmp(x->machine, y->machine);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct result_bench *)a)->name,
		      ((const struct result_bench *)b)->name);
}

static int load(struct results *r, const char *folder, bool here, struct err *e)
{
	static const char *const origins[] = { "local", "recorded" };
	*r = (struct results){ 0 };
	int status = 0;
	for (size_t i = here ? 0 : 1; i < 2 && !status; i++) {
		char path[PATH_MAX];
		status = text_path(path, e, "%s/%s", folder, origins[i]);
		if (!status)
			status = load_origin(r, path, i == 1, e);
	}
	if (status) {
		results_free(r);
		return status;
	}
	drop_empty(r);
	if (r->sets)
		qsort(r->set, r->sets, sizeof(*r->set), by_target);
	for (size_t i = 0; i < r->sets; i++)
		if (r->set[i].benches)
			qsort(r->set[i].bench, r->set[i].benches, sizeof(*r->set[i].bench),
			      by_name);
	return 0;
}

int results_load(struct results *r, const char *folder, struct err *e)
{
	return load(r, folder, true, e);
}

int results_load_recorded(struct results *r, const char *folder, struct err *e)
{
	return load(r, folder, false, e);
}

void results_free(struct results *r)
{
	for (size_t i = 0; i < r->sets; i++)
		free_set(&r->set[i]);
	problems_free(&r->problems);
	free(r->set);
	*r = (struct results){ 0 };
}

const double *result_values(const struct result_bench *b, const char *counter)
{
	if (!*counter)
		return b->seconds;
	for (size_t i = 0; i < b->counters; i++)
		if (!strcmp(b->counter[i].name, counter))
			return b->counter[i].values;
	return NULL;
}

const char *result_fact(const struct result_file *f, const char *name)
{
	for (size_t i = 0; i < f->facts; i++)
		if (!strcmp(f->fact[i].name, name))
			return f->fact[i].value;
	return NULL;
}

long results_gpus(const struct result_set *set)
{
	long most = 0;
	for (size_t i = 0; i < set->files; i++) {
		const char *told = result_fact(&set->file[i], "copra_gpus");
		if (!told)
			told = result_fact(&set->file[i], "gpu_count");
		long count = told ? strtol(told, NULL, 10) : 0;
		most = count > most ? count : most;
	}
	return most;
}
