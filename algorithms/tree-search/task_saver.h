/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of a search on cores (task_team.h) while it goes on.
 *
 * A thread of its own waits for the next checkpoint. Then it holds the team: every member finishes
 * what it cannot describe as open work and waits at a pause point. The thread copies the state,
 * releases the team, and writes the file while the members continue. Pauses take at most 1 % of the
 * time: after a long one the next checkpoint comes later. */
#ifndef COPRA_TREE_SEARCH_TASK_SAVER_H
#define COPRA_TREE_SEARCH_TASK_SAVER_H

#include "algorithms/tree-search/task_team.h"

struct checkpoint;

/* task_team_run(t, work, search). Writes checkpoints meanwhile if the plan of the team's request
 * has a file. `state`: see struct task_team_search; called in pauses. ERR_FAILED if the thread
 * cannot be started, and nothing has been searched; other errors of `state` and
 * checkpoint_store. */
int task_saver_run(struct task_team *t, void (*work)(struct task_member *m), void *search,
		   int (*state)(void *search, struct checkpoint *c, struct err *e), struct err *e);

#endif
