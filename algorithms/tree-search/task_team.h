/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A thread team that divides numbered tasks by work stealing. Each member starts with an equal
 * range of the tasks and takes from its front. A member that runs out steals the back half of
 * another member's range.
 *
 * The team also has a barrier, a shared stop flag and pauses, so that the CPU searches need no
 * other synchronisation. In a pause all members wait at a point where their open work is complete,
 * and another thread reads it (task_saver.h). */
#ifndef COPRA_TREE_SEARCH_TASK_TEAM_H
#define COPRA_TREE_SEARCH_TASK_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "algorithms/tree-search/search.h"
#include "harness/base/rng.h"
#include "harness/base/team.h"

struct checkpoint;

struct task_member {
	struct task_team *team;
	int id; /* 0 .. threads - 1; 0 is the calling thread */
	struct rng rng;
	uint64_t steals_tried, steals_done, tasks_stolen;
	uint64_t tasks_dealt, tasks_taken; /* by task_team_divide and task_team_take */
	uint64_t tasks_left;               /* of earlier divisions */
	/* First task in the low half, end in the high half. In one word, so that taking from the
	 * front and stealing from the back are one compare-and-swap each. */
	_Alignas(64) _Atomic uint64_t range;
	_Atomic uint64_t tasks_given;
};

struct task_team {
	const struct search_request *request;
	int members; /* length of `member`: the threads requested */
	int threads; /* members that work; fewer if the system cannot create all threads */
	struct interrupt interrupt;
	atomic_bool stopped;
	atomic_bool pausing;        /* members wait at their next pause point */
	pthread_mutex_t pause_lock; /* protects the three fields below */
	pthread_cond_t pause_changed;
	bool begun_work;             /* the members of this run are known */
	int working;                 /* members that have not ended yet */
	int paused;                  /* of these: in the pause */
	double share_from, share_to; /* of the tree, before and after the tasks; 0, 0: the tasks
					are not the whole search, so the share is not known */
	uint64_t task_count;         /* of the last division */
	_Atomic uint64_t begun;      /* of these tasks; only if the request has a watch */
	struct task_member *member;
	struct team_barrier barrier;
	void (*work)(struct task_member *m);
	void *work_context;
};

/* Creates a team of the request's number of threads (at least 1, at most SEARCH_WORKERS_MAX). */
int task_team_create(struct task_team *t, const struct search_request *r, struct err *e);
void task_team_destroy(struct task_team *t);

/* Runs work(member) in every member and returns when all have finished. The system may create fewer
 * threads than requested: t->threads is their number from the start of `work` on. Memory allocated
 * per member must be freed for all t->members, not only for t->threads. */
void task_team_run(struct task_team *t, void (*work)(struct task_member *m), void *context);

/* Waits until all members have called it. */
static inline void task_team_barrier(struct task_team *t)
{
	team_barrier_wait(&t->barrier);
}

/* Divides tasks 0 .. count - 1, count < 2^32, into equal ranges. Called by one member before a
 * barrier. */
void task_team_divide(struct task_team *t, uint64_t count);

/* Takes up to `most` consecutive tasks, *from .. *from + the returned number - 1. Returns 0 if
 * nothing is left to take or steal, or the team stops. */
uint64_t task_team_take(struct task_member *m, uint64_t most, uint64_t *from);

/* Whether a member has seen the request's stop flag or time limit. Reads the clock: not for inner
 * loops. */
bool task_team_stops(struct task_team *t);

/* A pause point of a member: waits while another thread holds the team. Cheap otherwise. Not before
 * the last barrier of a member's work. */
void task_team_wait(struct task_team *t);
static inline bool task_team_pauses(const struct task_team *t)
{
	return atomic_load_explicit(&t->pausing, memory_order_relaxed);
}
static inline void task_team_pause(struct task_team *t)
{
	if (task_team_pauses(t))
		task_team_wait(t);
}

/* Called by a thread that is not a member, during task_team_run. Returns true when all members are
 * at a pause point or have ended; they wait until task_team_release. Returns false, without a
 * pause, if all have ended. */
bool task_team_hold(struct task_team *t);
void task_team_release(struct task_team *t);

/* The tasks *from .. *end - 1 of a member that nobody has taken. For a pause, or after the run. */
void task_team_untaken(const struct task_team *t, int member, uint64_t *from, uint64_t *end);

/* Adds the members' steal counts and the number of workers to the outcome. */
void task_team_report(const struct task_team *t, struct search_outcome *o);

/* Checks, for each member and for all together, that tasks dealt + stolen = taken + given + left,
 * and that none is left if the search is complete. ERR_FAILED (balance.h). */
int task_team_check(const struct task_team *t, const char *engine, bool complete, struct err *e);

/* Allocates memory aligned for vectors and cache lines; free() it. NULL if there is not enough. */
static inline void *task_team_alloc(size_t bytes)
{
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* A search that consists of one run of a team. Its state is a struct that begins with a struct
 * task_team. */
struct task_team_search {
	size_t size; /* of that struct */
	int (*make)(void *search, const struct search_request *r, struct err *e);
	void (*work)(struct task_member *m); /* the team's work_context is the search */
	/* NULL: no checkpoints. Makes the state of the search, in a pause or at the end: counts and
	 * best solution with those of earlier runs, and the open work. The caller frees it. */
	int (*state)(void *search, struct checkpoint *c, struct err *e);
	int (*report)(void *search, struct search_outcome *o, struct err *e);
	void (*release)(
		void *search); /* all but the team and the struct; after a failed make too */
};

/* Allocates such a search (zeroed, with its team), runs it, reports and releases it. First sets the
 * outcome's best value to the request's bound. Also sets the outcome's times. Writes and keeps
 * checkpoints as the request asks; ERR_UNSUPPORTED if there is no `state`. Other errors:
 * ERR_MEMORY, those of `make`, `report`, `state` and checkpoint_end. */
int task_team_search(const struct task_team_search *k, const struct search_request *r,
		     struct search_outcome *o, struct err *e);

#endif
