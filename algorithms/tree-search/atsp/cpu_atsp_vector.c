#define CELL uint32_t
#include "algorithms/tree-search/atsp/cpu_atsp.h"

#include <string.h>

#include "algorithms/tree-search/cpu_vector.h"

enum { PARTS = ATSP_SUB / LANES, SET = (1 << ATSP_SUB) - 1 };

/* The arc that all who leave a city towards another one have to pay. */
static uint32_t cheapest_from(const struct atsp_subtree *s, int city)
{
	uint32_t least = UINT32_MAX;

	for (int to = 0; to < s->count; to++)
		if (to != city && s->cost[city][to] < least)
			least = s->cost[city][to];
	return least;
}

/* Rooms stay those against the best tour that there was at the beginning: a better one raises what
 * is asked of them. No sum overflows: costs of tours fit 31 bits. */
static void make_thresholds(struct atsp_subtree *s)
{
	for (int city = 0; city < s->count; city++) {
		uint32_t least = cheapest_from(s, city);

		for (int from = 0; from <= ATSP_SUB; from++) {
			s->keep[from][city] = s->cost[from][city] + s->slack;
			s->fertile[from][city] = s->keep[from][city] + least;
		}
	}
}

static void note_tour(struct atsp_best *b, struct atsp_subtree *s, uint32_t left_over)
{
	int32_t value = s->best - (int32_t)(left_over - s->slack);
	int32_t known = atomic_load(&b->shared);

	if (value == s->best && !s->any_tour)
		return;
	s->any_tour = false;
	s->tour_found = true;
	s->best = value;
	s->slack = left_over;
	make_thresholds(s);
	while (!b->private && value < known &&
	       !atomic_compare_exchange_weak(&b->shared, &known, value))
		;
}

/* The last two cities: the children are counted, what is behind each is a tour. */
static void pair(struct atsp_best *b, struct atsp_subtree *s, uint32_t room, uint32_t left,
		 uint32_t last)
{
	for (uint32_t bits = left; bits; bits &= bits - 1) {
		int city = __builtin_ctz(bits), other = __builtin_ctz(left & ~(bits & (0 - bits)));
		uint32_t rest = room - s->cost[last][city];
		uint32_t tour = s->cost[city][other] + s->back[other];

		if (room < s->keep[last][city])
			continue;
		s->decomposed++;
		if (rest < tour + s->slack)
			continue;
		s->leaves++;
		note_tour(b, s, rest - tour);
	}
}

/* Counts a node's children and puts the fertile ones on the stack; returns its new height. */
static inline __attribute__((always_inline)) uint32_t expand(struct atsp_subtree *s, uint32_t room,
							     uint32_t tag, uint32_t height,
							     const struct vec_packing *packing,
							     const vec *child_tag)
{
	uint32_t last = tag >> ATSP_SUB, left = tag & SET;
	vec rooms = vec_all(room), lefts = vec_all(left);

	for (int p = 0; p < PARTS; p++) {
		int at = p * LANES;
		uint32_t lanes = (left >> at) & (uint32_t)((UINT64_C(1) << LANES) - 1);
		uint32_t kept = lanes & ~vec_below(rooms, vec_load(&s->keep[last][at]));
		uint32_t fertile = lanes & ~vec_below(rooms, vec_load(&s->fertile[last][at]));

		s->decomposed += (uint32_t)__builtin_popcount(kept);
		vec_pack(&s->room[height], rooms - vec_load(&s->cost[last][at]), fertile, packing);
		vec_pack(&s->tag[height], lefts + child_tag[p], fertile, packing);
		height += (uint32_t)__builtin_popcount(fertile);
	}
	return height;
}

static void make_child_tags(vec *child_tag)
{
	for (int p = 0; p < PARTS; p++)
		for (int i = 0; i < LANES; i++) {
			uint32_t city = (uint32_t)(p * LANES + i);

			/* the child's last city, and out of the set */
			child_tag[p][i] = (city << ATSP_SUB) - (UINT32_C(1) << city);
		}
}

/* What others found. */
static void look_around(const struct atsp_best *b, struct atsp_subtree *s)
{
	int32_t shared = atomic_load_explicit(&b->shared, memory_order_relaxed);

	if (b->private || shared >= s->best)
		return;
	s->slack += (uint32_t)(s->best - shared);
	s->best = shared;
	s->tour_found = s->any_tour = false;
	make_thresholds(s);
}

bool cpu_atsp_subtree(struct cpu_member *m, struct atsp_best *b, struct atsp_subtree *s)
{
	enum { ROUNDS = 1 << 12 }; /* a tenth of a millisecond */
	struct vec_packing packing;
	vec child_tag[PARTS];
	uint32_t height = 1;

	vec_packing_make(&packing);
	make_child_tags(child_tag);
	s->slack = 0;
	s->tour_found = false;
	make_thresholds(s);
	s->room[0] = (uint32_t)(s->best - s->path);
	s->tag[0] = (uint32_t)ATSP_SUB << ATSP_SUB | ((UINT32_C(1) << s->count) - 1);
	s->pushed++;
	for (unsigned round = 1; height; round++) {
		uint32_t room[ATSP_AT_ONCE], tag[ATSP_AT_ONCE];
		uint32_t count = height < ATSP_AT_ONCE ? height : ATSP_AT_ONCE, below;

		height -= count;
		s->popped += count;
		below = height;
		memcpy(room, &s->room[height], sizeof(room));
		memcpy(tag, &s->tag[height], sizeof(tag));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t left = tag[i] & SET, more = left & (left - 1);

			if (more & (more - 1))
				height = expand(s, room[i], tag[i], height, &packing, child_tag);
			else
				pair(b, s, room[i], left, tag[i] >> ATSP_SUB);
		}
		s->pushed += height - below;
		if (round % ROUNDS)
			continue;
		look_around(b, s);
		if (cpu_team_stops(m->team)) {
			s->left += height;
			return false;
		}
	}
	return true;
}
