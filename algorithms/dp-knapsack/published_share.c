#include "algorithms/dp-knapsack/published_share.h"

#include "algorithms/dp-knapsack/minmax.h"

void kp_share_start(struct kp_share *p, int gpus, int64_t capacity)
{
	*p = (struct kp_share){ .gpus = gpus, .capacity = capacity, .everywhere = true };
}

bool kp_share_step(struct kp_share *p, int gpus, int64_t capacity, int64_t weight,
		   int64_t weights_after)
{
	if (weight > capacity)
		return false;
	int64_t first = max64(0, capacity - weights_after);
	int64_t c_k = max64(first, weight);
	*p = (struct kp_share){ .gpus = gpus,
				.capacity = capacity,
				.weight = weight,
				.first = first,
				.c_k = c_k,
				.per_gpu = (capacity + 1 - c_k + gpus - 1) / gpus };
	return true;
}

struct kp_range kp_share_computed(const struct kp_share *p, int gpu)
{
	int64_t end = p->capacity + 1;
	return (struct kp_range){ min64(p->c_k + gpu * p->per_gpu, end),
				  min64(p->c_k + (gpu + 1) * p->per_gpu, end) };
}

struct kp_range kp_share_owned(const struct kp_share *p, int gpu)
{
	if (p->everywhere)
		return (struct kp_range){ 0, p->capacity + 1 };
	struct kp_range r = kp_share_computed(p, gpu);
	if (gpu == 0)
		r.from = p->first;
	return r;
}

/* Inserts `r` into the sorted, disjoint list, joining what overlaps or touches it. */
static int insert(struct kp_range *list, int count, struct kp_range r)
{
	if (r.from >= r.to)
		return count;
	int kept = 0, at = 0;
	struct kp_range out[KP_SHARE_RANGES];
	while (at < count && list[at].to < r.from)
		out[kept++] = list[at++];
	for (; at < count && list[at].from <= r.to; at++) {
		r.from = min64(r.from, list[at].from);
		r.to = max64(r.to, list[at].to);
	}
	out[kept++] = r;
	while (at < count)
		out[kept++] = list[at++];
	for (int i = 0; i < kept; i++)
		list[i] = out[i];
	return kept;
}

/* What `gpu` reads in step p: the cells of its range, and those w_k below. */
static int reads(const struct kp_share *p, int gpu, struct kp_range out[2])
{
	struct kp_range computed = kp_share_computed(p, gpu), own = kp_share_owned(p, gpu);
	int count = insert(out, 0, own);
	if (computed.from >= computed.to)
		return count;
	return insert(out, count,
		      (struct kp_range){ computed.from - p->weight, computed.to - p->weight });
}

/* Adds to `list` what `gpu` reads in `next` from the cells that `owner` owns after `prev`. */
static int add_missing(struct kp_range *list, int count, const struct kp_share *prev,
		       const struct kp_share *next, int gpu, int owner)
{
	if (gpu == owner || prev->everywhere)
		return count;
	struct kp_range own = kp_share_owned(prev, owner), read[2];
	int n = reads(next, gpu, read);
	for (int i = 0; i < n; i++)
		count = insert(list, count,
			       (struct kp_range){ max64(read[i].from, own.from),
						  min64(read[i].to, own.to) });
	return count;
}

int kp_share_received(const struct kp_share *prev, const struct kp_share *next, int gpu,
		      struct kp_range out[KP_SHARE_RANGES])
{
	int count = 0;
	for (int owner = 0; owner < next->gpus; owner++)
		count = add_missing(out, count, prev, next, gpu, owner);
	return count;
}

int kp_share_sent(const struct kp_share *prev, const struct kp_share *next, int gpu,
		  struct kp_range out[KP_SHARE_RANGES])
{
	int count = 0;
	for (int reader = 0; reader < next->gpus; reader++)
		count = add_missing(out, count, prev, next, reader, gpu);
	return count;
}

int kp_share_last_owner(const struct kp_share *p)
{
	for (int gpu = 0; gpu < p->gpus; gpu++) {
		struct kp_range r = kp_share_owned(p, gpu);
		if (r.from <= p->capacity && p->capacity < r.to)
			return gpu;
	}
	return 0;
}
