/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens and ATSP by intervals: a dealer on the host (tuned_dealer.h) hands out pieces, and
 * devices search them.
 *
 * Each device has two slots with a stream each. A piece goes through a slot: its roots are copied
 * to the device and get more rows there, one launch per row, until their list is long enough; then
 * the list is searched depth first. While one slot searches, the lists of the other are made and
 * its last nodes are searched. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/intervals/tuned_dealer.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/device_threads.h"
#include "algorithms/tree-search/atsp/atsp_start.h"
#include "harness/base/clock.h"
#include "harness/base/arena.h"
#include "kernels/tree-search/queens.h"

#define ENGINE "gmys-ivm tuned"

enum { SLOTS = 2 }; /* pieces in progress on a device */

struct interval_device {
	struct device_thread share;
	/* in */
	struct ivm_dealer *dealer;
	double nodes_expected; /* of the whole tree */
	const uint32_t *table; /* ATSP */
	/* out */
	uint64_t nodes; /* found below roots */
	uint64_t pieces;
	struct balance balance;   /* of the lengths of pieces, modulo IVM_FACTORADIC_MODULUS */
	uint64_t listed, fetched; /* nodes of the searched lists; nodes that lanes took */
	uint64_t written;         /* nodes of all lists */
	double done;              /* clock_wall() when memory and streams were no longer needed */
};

/* ---- sizes ---- */

/* Sizes by kind of device, in pairs: N-Queens, ATSP. The subtrees of ATSP vary more. */
struct sizes {
	double grain[2];                      /* approximate nodes below a node of a list */
	uint32_t least, most[2];              /* nodes of a list to be searched */
	double piece_most[2], piece_least[2]; /* nodes */
};

static const struct sizes gpu_sizes = {
	{ 2000, 400 }, 1 << 15, { 1 << 21, 1 << 22 }, { 5e10, 5e9 }, { 3e9, 1e9 }
};
static const struct sizes sim_sizes = {
	{ 40, 40 }, 64, { 1 << 10, 1 << 10 }, { 2e5, 1e5 }, { 2e3, 1e3 }
};

static const struct sizes *sizes_of(enum dev_backend backend)
{
	return dev_backend_is_gpu(backend) ? &gpu_sizes : &sim_sizes;
}

/* The limits for the nodes of a piece, by the number of takers. */
static void set_piece_sizes(struct ivm_dealer *f, const struct sizes *sizes)
{
	bool atsp = f->tree.atsp;

	f->piece_most = sizes->piece_most[atsp];
	f->piece_least = sizes->piece_least[atsp] / (f->takers / SLOTS);
}

/* ---- the kernel's table (ATSP) ---- */

struct successor {
	int64_t cost;
	int column; /* of the pair of masks: 0 the arc is affordable, 1 with one more arc */
	int item;
};

static int by_cost(const void *a, const void *b)
{
	int64_t x = ((const struct successor *)a)->cost, y = ((const struct successor *)b)->cost;

	return (x > y) - (x < y);
}

/* The cost of the cheapest arc from `item` to another item or back to city 0. */
static int64_t cheapest(const struct ivm_tree *t, int item)
{
	int64_t least = INT64_MAX;

	for (int to = 0; to < t->atsp->cities; to++) {
		int64_t cost = t->atsp->cost[(item + 1) * t->atsp->cities + to];

		if (to != item + 1 && cost < least)
			least = cost;
	}
	return least;
}

static void fill_row(const struct ivm_tree *t, int item, int32_t *threshold, uint32_t (*mask)[2])
{
	struct successor s[2 * IVM_INTERVAL_ITEMS];
	int count = 0, ranks = 0;

	for (int to = 0; to < t->n; to++) {
		int64_t cost = t->atsp->cost[(item + 1) * t->atsp->cities + to + 1];

		if (to == item)
			continue;
		s[count++] = (struct successor){ cost, 0, to };
		s[count++] = (struct successor){ cost + cheapest(t, to), 1, to };
	}
	qsort(s, (size_t)count, sizeof(s[0]), by_cost);
	for (int i = 0; i < count; i++) {
		if (i == 0 || s[i].cost != s[i - 1].cost) {
			memcpy(mask[ranks + 1], mask[ranks], sizeof(mask[0]));
			threshold[ranks++] = s[i].cost < INT32_MAX ? (int32_t)s[i].cost : INT32_MAX;
		}
		mask[ranks][s[i].column] |= UINT32_C(1) << s[i].item;
	}
}

/* The table of struct atsp_shape, malloc'ed. NULL if there is no memory. */
static uint32_t *make_table(const struct ivm_tree *t)
{
	struct atsp_shape shape = atsp_shape_of(t->n);
	uint32_t *words = calloc((size_t)shape.words, sizeof(*words));
	int cities = t->atsp->cities;

	if (!words)
		return NULL;
	for (int i = 0; i < t->n; i++) {
		for (int to = 0; to < t->n; to++)
			words[i * ATSP_COLUMNS + to] =
				(uint32_t)t->atsp->cost[(i + 1) * cities + to + 1];
		words[i * ATSP_COLUMNS + IVM_INTERVAL_ITEMS] =
			(uint32_t)t->atsp->cost[(i + 1) * cities];
	}
	for (int i = 0; i < shape.rows; i++) {
		int row = i * ATSP_RANKS;
		int32_t *threshold = (int32_t *)words + shape.threshold + row;

		for (int k = 0; k < ATSP_RANKS; k++)
			threshold[k] = INT32_MAX;
		if (i < t->n)
			fill_row(t, i, threshold, (uint32_t(*)[2])(words + shape.mask) + row);
	}
	return words;
}

/* ---- a device ---- */

enum slot_state { SLOT_EMPTY, SLOT_LISTED, SLOT_SEARCHED };

struct slot {
	struct dev_stream *stream;
	void *memory; /* lists and control */
	struct ivm_interval_work work;
	struct ivm_interval_control *seen; /* pinned */
	struct ivm_piece *piece;
	enum slot_state state;
	int stages, stage; /* launched; the one to be searched */
};

struct run {
	struct interval_device *own;
	const struct ivm_tree *tree;
	const struct ivm_interval_kernels *kernels;
	const struct sizes *sizes;
	struct slot slot[SLOTS];
	uint32_t *table;                    /* device memory */
	uint32_t room;                      /* nodes of a list */
	int blocks[IVM_INTERVAL_ITEMS + 1]; /* of `search`, by rows; 0: not known yet */
	int expanders;
	struct err *e;
};

/* ---- memory ---- */

/* The nodes of a list to be searched, for a piece of `nodes` nodes. */
static double list_target(const struct run *u, double nodes)
{
	bool atsp = u->tree->atsp;
	double target = nodes / u->sizes->grain[atsp];

	target = target > u->sizes->least ? target : u->sizes->least;
	return target < u->sizes->most[atsp] ? target : u->sizes->most[atsp];
}

/* Chooses the room of a list: an expansion makes a list less than n times longer. */
static int choose_room(struct run *u)
{
	struct ivm_dealer *f = u->own->dealer;
	struct dev_info info;
	int status = dev_get_info(u->own->share.device, &info, u->e);
	double most = list_target(u, 2 * u->own->nodes_expected) * u->tree->n, room;

	if (status)
		return status;
	room = f->request->memory > 0 ? (double)f->request->memory : (double)info.memory_free / 2;
	room /= (double)(2 * SLOTS * sizeof(struct ivm_interval_node));
	room = room < most ? room : most;
	u->room = room < IVM_PIECE_ROOTS ? IVM_PIECE_ROOTS : (uint32_t)room;
	u->expanders = info.sm_count * 8;
	u->own->share.memory_peak =
		2 * SLOTS * (uint64_t)u->room * sizeof(struct ivm_interval_node);
	return 0;
}

static void place(struct slot *s, uint32_t room, struct arena *l)
{
	for (int i = 0; i < 2; i++)
		s->work.list[i] = arena_take(l, (size_t)room * sizeof(struct ivm_interval_node));
	s->work.control = arena_take(l, sizeof(struct ivm_interval_control));
}

static enum ivm_interval_team team_of(unsigned forms)
{
	return forms & SEARCH_NO_REFILL  ? IVM_TEAM_NONE :
	       forms & SEARCH_NO_SHARING ? IVM_TEAM_REFILL :
					   IVM_TEAM_SHARING;
}

static int open_slot(struct run *u, struct slot *s)
{
	struct dev *d = u->own->share.device;
	struct arena l = { 0 };
	int status = dev_stream_create(d, &s->stream, u->e);

	place(s, u->room, &l);
	if (!status)
		status = dev_alloc(d, &s->memory, l.used, u->e);
	if (!status)
		status = dev_host_alloc(d, (void **)&s->seen, sizeof(*s->seen), u->e);
	s->piece = malloc(sizeof(*s->piece));
	if (!status && !s->piece)
		status = err_set(u->e, ERR_MEMORY, "no memory for a piece of work");
	l = (struct arena){ s->memory, 0 };
	place(s, u->room, &l);
	s->work.items = u->tree->n;
	s->work.table = u->table;
	s->work.team = team_of(u->own->dealer->request->forms);
	return status;
}

static void close_slot(struct run *u, struct slot *s)
{
	if (s->stream)
		(void)dev_stream_sync(s->stream, NULL);
	dev_free(u->own->share.device, s->memory);
	dev_host_free(u->own->share.device, s->seen);
	free(s->piece);
	if (s->stream)
		dev_stream_destroy(s->stream);
}

static int open_table(struct run *u)
{
	size_t bytes = (size_t)atsp_shape_of(u->tree->n).words * sizeof(uint32_t);
	struct dev_stream *s = dev_default_stream(u->own->share.device);
	int status;

	if (!u->tree->atsp)
		return 0;
	status = dev_alloc(u->own->share.device, (void **)&u->table, bytes, u->e);
	if (!status)
		status = dev_copy_to(s, u->table, u->own->table, bytes, u->e);
	return status ? status : dev_stream_sync(s, u->e);
}

static int open_run(struct run *u)
{
	int status = choose_room(u);

	if (!status)
		status = open_table(u);
	for (int i = 0; !status && i < SLOTS; i++)
		status = open_slot(u, &u->slot[i]);
	return status;
}

static void close_run(struct run *u)
{
	for (int i = 0; i < SLOTS; i++)
		close_slot(u, &u->slot[i]);
	dev_free(u->own->share.device, u->table);
}

/* ---- one piece: from roots to a list ---- */

/* Plans the target length of the list and an upper limit of the launches needed. */
static void plan(const struct run *u, struct slot *s)
{
	const struct ivm_piece *p = s->piece;
	const double *level = p->level;
	double target = list_target(u, p->nodes), list = p->count,
	       most = (double)u->room / u->tree->n;
	int stages = 0, end = u->tree->n - p->depth - IVM_INTERVAL_LEAST_LEFT + 1;

	target = target < most ? target : most;
	while (stages < end && stages < IVM_INTERVAL_STAGES - 1 && list < 2 * target) {
		int depth = p->depth + stages++;

		list *= level[depth] > 0 ? level[depth + 1] / level[depth] : 1;
	}
	s->work.target = (uint32_t)target;
	s->stages = stages;
}

static int make_list(struct run *u, struct slot *s)
{
	int64_t best = s->piece->best;
	int status = 0;

	plan(u, s);
	memset(s->seen, 0, sizeof(*s->seen));
	s->seen->better = UINT64_MAX;
	s->seen->best = best < INT32_MAX ? (int32_t)best : INT32_MAX - 1;
	s->seen->nodes[0] = (uint32_t)s->piece->count;
	s->state = SLOT_LISTED;
	if (!status)
		status = dev_copy_to(s->stream, s->work.control, s->seen, sizeof(*s->seen), u->e);
	if (!status)
		status = dev_copy_to(s->stream, s->work.list[0], s->piece->root,
				     (size_t)s->piece->count * sizeof(s->piece->root[0]), u->e);
	for (int i = 0; !status && i < s->stages; i++)
		status = u->kernels->expand(s->stream, &s->work, i, u->expanders, u->e);
	if (!status)
		status = dev_copy_from(s->stream, s->seen, s->work.control, sizeof(*s->seen), u->e);
	return status;
}

/* ---- from the list to counts ---- */

static int most_blocks(struct run *u, struct slot *s, int rows, int *blocks)
{
	int status = 0;

	if (!u->blocks[rows])
		status = u->kernels->blocks(s->stream, &s->work, rows, &u->blocks[rows], u->e);
	*blocks = u->blocks[rows];
	return status;
}

static int search_list(struct run *u, struct slot *s)
{
	int status = dev_stream_sync(s->stream, u->e), rows, blocks, enough;

	if (status)
		return status;
	for (s->stage = 0; s->stage < s->stages; s->stage++)
		if (s->seen->nodes[s->stage] >= s->work.target)
			break;
	s->state = SLOT_SEARCHED;
	if (!s->seen->nodes[s->stage])
		return 0;
	rows = u->tree->n - s->piece->depth - s->stage;
	rows = rows > IVM_INTERVAL_LEAST_LEFT ? rows : IVM_INTERVAL_LEAST_LEFT;
	status = most_blocks(u, s, rows, &blocks);
	enough = (int)((s->seen->nodes[s->stage] + IVM_INTERVAL_BLOCK - 1) / IVM_INTERVAL_BLOCK);
	if (!status)
		status = u->kernels->search(s->stream, &s->work, s->stage, rows,
					    blocks < enough ? blocks : enough, u->e);
	if (!status)
		status = dev_copy_from(s->stream, s->seen, s->work.control, sizeof(*s->seen), u->e);
	return status;
}

static int32_t arc(const struct ivm_tree *t, int from, int to)
{
	return t->atsp->cost[ivm_interval_city(from) * t->atsp->cities + ivm_interval_city(to)];
}

static bool extend(const struct ivm_tree *t, struct ivm_interval_node node, int to, int64_t cost,
		   uint8_t *path)
{
	if (!node.a) {
		node.c += to < 0 ? (uint32_t)arc(t, (int)node.b, IVM_INTERVAL_START) : 0;
		return (int64_t)node.c == cost;
	}
	for (uint32_t open = node.a; open; open &= open - 1) {
		int item = __builtin_ctz(open);
		uint32_t left = node.a & ~(UINT32_C(1) << item);
		int64_t sum = (int64_t)node.c + arc(t, (int)node.b, item);

		if (sum > cost || (item == to && left))
			continue;
		*path = (uint8_t)item;
		if (extend(t, (struct ivm_interval_node){ left, (uint32_t)item, (uint32_t)sum, 0 },
			   to, cost, path + 1))
			return true;
	}
	return false;
}

/* Finds the items, in order, of a path of cost `cost` that goes from `from` (an item or
 * IVM_INTERVAL_START) through all of `items` and ends with `to`. to < 0: the path closes the tour,
 * whose last arc is included in the cost. Returns false if there is none. */
static bool find_path(const struct ivm_tree *t, int from, uint32_t items, int to, int64_t cost,
		      uint8_t *path)
{
	return extend(t, (struct ivm_interval_node){ items, (uint32_t)from, 0, 0 }, to, cost, path);
}

/* Finds the tour whose cost and node the device reported: the path to the node's root, from there
 * to the node, from there to the end. */
static int find_tour(struct run *u, struct slot *s, int64_t cost, uint32_t number)
{
	struct ivm_piece *p = s->piece;
	struct ivm_interval_node node;
	const struct ivm_interval_node *root;
	uint8_t *tour = p->tour;
	int status = dev_copy_from(s->stream, &node, s->work.list[s->stage % 2] + number,
				   sizeof(node), u->e);

	if (!status)
		status = dev_stream_sync(s->stream, u->e);
	if (status)
		return status;
	root = &p->root[node.d];
	int depth = u->tree->n - __builtin_popcount(root->a);
	int below = u->tree->n - __builtin_popcount(node.a);

	memcpy(tour, p->path[node.d], (size_t)depth);
	if (!find_path(u->tree, (int)root->b, root->a & ~node.a, (int)node.b,
		       (int64_t)node.c - root->c, tour + depth) ||
	    !find_path(u->tree, (int)node.b, node.a, -1, cost - node.c, tour + below))
		return err_set(u->e, ERR_FAILED,
			       "a device reported a tour of cost %lld that does not exist",
			       (long long)cost);
	p->best = cost;
	return 0;
}

/* The nodes that lanes took. Warps take several at a time until none is left, so the ticket can
 * exceed the length of the list. */
static uint32_t fetched(const struct ivm_interval_control *c, int stage)
{
	return c->ticket < c->nodes[stage] ? c->ticket : c->nodes[stage];
}

static void count_piece(struct run *u, const struct ivm_piece *p, bool taken)
{
	uint64_t length = ivm_factoradic_length(p->interval.first, p->interval.last, u->tree->n);
	const struct balance more = { .received = taken ? length : 0,
				      .popped = taken ? 0 : length };

	u->own->balance.modulus = IVM_FACTORADIC_MODULUS;
	balance_add(&u->own->balance, &more);
}

static int finish(struct run *u, struct slot *s)
{
	struct ivm_piece *p = s->piece;
	int status = dev_stream_sync(s->stream, u->e);
	uint64_t children = s->seen->children, leaves = s->seen->leaves, better = s->seen->better;

	s->state = SLOT_EMPTY;
	if (!status && better != UINT64_MAX && (int64_t)(better >> 32) < p->best)
		status = find_tour(u, s, (int64_t)(better >> 32), (uint32_t)better);
	if (status)
		return status;
	p->counts.decomposed += u->tree->atsp ? children : children - leaves;
	p->counts.leaves += leaves;
	p->counts.solutions += u->tree->atsp ? 0 : leaves * (uint64_t)p->weight;
	for (int i = 0; i <= s->stage; i++)
		u->own->written += s->seen->nodes[i];
	u->own->listed += s->seen->nodes[s->stage];
	u->own->fetched += fetched(s->seen, s->stage);
	count_piece(u, p, false);
	u->own->nodes += children;
	u->own->pieces++;
	ivm_dealer_finish(u->own->dealer, p, (double)children);
	return 0;
}

/* ---- all pieces ---- */

/* Fills an empty slot unless the search is stopped. */
static int fill_slot(struct run *u, struct slot *s, int *limit)
{
	if (!*limit)
		*limit = device_thread_stopped(&u->own->share);
	if (*limit || !ivm_dealer_take(u->own->dealer, s->piece)) {
		joining_end(u->own->share.joining);
		return 0;
	}
	count_piece(u, s->piece, true);
	return make_list(u, s);
}

/* After a stop, the slots finish their current work. */
static int take_pieces(struct run *u)
{
	int limit = 0, status = fill_slot(u, &u->slot[0], &limit);

	for (int i = 0; !status; i = (i + 1) % SLOTS) {
		struct slot *s = &u->slot[i], *other = &u->slot[(i + 1) % SLOTS];

		if (s->state == SLOT_LISTED)
			status = search_list(u, s);
		if (!status && other->state == SLOT_SEARCHED)
			status = finish(u, other);
		if (!status && other->state == SLOT_EMPTY)
			status = fill_slot(u, other, &limit);
		if (s->state == SLOT_EMPTY && other->state == SLOT_EMPTY)
			break;
	}
	return status ? status : limit;
}

/* One more device takes pieces, which become smaller. */
static void count_taker(struct run *u)
{
	struct ivm_dealer *f = u->own->dealer;

	pthread_mutex_lock(&f->lock);
	f->takers += SLOTS;
	set_piece_sizes(f, u->sizes);
	pthread_mutex_unlock(&f->lock);
}

static int interval_device_run(void *device)
{
	struct interval_device *own = device;
	struct run u = { .own = own,
			 .tree = &own->dealer->tree,
			 .kernels = own->dealer->tree.atsp ?
					    ivm_atsp_kernels_for(own->share.device) :
					    ivm_queens_kernels_for(own->share.device),
			 .sizes = sizes_of(dev_backend_of(own->share.device)),
			 .e = &own->share.error };
	double begin = clock_wall();
	int status = open_run(&u);

	device_thread_ready(&own->share, begin);
	if (own->share.joining->on && own->share.number > 0)
		count_taker(&u);
	if (!status)
		status = take_pieces(&u);
	own->done = clock_wall();
	close_run(&u);
	return status;
}

/* ---- the search ---- */

struct search {
	const struct search_request *request;
	struct ivm_tree tree;
	struct ivm_dealer dealer;
	uint32_t *table;
	int devices;
	struct interval_device device[DEV_MAX];
	struct interrupt interrupt;
	struct joining joining;
	atomic_bool failed;
};

static int check(const struct search_request *r, struct err *e)
{
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the search by intervals needs a device");
	if (r->flowshop)
		return err_set(e, ERR_USAGE,
			       "the search by intervals takes only N-Queens and ATSP");
	if (r->atsp && r->atsp->cities > IVM_INTERVAL_ITEMS + 1)
		return err_set(e, ERR_UNSUPPORTED,
			       "the search by intervals takes at most %d cities",
			       IVM_INTERVAL_ITEMS + 1);
	if (r->atsp)
		return 0;
	if (!r->half_board)
		return err_set(e, ERR_USAGE, "the search by intervals works on half a board");
	if (r->queens < 1)
		return err_set(e, ERR_INPUT, "%d queens: there must be at least 1", r->queens);
	if (r->queens > QUEENS_MAX_COUNTED)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d queens: placements of more than %d do not fit 64-bit counts",
			       r->queens, QUEENS_MAX_COUNTED);
	return 0;
}

static int open_search(struct search *s, int64_t best, const int64_t *tour, struct err *e)
{
	const struct search_request *r = s->request;
	struct ivm_dealer *f = &s->dealer;
	int status = ivm_dealer_open(f, &s->tree, r, best, tour, s->devices * SLOTS, e);

	f->takers = joining_first(&s->joining, s->devices) * SLOTS; /* with room for all */
	set_piece_sizes(f, sizes_of(r->devices->backend));
	if (!status && r->atsp) {
		s->table = make_table(&s->tree);
		status = s->table ? 0 : err_set(e, ERR_MEMORY, "no memory for a table of costs");
	}
	for (int i = 0; i < s->devices; i++)
		s->device[i] = (struct interval_device){
			.share = { .device = r->devices->dev[i],
				   .interrupt = &s->interrupt,
				   .failed = &s->failed,
				   .joining = &s->joining,
				   .number = i },
			.dealer = f,
			.nodes_expected = f->all,
			.table = s->table,
		};
	return status;
}

/* ---- the outcome ---- */

/* The set-up time lasts until the slowest device is ready, and includes freeing its memory. */
static void collect(const struct search *s, struct search_outcome *o, double begin)
{
	double ready = begin, done = begin, end = clock_wall();

	o->complete = !s->dealer.opened && !s->dealer.under_way;
	for (int i = 0; i < s->devices; i++) {
		const struct interval_device *d = &s->device[i];

		if (!d->share.worked)
			continue;
		o->workers = i + 1;
		o->devices_used |= (uint32_t)(d->pieces > 0) << i;
		o->worker_explored[i] = d->nodes;
		o->offloads += d->pieces;
		o->bytes += 2 * sizeof(struct ivm_interval_node) * (double)d->written;
		if (i < joining_first(&s->joining, s->devices) && d->share.ready > ready)
			ready = d->share.ready;
		done = d->done > done ? d->done : done;
		if (d->share.memory_peak > o->memory_peak)
			o->memory_peak = d->share.memory_peak;
	}
	o->seconds_setup = ready - begin + end - done;
}

/* Checks that every piece the dealer handed out was finished, and that every node that a device
 * listed was searched. Devices finish the pieces they have taken. */
static int check_balance(struct search *s, bool complete, struct err *e)
{
	static const struct balance_name dealer = { ENGINE, "dealer", -1, "lengths of intervals" };
	static const struct balance_name all = { ENGINE, NULL, -1, "lengths of pieces" };
	struct balance_name name = { ENGINE, "device", 0, "lengths of pieces" };
	struct balance_name node = { ENGINE, "device", 0, NULL };
	struct balance b = ivm_dealer_balance(&s->dealer), sum = { .modulus = b.modulus };
	int status = balance_check(&b, &dealer, complete, e);

	if (dev_set_cancelled(s->request->devices))
		return status; /* the dealer still counts the pieces on the devices as open */
	for (int i = 0; i < s->devices && !status; i++) {
		const struct interval_device *d = &s->device[i];

		name.number = node.number = i;
		status = balance_check(&d->balance, &name, complete, e);
		if (!status)
			status = balance_equal(&node, "listed", d->listed, "searched", d->fetched,
					       e);
		balance_add(&sum, &d->balance);
	}
	return status ? status :
			balance_equal(&all, "finished", sum.popped, "finished at the dealer",
				      b.popped, e);
}

static int search(struct search *s, int64_t best, const int64_t *tour, struct search_outcome *o,
		  struct err *e)
{
	struct ivm_dealer *f = &s->dealer;
	double begin = clock_wall();
	int status = open_search(s, best, tour, e), failed = 0;

	if (!status) {
		status = device_threads_run(interval_device_run, s->device, sizeof(s->device[0]),
					    s->devices, e);
		collect(s, o, begin);
		if (status == ERR_LIMIT && o->complete) /* the pieces in progress completed it */
			status = 0;
		if (!status || status == ERR_LIMIT)
			failed = check_balance(s, !status, e);
		if (!failed && (!status || status == ERR_LIMIT))
			failed = ivm_dealer_write_last(f, e);
		o->complete = o->complete && !failed;
		if (!failed)
			failed = ivm_origin_answer(&f->origin, &f->problem, f->counts, o->complete,
						   o, e);
	}
	free(s->table);
	ivm_dealer_close(f);
	return failed ? failed : status;
}

/* Without a bound, ATSP starts from a heuristic tour, unless it continues open work in memory. */
static int begin_atsp(struct search *s, struct search_outcome *o, struct err *e)
{
	const struct search_request *r = s->request;
	int64_t *tour, best;
	int status;

	if (r->ub != SEARCH_NO_UB || (r->checkpoint && r->checkpoint->from))
		return search(s, 0, NULL, o, e);
	tour = malloc((size_t)r->atsp->cities * sizeof(*tour));
	if (!tour)
		return err_set(e, ERR_MEMORY, "no memory for a tour of %d cities", r->atsp->cities);
	status = atsp_start(r->atsp, &s->interrupt, tour, &best, e);
	if (!status)
		status = search(s, best, tour, o, e);
	free(tour);
	return status;
}

int ivm_tuned_intervals(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();
	struct search s = { .request = r, .interrupt = interrupt_from(r) };
	int status = check(r, e);

	memset(o, 0, sizeof(*o));
	if (status)
		return status;
	s.devices = device_threads_count(r);
	joining_open(&s.joining, r, s.devices);
	s.tree = (struct ivm_tree){ r->atsp, r->atsp ? r->atsp->cities - 1 : r->queens };
	status = r->atsp ? begin_atsp(&s, o, e) : search(&s, 0, NULL, o, e);
	joining_close(&s.joining);
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
