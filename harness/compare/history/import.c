#include "harness/compare/history/import.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/history.h"
#include "harness/report/data/results.h"

static const char *fact(const struct result_file *f, const char *name)
{
	const char *value = result_fact(f, name);

	return value ? value : "";
}

void import_run(struct history_run *run, const struct result_file *f)
{
	*run = (struct history_run){
		.date = f->date,
		.commit = fact(f, "copra_revision"),
		.dirty = strcmp(fact(f, "copra_dirty"), "1") == 0,
		.machine = fact(f, "copra_machine"),
		.host = fact(f, "host_name"),
		.build = fact(f, "copra_build"),
		.compiler = fact(f, "compiler"),
		.driver = fact(f, "gpu_driver"),
		.scale = fact(f, "copra_scale"),
		.device = fact(f, "copra_device"),
		.threads = atoi(fact(f, "copra_threads")),
	};
}

static int append(const char *history, const struct result_set *set, const char *source,
		  const char *sampling, size_t *added, struct err *e)
{
	struct history_bench *bench = calloc(set->benches + 1, sizeof(*bench));
	const char *sanitizer = fact(&set->file[0], "sanitizer");
	struct history_run run;
	size_t count = 0;
	int status;

	if (!bench)
		return err_set(e, ERR_MEMORY, "out of memory");
	import_run(&run, &set->file[0]);
	run.source = source;
	run.sampling = sampling;
	for (size_t i = 0; i < set->benches; i++) {
		const struct result_bench *b = &set->bench[i];
		bool timed = true;

		for (size_t k = 0; k < b->runs; k++)
			timed = timed && b->seconds[k] > 0;
		if (timed)
			bench[count++] = (struct history_bench){ b->name, b->seconds, b->runs };
	}
	status = *sanitizer && strcmp(sanitizer, "none") != 0 ?
			 err_set(e, ERR_INPUT, "%s: times of a build with sanitizers mean nothing",
				 set->file[0].path) :
			 history_append(history, &run, bench, count, added, e);
	free(bench);
	return status;
}

int import_file(const char *history, const char *path, const char *source, const char *sampling,
		size_t *added, struct err *e)
{
	struct results all = { .sets = 1, .set = calloc(1, sizeof(*all.set)) };
	int status;

	*added = 0;
	if (!all.set)
		return err_set(e, ERR_MEMORY, "out of memory");
	status = results_read_rows(all.set, path, "", e);
	if (status == 0)
		status = append(history, all.set, source, sampling, added, e);
	results_free(&all);
	return status;
}
