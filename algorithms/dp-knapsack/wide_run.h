/* Private to wide*.c: passes over one device's memory. */
#ifndef COPRA_DP_KNAPSACK_WIDE_RUN_H
#define COPRA_DP_KNAPSACK_WIDE_RUN_H

#include "algorithms/dp-knapsack/pacing.h"
#include "algorithms/dp-knapsack/plan.h"

/* What one solve knows throughout. */
struct wide_solve {
	const struct kp_request *request;
	struct kp_plan plan; /* items by ascending weight */
	size_t cell;         /* bytes of a value of f: 4 or 8 */
	double deadline;
	double cells_done, bytes_floor;
	int64_t memory; /* device bytes allocated */
};

/* f over the plan's items [first, first + count) is wanted for capacities [low, capacity]. */
struct wide_problem {
	int64_t first, count, capacity, low;
};

/* One or two items at once. Cells [live, hi] hold their values afterwards, of which [lo, hi] may
 * change; before, [.., top] are stored, all above are worth `full`. */
struct wide_pass {
	int64_t item;
	int items;
	int64_t live, lo, hi, top, full;
	bool alternate; /* better from one array to the other than in place */
	int64_t bits;   /* first word of its decision bits */
	int64_t bits_first, bits_row;
};

struct wide_passes {
	struct wide_pass *pass;
	int64_t count;
	int64_t bits_words;   /* decision bits of all */
	int64_t spare_wanted; /* cells of the second array: all passes that are better with it... */
	int64_t spare_needed; /* ...or cannot do without */
};

/* Device memory of a run. `cells` holds f(0..capacity); `spare` the first spare_cells of another.
 */
struct wide_memory {
	void *cells, *spare;
	int64_t spare_cells;
	uint32_t *bits; /* NULL: no decisions kept */
};

/* One device, its stream and what was allocated on it. */
struct wide_session {
	struct dev *device;
	struct dev_stream *stream;
	struct dev_event *begin, *end;
	struct kp_pace pace;
	struct wide_memory memory; /* freed by wide_session_close */
};

int wide_session_open(struct wide_session *s, struct dev *d, struct err *e);
void wide_session_close(struct wide_session *s); /* also after a failed open */
/* dev_alloc that counts. */
int wide_alloc(struct wide_solve *w, struct dev *d, void **out, int64_t bytes, struct err *e);

/* The next pass over at most `most` (1 or 2) items from `item` on; all before it are done. */
struct wide_pass wide_pass_plan(const struct kp_plan *plan, const struct wide_problem *q,
				int64_t item, int most);

/* Least bytes to and from device memory: each cell once each way, however often the pass reads it
 * (a cache that holds the distance of a weight would make it so). */
double wide_bytes_floor(const struct wide_pass *p, size_t cell);

int wide_passes_create(struct wide_passes *p, const struct wide_solve *w,
		       const struct wide_problem *problem, struct err *e);
void wide_passes_destroy(struct wide_passes *p);

/* Runs them in the stream of `pace`; f(c) for c in [low, min(capacity, sum of the weights)] is then
 * in *f, which is m->cells or m->spare. */
int wide_passes_run(const struct wide_passes *p, struct wide_solve *w, const struct wide_memory *m,
		    struct kp_pace *pace, void **f, struct err *e);

/* The items on an optimal path to capacity c, from the decision bits: sets taken[] of the plan's
 * items (not the instance's). */
int wide_passes_trace(const struct wide_passes *p, const struct wide_solve *w,
		      const struct wide_memory *m, struct dev_stream *s, int64_t c, uint8_t *taken,
		      struct err *e);

/* Reads one value of f. */
int wide_value(const struct wide_solve *w, struct dev_stream *s, const void *f, int64_t c,
	       int64_t *value, struct err *e);
/* The three ways to solve. `taken` is of the plan's items. */
int wide_single_device(struct wide_solve *w, struct kp_answer *a, struct err *e);
int wide_several_devices(struct wide_solve *w, int gpus, struct kp_answer *a, struct err *e);
int wide_with_items(struct wide_solve *w, struct kp_answer *a, uint8_t *taken, struct err *e);

#endif
