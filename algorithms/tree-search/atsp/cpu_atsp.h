/* ATSP on vectors: the subtree below a path that leaves few cities. Private to cpu_atsp*.c.
 *
 * A node is its room (what the best tour costs more than the path), the set of its cities left and
 * the last city of its path. A lane is a child: one comparison with a row of costs tells which are
 * kept and another which of those have children of their own, as far as the cheapest arc from each
 * city tells. Kept children are counted, fertile ones are packed on a stack; the others, most of
 * the tree, are never visited. Several nodes are taken from the stack at once, so that none waits
 * for the one before; nothing branches but on the end of the stack and on the last two cities. */
#ifndef COPRA_TREE_SEARCH_ATSP_CPU_ATSP_H
#define COPRA_TREE_SEARCH_ATSP_CPU_ATSP_H

#include <stdalign.h>

#include "algorithms/tree-search/cpu_team.h"

enum {
	ATSP_SUB = 16,    /* most cities left; lanes */
	ATSP_AT_ONCE = 8, /* nodes taken from the stack */
	/* nodes of one depth that are put back at once have at most ATSP_AT_ONCE parents, and are
	 * all taken before others of their depth come */
	ATSP_STACK = ATSP_AT_ONCE * ATSP_SUB * ATSP_SUB / 2 + 2 * ATSP_SUB,
};

/* What the team and its members know of the best tour. */
struct atsp_best {
	bool private; /* each knows its own alone */
	_Atomic int32_t shared;
};

struct atsp_subtree {
	/* of the cities left, numbered 0 .. count - 1, 2 <= count <= ATSP_SUB; the last row is that
	 * of the last city of the path */
	int count;
	uint32_t cost[ATSP_SUB + 1][ATSP_SUB];
	uint32_t back[ATSP_SUB];     /* to city 0 */
	int32_t path;                /* cost so far */
	int32_t best;                /* in: known to the member; out: or better, found here */
	bool tour_found;             /* a tour of this value was: its cities are not known */
	bool any_tour;               /* in: one as good as the best is wanted too */
	uint64_t decomposed, leaves; /* added to; the subtree's root is not counted here */
	uint64_t pushed, popped;     /* nodes on the stack, added to; the root is one */
	uint64_t left;               /* there at a stop, added to */

	/* the search's own */
	uint32_t slack; /* by how much the best sank since the search began */
	/* least room of a node for that child to be kept, to have children */
	alignas(64) uint32_t keep[ATSP_SUB + 1][ATSP_SUB];
	alignas(64) uint32_t fertile[ATSP_SUB + 1][ATSP_SUB];
	/* the stack; a packed store writes whole vectors */
	alignas(64) uint32_t room[ATSP_STACK + ATSP_SUB];
	alignas(64) uint32_t tag[ATSP_STACK + ATSP_SUB]; /* cities left; last one << ATSP_SUB */
};

/* Searches it; false when the team stopped. */
bool cpu_atsp_subtree(struct cpu_member *m, struct atsp_best *best, struct atsp_subtree *s);

#endif
