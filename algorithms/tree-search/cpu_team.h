/* A team of threads that divide numbered tasks: each starts with an equal part and takes from its
 * front; who runs out steals the farther half of what another one has left.
 *
 * What the members share beyond that (barriers, a stop that all see) is here too, so that the
 * searches of one processor need no other synchronisation. */
#ifndef COPRA_TREE_SEARCH_CPU_TEAM_H
#define COPRA_TREE_SEARCH_CPU_TEAM_H

#include <stdatomic.h>

#include "harness/base/rng.h"
#include "harness/base/team.h"
#include "algorithms/tree-search/interrupt.h"

struct cpu_member {
	struct cpu_team *team;
	int id; /* 0 .. threads - 1; 0 is the calling thread */
	struct rng rng;
	uint64_t steals_tried, steals_done, tasks_stolen;
	uint64_t tasks_dealt, tasks_taken; /* by cpu_team_divide and cpu_team_take */
	uint64_t tasks_left;               /* of earlier divisions */
	/* first task in the low half, end in the high half: one word, so that taking from the
	 * front and stealing from the back are one compare-and-swap each */
	_Alignas(64) _Atomic uint64_t range;
	_Atomic uint64_t tasks_given;
};

struct cpu_team {
	const struct search_request *request;
	int members; /* of `member`: who was asked for */
	int threads; /* members that work; fewer where the system grants fewer */
	struct interrupt interrupt;
	atomic_bool stopped;
	struct cpu_member *member;
	struct team_barrier barrier;
	void (*work)(struct cpu_member *m);
	void *work_context;
};

/* As many members as the request asks for (1 where it asks for none), at most SEARCH_WORKERS_MAX.
 * */
int cpu_team_create(struct cpu_team *t, const struct search_request *r, struct err *e);
void cpu_team_destroy(struct cpu_team *t);

/* Runs work(member) in every member and returns when all are back. The system may grant fewer
 * threads than asked for: t->threads says how many there are from the start of work on. What was
 * made for each of t->members is to be freed for all of them. */
void cpu_team_run(struct cpu_team *t, void (*work)(struct cpu_member *m), void *context);

/* Waits until all members have called it. */
static inline void cpu_team_meet(struct cpu_team *t)
{
	team_barrier_wait(&t->barrier);
}

/* Tasks 0 .. count - 1, count < 2^32, in equal parts. One member calls it, before a meeting. */
void cpu_team_divide(struct cpu_team *t, uint64_t count);

/* Up to `most` consecutive tasks: *from .. *from + the number returned - 1; 0 when there is
 * nothing left to take or to steal, or the team stops. */
uint64_t cpu_team_take(struct cpu_member *m, uint64_t most, uint64_t *from);

/* The request's stop flag or time limit was seen by some member. Reads the clock: not for inner
 * loops. */
bool cpu_team_stops(struct cpu_team *t);

/* Adds what the members counted to the outcome, and the number of workers. */
void cpu_team_report(const struct cpu_team *t, struct search_outcome *o);

/* Checks that the tasks dealt and stolen are those taken, given and left, for each member and for
 * all, and that none is left where the search is complete. ERR_FAILED (balance.h). */
int cpu_team_check(const struct cpu_team *t, const char *engine, bool complete, struct err *e);

/* A search by one run of a team. Its struct begins with a struct cpu_team. */
struct cpu_team_search {
	size_t size; /* of that struct */
	int (*make)(void *search, const struct search_request *r, struct err *e);
	void (*work)(struct cpu_member *m); /* the team's work_context is the search */
	int (*report)(void *search, struct search_outcome *o, struct err *e);
	void (*release)(void *search); /* all but team and struct; of a failed make too */
};

/* Makes (from zeros, its team created), runs, reports and releases such a search. Sets the times of
 * the outcome, and first of all its best to the request's ub. Errors: ERR_MEMORY, those of make
 * and report. */
int cpu_team_search(const struct cpu_team_search *k, const struct search_request *r,
		    struct search_outcome *o, struct err *e);

#endif
