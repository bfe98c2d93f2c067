/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every tree search detects that a part of its tree was lost. This is shown in two ways: one count
 * of each balance is changed before its check; and a node, task or interval is really dropped
 * between two parts of the search. The program is linked with --wrap for the functions that are
 * replaced here (see the Makefile). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/explorers/ivm_device.h"
#include "algorithms/gmys-ivm/intervals/tuned_dealer.h"
#include "algorithms/helbecque-pool/deque.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/queens_roots.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/task_team.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/by-set/sets_cpu.h"
#include "algorithms/tree-search/by-set/sets_device.h"
#include "algorithms/tree-search/by-set/sets_search.h"
#include "kernels/gmys-ivm/published.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* ---- what is dropped ---- */

enum loss {
	NOTHING,
	A_FIGURE,        /* of a balance */
	A_TASK,          /* taken by a member of a team */
	A_SEGMENT,       /* of nodes, by job set */
	STOLEN_NODE,     /* on its way from pool to pool */
	CHILDREN,        /* that should enter a pool */
	OFFLOADED_NODE,  /* on its way to the device */
	DEALT_ROOTS,     /* on their way to a device */
	END_OF_INTERVAL, /* of the interval that an explorer begins with */
	SPLIT_INTERVAL,  /* its first number, on its way to the thief */
	DEALT_INTERVAL,  /* on its way to a worker */
	TAKEN_INTERVAL,  /* on its way from a device to a thread */
	STOLEN_INSIDE,   /* an interval that an IVM stole from another one on its device */
	A_PIECE,         /* on its way to a device */
	TOP_OF_STACK,    /* a node on the stack of a warp */
	A_CHUNK,         /* of nodes of one set, on a device */
};

static enum loss loss;
static atomic_int chances, chance; /* chances so far; the chance that is used, from 1; 0: none */

/* Whether something of that kind is to be dropped now. */
static bool drops(enum loss kind)
{
	return loss == kind && atomic_fetch_add(&chances, 1) + 1 == atomic_load(&chance);
}

/* ---- counts ---- */

int __real_balance_check(const struct balance *, const struct balance_name *, bool, struct err *);
int __real_balance_check_all(const struct balance *, int, const struct balance *,
			     const struct balance_name *, bool, struct err *);
int __real_balance_equal(const struct balance_name *, const char *, uint64_t, const char *,
			 uint64_t, struct err *);
int __wrap_balance_check(const struct balance *, const struct balance_name *, bool, struct err *);
int __wrap_balance_check_all(const struct balance *, int, const struct balance *,
			     const struct balance_name *, bool, struct err *);
int __wrap_balance_equal(const struct balance_name *, const char *, uint64_t, const char *,
			 uint64_t, struct err *);

int __wrap_balance_check(const struct balance *b, const struct balance_name *name, bool complete,
			 struct err *e)
{
	struct balance changed = *b;

	changed.popped += drops(A_FIGURE);
	return __real_balance_check(&changed, name, complete, e);
}

int __wrap_balance_check_all(const struct balance *b, int count, const struct balance *host,
			     const struct balance_name *name, bool complete, struct err *e)
{
	struct balance changed[SEARCH_WORKERS_MAX];

	memcpy(changed, b, (size_t)count * sizeof(*b));
	changed[count - 1].popped += drops(A_FIGURE);
	return __real_balance_check_all(changed, count, host, name, complete, e);
}

int __wrap_balance_equal(const struct balance_name *name, const char *in, uint64_t in_count,
			 const char *out, uint64_t out_count, struct err *e)
{
	return __real_balance_equal(name, in, in_count, out, out_count + drops(A_FIGURE), e);
}

/* ---- real losses ---- */

uint64_t __real_task_team_take(struct task_member *, uint64_t, uint64_t *);
uint64_t __wrap_task_team_take(struct task_member *, uint64_t, uint64_t *);

uint64_t __wrap_task_team_take(struct task_member *m, uint64_t most, uint64_t *from)
{
	uint64_t count = __real_task_team_take(m, most, from);

	return count && drops(A_TASK) ? __real_task_team_take(m, most, from) : count;
}

bool __real_sets_cpu_add_segment(struct sets_cpu_worker *, uint32_t, uint32_t, void *);
bool __wrap_sets_cpu_add_segment(struct sets_cpu_worker *, uint32_t, uint32_t, void *);

bool __wrap_sets_cpu_add_segment(struct sets_cpu_worker *w, uint32_t set, uint32_t count,
				 void *rows)
{
	return drops(A_SEGMENT) || __real_sets_cpu_add_segment(w, set, count, rows);
}

size_t __real_pool_deque_steal(struct pool_deque *, struct pool_deque *, size_t);
size_t __wrap_pool_deque_steal(struct pool_deque *, struct pool_deque *, size_t);

size_t __wrap_pool_deque_steal(struct pool_deque *thief, struct pool_deque *victim, size_t least)
{
	size_t count = __real_pool_deque_steal(thief, victim, least);
	struct pool_node_room node;

	if (count && drops(STOLEN_NODE))
		pool_deque_pop_front(thief, node.bytes);
	return count;
}

int __real_pool_deque_branch(struct pool_deque *, const unsigned char *, const uint32_t *, size_t,
			     struct err *);
int __wrap_pool_deque_branch(struct pool_deque *, const unsigned char *, const uint32_t *, size_t,
			     struct err *);

int __wrap_pool_deque_branch(struct pool_deque *p, const unsigned char *parents,
			     const uint32_t *masks, size_t count, struct err *e)
{
	if (pool_node_children(&p->format, masks, count) && drops(CHILDREN))
		return 0;
	return __real_pool_deque_branch(p, parents, masks, count, e);
}

size_t __real_pool_deque_pop_back(struct pool_deque *, size_t, size_t, unsigned char *);
size_t __wrap_pool_deque_pop_back(struct pool_deque *, size_t, size_t, unsigned char *);

size_t __wrap_pool_deque_pop_back(struct pool_deque *p, size_t least, size_t most,
				  unsigned char *out)
{
	size_t count = __real_pool_deque_pop_back(p, least, most, out);

	return count > 1 && drops(OFFLOADED_NODE) ? count - 1 : count;
}

bool __real_pool_queens_deal(struct pool_queens_dealer *, int64_t, struct pool_queens_part *);
bool __wrap_pool_queens_deal(struct pool_queens_dealer *, int64_t, struct pool_queens_part *);

bool __wrap_pool_queens_deal(struct pool_queens_dealer *d, int64_t most, struct pool_queens_part *p)
{
	bool found = __real_pool_queens_deal(d, most, p);

	return found && drops(DEALT_ROOTS) ? __real_pool_queens_deal(d, most, p) : found;
}

void __real_ivm_explorer_start(struct ivm_explorer *, const uint16_t *, const uint16_t *);
void __wrap_ivm_explorer_start(struct ivm_explorer *, const uint16_t *, const uint16_t *);

void __wrap_ivm_explorer_start(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last)
{
	uint16_t end[CHECKPOINT_MAX_ITEMS];

	memcpy(end, last, (size_t)x->v.n * sizeof(*end));
	if (drops(END_OF_INTERVAL))
		ivm_factoradic_previous(end, x->v.n);
	__real_ivm_explorer_start(x, first, end);
}

bool __real_ivm_explorer_split(struct ivm_explorer *, int, int, uint16_t *, uint16_t *);
bool __wrap_ivm_explorer_split(struct ivm_explorer *, int, int, uint16_t *, uint16_t *);

bool __wrap_ivm_explorer_split(struct ivm_explorer *x, int kept, int parts, uint16_t *first,
			       uint16_t *last)
{
	bool got = __real_ivm_explorer_split(x, kept, parts, first, last);

	if (got && ivm_factoradic_compare(first, last, x->v.n) < 0 && drops(SPLIT_INTERVAL))
		ivm_factoradic_next(first, x->v.n);
	return got;
}

uint64_t __real_ivm_interval_list_move(struct ivm_interval_list *, struct ivm_interval_list *,
				       uint64_t);
uint64_t __wrap_ivm_interval_list_move(struct ivm_interval_list *, struct ivm_interval_list *,
				       uint64_t);

/* The interval is one number shorter at its end. */
uint64_t __wrap_ivm_interval_list_move(struct ivm_interval_list *to, struct ivm_interval_list *from,
				       uint64_t most)
{
	uint64_t count = __real_ivm_interval_list_move(to, from, most);

	if (count && drops(DEALT_INTERVAL))
		ivm_factoradic_previous(ivm_interval_list_at(to, to->count - 1) + to->n, to->n);
	return count;
}

int __real_ivm_device_take(struct ivm_device *, int, uint16_t *, int *, bool *, struct err *);
int __wrap_ivm_device_take(struct ivm_device *, int, uint16_t *, int *, bool *, struct err *);

int __wrap_ivm_device_take(struct ivm_device *d, int index, uint16_t *interval, int *again,
			   bool *got, struct err *e)
{
	int status = __real_ivm_device_take(d, index, interval, again, got, e);

	*got = *got && !drops(TAKEN_INTERVAL);
	return status;
}

/* Empties the IVM if it has stolen an interval, which it loses. */
static void empty_thief(struct dev_stream *s, const struct ivm_fleet *f, int32_t thief)
{
	static const int32_t empty = IVM_EMPTY;
	struct err e = { 0 };
	int32_t state;

	assert_int_equal(dev_copy_from(s, &state, f->state + thief, sizeof(state), &e), 0);
	assert_int_equal(dev_stream_sync(s, &e), 0);
	if (state != IVM_EXPLORING || !drops(STOLEN_INSIDE))
		return;
	assert_int_equal(dev_copy_to(s, f->state + thief, &empty, sizeof(empty), &e), 0);
	assert_int_equal(dev_stream_sync(s, &e), 0);
}

int __real_ivm_steal_sim(struct dev_stream *, const struct ivm_fleet *, int, struct err *);
int __wrap_ivm_steal_sim(struct dev_stream *, const struct ivm_fleet *, int, struct err *);

int __wrap_ivm_steal_sim(struct dev_stream *s, const struct ivm_fleet *f, int parts, struct err *e)
{
	struct ivm_control seen;
	int32_t thief;
	int status = __real_ivm_steal_sim(s, f, parts, e);

	if (status || loss != STOLEN_INSIDE)
		return status;
	assert_int_equal(dev_copy_from(s, &seen, f->control, sizeof(seen), e), 0);
	assert_int_equal(dev_stream_sync(s, e), 0);
	for (int i = 0; i < seen.thieves; i++) {
		assert_int_equal(dev_copy_from(s, &thief, f->thief + i, sizeof(thief), e), 0);
		assert_int_equal(dev_stream_sync(s, e), 0);
		empty_thief(s, f, thief);
	}
	return 0;
}

int __real_ivm_steal_each_sim(struct dev_stream *, const struct ivm_fleet *, int, struct err *);
int __wrap_ivm_steal_each_sim(struct dev_stream *, const struct ivm_fleet *, int, struct err *);

int __wrap_ivm_steal_each_sim(struct dev_stream *s, const struct ivm_fleet *f, int parts,
			      struct err *e)
{
	int32_t victim;
	int status = __real_ivm_steal_each_sim(s, f, parts, e);

	if (status || loss != STOLEN_INSIDE)
		return status;
	for (int t = 0; t < f->ivms; t++) {
		assert_int_equal(dev_copy_from(s, &victim, f->victim + t, sizeof(victim), e), 0);
		assert_int_equal(dev_stream_sync(s, e), 0);
		if (victim >= 0)
			empty_thief(s, f, t);
	}
	return 0;
}

bool __real_ivm_dealer_take(struct ivm_dealer *, struct ivm_piece *);
bool __wrap_ivm_dealer_take(struct ivm_dealer *, struct ivm_piece *);

bool __wrap_ivm_dealer_take(struct ivm_dealer *f, struct ivm_piece *p)
{
	bool found = __real_ivm_dealer_take(f, p);

	return found && drops(A_PIECE) ? __real_ivm_dealer_take(f, p) : found;
}

int __real_dfs_device_round(struct dfs_device *, int32_t, struct err *);
int __wrap_dfs_device_round(struct dfs_device *, int32_t, struct err *);

int __wrap_dfs_device_round(struct dfs_device *d, int32_t best, struct err *e)
{
	int status = __real_dfs_device_round(d, best, e);
	int32_t count;

	for (int i = 0; i < d->world.warps && loss == TOP_OF_STACK; i++) {
		int32_t *at = d->world.entry_count + i;

		assert_int_equal(dev_copy_from(d->stream, &count, at, sizeof(count), e), 0);
		assert_int_equal(dev_stream_sync(d->stream, e), 0);
		if (count < 2 || !drops(TOP_OF_STACK))
			continue;
		count--;
		assert_int_equal(dev_copy_to(d->stream, at, &count, sizeof(count), e), 0);
		assert_int_equal(dev_stream_sync(d->stream, e), 0);
	}
	return status;
}

int __real_sets_device_run(struct sets_device *, int64_t, struct err *);
int __wrap_sets_device_run(struct sets_device *, int64_t, struct err *);

int __wrap_sets_device_run(struct sets_device *d, int64_t ub, struct err *e)
{
	int status = __real_sets_device_run(d, ub, e);
	struct sets_control *c = &d->state->control;

	for (int i = 0; i <= c->depth; i++)
		if (c->level[i].chunk_next < c->level[i].chunk_end && drops(A_CHUNK))
			c->level[i].chunk_end--;
	return status;
}

/* ---- the searches ---- */

static struct dev_set devices;
static struct flowshop shop, large_shop;
static struct atsp tour;

static int ivm(enum solve_variant variant, const struct search_request *r, struct search_outcome *o,
	       struct err *e)
{
	struct ivm_request request = { .common = *r, .ivms = 32 };
	struct ivm_outcome outcome;
	int status = ivm_search(variant, &request, &outcome, e);

	*o = outcome.common;
	outcome.common.order = NULL;
	ivm_outcome_free(&outcome);
	return status;
}

static int ivm_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_SERIAL, r, o, e);
}

static int ivm_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_PUBLISHED, r, o, e);
}

static struct search_request small_shop(int threads, enum fsp_bound bound)
{
	return (struct search_request){ .flowshop = &shop,
					.bound = bound,
					.threads = threads,
					.ub = SEARCH_NO_UB,
					.m = 2,
					.M = 8 };
}

static int sets_forward(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, false, o, e);
}

static int sets_two_sided(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, true, o, e);
}

static struct search_request larger_shop(enum fsp_bound bound, enum fsp_branching branching)
{
	return (struct search_request){
		.flowshop = &large_shop, .bound = bound, .branching = branching, .ub = SEARCH_NO_UB
	};
}

static struct search_request small_tour(int threads)
{
	return (struct search_request){ .atsp = &tour, .threads = threads, .ub = SEARCH_NO_UB };
}

static struct search_request board(int queens, int threads, bool half)
{
	return (struct search_request){
		.queens = queens, .threads = threads, .half_board = half, .m = 2, .M = 8
	};
}

static struct search_request on_devices(struct search_request r, int gpus)
{
	r.devices = &devices;
	r.gpus = gpus;
	return r;
}

/* Returns the status. If the search fails, checks its message. */
static int run(search_fn *search, const struct search_request *r)
{
	struct search_outcome o;
	struct err e = { 0 };
	int status;

	atomic_store(&chances, 0);
	status = search(r, &o, &e);
	if (status) {
		assert_int_equal(status, ERR_FAILED);
		assert_non_null(strstr(e.text, "; please report this"));
		assert_false(o.complete);
	} else {
		assert_true(o.complete);
	}
	search_outcome_free(&o);
	return status;
}

/* Checks that the search passes, and that it fails if any count is changed; under
 * ThreadSanitizer, if one of at most 4 is. */
static void every_figure_counts(search_fn *search, struct search_request r)
{
	loss = A_FIGURE;
	atomic_store(&chance, 0);
	assert_int_equal(run(search, &r), 0);
	int checks = atomic_load(&chances);

	assert_true(checks > 0);
	for (int i = 1; i <= checks; i += UNDER_TSAN ? 1 + checks / 4 : 1) {
		atomic_store(&chance, i);
		assert_int_equal(run(search, &r), ERR_FAILED);
	}
	loss = NOTHING;
}

/* Checks that the search passes, and that it fails if something of the kind is dropped. Whether a
 * steal happens depends on the schedule, so several seeds are tried until one did. */
static void loss_is_noticed(search_fn *search, struct search_request r, enum loss kind)
{
	enum { SEEDS = 60 };
	bool dropped = false;

	loss = kind;
	atomic_store(&chance, 0);
	assert_int_equal(run(search, &r), 0);
	atomic_store(&chance, 1);
	for (r.seed = 0; r.seed < SEEDS && !dropped; r.seed++) {
		int status = run(search, &r);

		dropped = atomic_load(&chances) > 0;
		assert_int_equal(status, dropped ? ERR_FAILED : 0);
	}
	assert_true(dropped);
	loss = NOTHING;
}

/* ---- CPU searches ---- */

static void cpu_searches_check_their_counts(void **state)
{
	struct search_request forward = small_shop(2, FSP_LB2), shares = small_shop(3, FSP_LB1);

	(void)state;
	forward.branching = FSP_FORWARD;
	shares.no_stealing = true;
	every_figure_counts(fsp_cpu, forward);
	every_figure_counts(fsp_cpu, small_shop(2, FSP_LB1));
	every_figure_counts(fsp_cpu, shares);
	every_figure_counts(queens_cpu, board(9, 2, false));
	every_figure_counts(queens_cpu_half, board(9, 2, true));
	every_figure_counts(atsp_cpu, small_tour(2));
}

static void tasks_and_segments_lost_by_cpu_searches_are_detected(void **state)
{
	struct search_request forward = small_shop(2, FSP_LB2);

	(void)state;
	forward.branching = FSP_FORWARD;
	loss_is_noticed(fsp_cpu, forward, A_SEGMENT);
	loss_is_noticed(queens_cpu, board(10, 2, false), A_TASK);
	loss_is_noticed(queens_cpu_half, board(10, 2, true), A_TASK);
	loss_is_noticed(atsp_cpu, small_tour(2), A_TASK);
}

/* ---- helbecque-pool ---- */

static void pool_searches_check_their_counts(void **state)
{
	(void)state;
	every_figure_counts(pool_search_serial, board(8, 1, false));
	every_figure_counts(pool_search_serial, small_shop(1, FSP_LB1));
	every_figure_counts(pool_search(SOLVE_PUBLISHED), on_devices(board(7, 1, false), 2));
	every_figure_counts(pool_search(SOLVE_PUBLISHED), on_devices(small_shop(1, FSP_LB1), 1));
	every_figure_counts(pool_tuned_queens, on_devices(board(9, 1, false), 2));
}

static void nodes_lost_by_pool_searches_are_detected(void **state)
{
	(void)state;
	loss_is_noticed(pool_search(SOLVE_PUBLISHED), on_devices(board(8, 1, false), 2), CHILDREN);
	loss_is_noticed(pool_search(SOLVE_PUBLISHED), on_devices(board(8, 1, false), 2),
			OFFLOADED_NODE);
	loss_is_noticed(pool_search(SOLVE_PUBLISHED), on_devices(board(8, 1, false), 2),
			STOLEN_NODE);
	loss_is_noticed(pool_tuned_queens, on_devices(board(9, 1, false), 1), DEALT_ROOTS);
}

/* ---- gmys-ivm ---- */

static void interval_searches_check_their_counts(void **state)
{
	(void)state;
	every_figure_counts(ivm_serial, board(7, 1, true));
	every_figure_counts(ivm_published, small_shop(3, FSP_LB1));
	every_figure_counts(ivm_published, on_devices(small_shop(1, FSP_LB1), 1));
	every_figure_counts(ivm_tuned_intervals, on_devices(board(8, 0, true), 2));
	every_figure_counts(ivm_tuned_intervals, on_devices(small_tour(0), 1));
}

static void searches_with_checkpoints_check_their_counts(void **state)
{
	char folder[] = "/tmp/copra-conservation-XXXXXX", path[64];
	struct checkpoint_plan plan = { .write = path };
	struct search_request r = board(7, 2, true);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/checkpoint", folder);
	r.checkpoint = &plan;
	every_figure_counts(ivm_serial, r);
	every_figure_counts(ivm_published, r);
	r.threads = 0;
	every_figure_counts(ivm_published, on_devices(r, 1));
	every_figure_counts(ivm_tuned_intervals, on_devices(r, 1));
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void lost_intervals_are_detected(void **state)
{
	(void)state;
	loss_is_noticed(ivm_serial, board(7, 1, true), END_OF_INTERVAL);
	loss_is_noticed(ivm_published, board(8, 2, true), END_OF_INTERVAL);
	loss_is_noticed(ivm_published, board(8, 2, true), DEALT_INTERVAL);
	loss_is_noticed(ivm_published, board(10, 3, true), SPLIT_INTERVAL);
	loss_is_noticed(ivm_tuned_intervals, on_devices(board(8, 0, true), 1), A_PIECE);
}

static void intervals_lost_by_devices_are_detected(void **state)
{
	(void)state;
	for (int fast = 0; fast < 2; fast++) {
		struct search_request r = on_devices(board(8, 0, true), 1);

		r.forms = fast ? IVM_FAST_FORMS : 0;
		loss_is_noticed(ivm_published, r, STOLEN_INSIDE);
		r = on_devices(board(9, 1, true), 1);
		r.forms = fast ? IVM_FAST_FORMS : 0;
		loss_is_noticed(ivm_published, r, TAKEN_INTERVAL);
	}
}

/* ---- flowshop on devices ---- */

static void device_flowshop_searches_check_their_counts(void **state)
{
	(void)state;
	every_figure_counts(dfs_search, on_devices(larger_shop(FSP_LB1, FSP_MINBRANCH), 2));
	every_figure_counts(dfs_search, on_devices(small_shop(0, FSP_LB2), 1));
	every_figure_counts(sets_forward, on_devices(larger_shop(FSP_LB2, FSP_FORWARD), 2));
	every_figure_counts(sets_two_sided, on_devices(larger_shop(FSP_LB2, FSP_MAXSUM), 2));
}

static void nodes_lost_by_devices_are_detected(void **state)
{
	(void)state;
	loss_is_noticed(dfs_search, on_devices(larger_shop(FSP_LB1, FSP_MINBRANCH), 2),
			TOP_OF_STACK);
	loss_is_noticed(dfs_search, on_devices(larger_shop(FSP_LB2, FSP_FORWARD), 1), TOP_OF_STACK);
	loss_is_noticed(sets_forward, on_devices(larger_shop(FSP_LB2, FSP_FORWARD), 2), A_CHUNK);
	loss_is_noticed(sets_two_sided, on_devices(larger_shop(FSP_LB2, FSP_MAXSUM), 1), A_CHUNK);
}

static int open_all(void **state)
{
	(void)state;
	open_devices(&devices, 2, "random", 1);
	shop = random_flowshop(7, 4, 20, 3);
	large_shop = random_flowshop(UNDER_TSAN ? 9 : 10, 6, 50, 2);
	tour = random_atsp(9, 30, 1);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	atsp_free(&tour);
	flowshop_free(&large_shop);
	flowshop_free(&shop);
	dev_set_close(&devices);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_searches_check_their_counts),
		cmocka_unit_test(tasks_and_segments_lost_by_cpu_searches_are_detected),
		cmocka_unit_test(pool_searches_check_their_counts),
		cmocka_unit_test(nodes_lost_by_pool_searches_are_detected),
		cmocka_unit_test(interval_searches_check_their_counts),
		cmocka_unit_test(searches_with_checkpoints_check_their_counts),
		cmocka_unit_test(lost_intervals_are_detected),
		cmocka_unit_test(intervals_lost_by_devices_are_detected),
		cmocka_unit_test(device_flowshop_searches_check_their_counts),
		cmocka_unit_test(nodes_lost_by_devices_are_detected),
	};

	return cmocka_run_group_tests_name("conservation", tests, open_all, close_all);
}
