/* From steps to passes, and the array they work on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "algorithms/dp-knapsack/cpu_engine.h"
#include "harness/base/host_memory.h"

enum { CLASS_ITEMS = 4, WINDOW_ITEMS = 4 };

int64_t kp_field_bytes(const struct kp_cells *cells, int64_t last, int64_t guard)
{
	return (last + 1 + guard) * (int64_t)cells->bytes;
}

int kp_field_create(struct kp_field *f, const struct kp_cells *cells, int64_t last, int64_t guard,
		    struct err *e)
{
	enum { HUGE_PAGE = 1 << 21 };
	size_t bytes, align;
	int status = host_memory_check((double)(last + 1 + guard) * (double)cells->bytes,
				       "the table", e);

	if (status)
		return status;
	bytes = (size_t)kp_field_bytes(cells, last, guard);
	align = bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
	bytes = (bytes + align - 1) / align * align;
	*f = (struct kp_field){ .cells = cells, .last = last, .guard = guard };
	f->g = aligned_alloc(align, bytes);
	if (!f->g)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " cells (%zu bytes)",
			       last + 1, bytes);
	if (align == HUGE_PAGE)
		madvise(f->g, bytes, MADV_HUGEPAGE); /* a hint: strided walks miss the TLB less */
	cells->fill(f->g, last + 1, last + 1 + guard, cells->lowest);
	return 0;
}

void kp_field_destroy(struct kp_field *f)
{
	free(f->g);
	f->g = NULL;
}

static int64_t single_items(struct kp_step step, struct kp_step *steps)
{
	for (int64_t i = 0; i < step.count; i++)
		steps[i] = (struct kp_step){ step.weight, step.first + i, 1, true };
	return step.count;
}

/* Chains and windows of so heavy items would need a guard nearly as large as the field. */
static bool heavy(const struct kp_plan *p, int64_t weight)
{
	return weight > p->capacity / 32;
}

/* Kinds of one weight with too few items for a window of their own are taken as one class. */
static int64_t merged_steps(const struct kp_plan *p, struct kp_step *steps)
{
	int64_t made = 0;

	for (int64_t i = 0; i < p->kind_count; i++) {
		struct kp_step *before = made ? &steps[made - 1] : NULL;
		struct kp_step kind = p->kinds[i];

		if (heavy(p, kind.weight)) {
			made += single_items(kind, &steps[made]);
		} else if (before && before->weight == kind.weight && kind.count < WINDOW_ITEMS &&
			   (!before->uniform || before->count < WINDOW_ITEMS)) {
			before->count += kind.count;
			before->uniform = false;
		} else {
			steps[made++] = kind;
		}
	}
	return made;
}

int64_t kp_cpu_steps(const struct kp_plan *p, enum kp_form form, struct kp_step *steps)
{
	int64_t made = 0;

	if (form == KP_MERGED)
		return merged_steps(p, steps);
	for (int64_t i = 0; i < p->class_count; i++) {
		struct kp_step step = p->classes[i];

		if (form == KP_FUSED || heavy(p, step.weight)) {
			made += single_items(step, &steps[made]);
			continue;
		}
		step.uniform = false; /* item by item, also where they are alike */
		steps[made++] = step;
	}
	return made;
}

/* A class is split into chains of 8, 4 and 2 and a single item; a uniform one into windows. */
static int64_t next_part(const struct kp_step *s, int64_t left, enum kp_pass_kind *kind)
{
	static const int chains[] = { KP_CHAIN, 4, 2 };

	if (s->uniform && s->count >= WINDOW_ITEMS) {
		*kind = KP_PASS_WINDOW;
		return left < KP_WINDOW ? left : KP_WINDOW;
	}
	*kind = KP_PASS_CHAIN;
	for (int i = 0; i < 3 && s->count >= CLASS_ITEMS; i++) {
		if (left >= chains[i])
			return chains[i];
	}
	*kind = KP_PASS_ROW;
	return 1;
}

int64_t kp_pass_room(const struct kp_step *steps, int64_t count)
{
	int64_t room = 0;

	for (int64_t i = 0; i < count; i++) {
		enum kp_pass_kind kind;

		for (int64_t left = steps[i].count; left > 0; room++)
			left -= next_part(&steps[i], left, &kind);
	}
	return room;
}

int64_t kp_steps_guard(const struct kp_step *steps, int64_t count)
{
	int64_t guard = 0;

	for (int64_t i = 0; i < count; i++) {
		enum kp_pass_kind kind;
		int64_t n = next_part(&steps[i], steps[i].count, &kind);

		if (kind != KP_PASS_ROW && (n + 1) * steps[i].weight > guard)
			guard = (n + 1) * steps[i].weight;
	}
	return guard + 2 * KP_CELL_SLACK;
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t kp_passes(const struct kp_plan *p, const struct kp_step *steps, int64_t count,
		  int64_t items_end, int64_t last, bool from_nothing, struct kp_pass *passes)
{
	int64_t made = 0;

	for (int64_t i = 0; i < count; i++) {
		int64_t first = steps[i].first, left = steps[i].count;

		while (left > 0) {
			struct kp_pass *a = &passes[made++];
			int64_t n = next_part(&steps[i], left, &a->kind);

			a->weight = steps[i].weight;
			a->first = first;
			a->count = n;
			a->reach = n * a->weight;
			a->save = NULL;
			a->bits = NULL;
			first += n;
			left -= n;
			a->low = from_nothing ? max64(0, last - p->sum_weight[first]) : 0;
			a->high = min64(last, p->sum_weight[items_end] - p->sum_weight[first]);
			if (a->kind == KP_PASS_ROW)
				a->high = min64(a->high, last - a->weight);
		}
	}
	return made;
}

struct kp_pass kp_pass_save(int64_t low, int64_t high, void *save)
{
	return (struct kp_pass){ .kind = KP_PASS_SAVE, .low = low, .high = high, .save = save };
}

double kp_passes_cells(const struct kp_pass *passes, int64_t count)
{
	double cells = 0;

	for (int64_t i = 0; i < count; i++) {
		const struct kp_pass *a = &passes[i];
		int64_t each = a->kind == KP_PASS_CHAIN ? a->count : 1;

		if (a->kind != KP_PASS_SAVE && a->high >= a->low)
			cells += (double)(a->high - a->low + 1) * (double)each;
	}
	return cells;
}
