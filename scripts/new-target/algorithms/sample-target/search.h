/* The search: all assignments, by any variant. */
#ifndef COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SEARCH_H
#define COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SEARCH_H

#include <signal.h>
#include <stdbool.h>

#include "datasets/sample_target/sample_target.h"
#include "harness/device/device.h"
#include "harness/bench/solve.h"
#include "kernels/sample-target/assignment.h"

struct sample_target_request {
	const struct sample_target_instance *instance;
	enum solve_variant variant;
	int threads;                   /* cpu: >= 1 */
	const struct dev_set *devices; /* published, tuned */
	int gpus;                      /* so many of them; 0: all */
	double time_limit;             /* seconds, 0: none */
	const volatile sig_atomic_t *stop;
};

struct sample_target_answer {
	int64_t difference;
	int64_t heap[SAMPLE_TARGET_MAX]; /* 0 or 1 for each number */
	double tried;                    /* assignments */
	bool complete;                   /* all of them */
	double seconds;
};

/* ERR_LIMIT: stopped, *a has the best so far. */
int sample_target_search(const struct sample_target_request *r, struct sample_target_answer *a,
			 struct err *e);

/* ---- between search.c and the variants ---- */

/* The work of a search: parts are taken until there are none or it is time to stop. */
struct sample_target_work {
	struct sample_target_numbers numbers;
	uint64_t next, end; /* assignments not handed out yet */
	double deadline;    /* 0: none */
	const volatile sig_atomic_t *stop;
};

/* At most `size` assignments from *from to *to - 1; false: no more. */
bool sample_target_take(struct sample_target_work *w, uint64_t size, uint64_t *from, uint64_t *to);

int sample_target_on_cores(struct sample_target_work *w, int threads, uint64_t *best,
			   struct err *e);
/* per_thread: assignments that a thread of the GPU tries. */
int sample_target_on_devices(struct sample_target_work *w, const struct dev_set *set, int gpus,
			     uint64_t per_thread, uint64_t *best, struct err *e);

#endif
