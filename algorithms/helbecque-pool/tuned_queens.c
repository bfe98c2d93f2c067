/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on devices. kernels/helbecque-pool/queens.h describes which nodes are visited and why
 * this counts all placements. queens_roots.h describes where the search starts.
 *
 * Each device has two slots with a stream each. A part of the roots goes through a slot: the roots
 * are copied to the device, get more rows there, one launch per row, and are then searched depth
 * first. The last blocks of one part run beside the first of the next. A part that outgrows its
 * lists is repeated in halves. A single node that outgrows them is replaced by its children. Any
 * list has room for one node.
 *
 * Checkpoints hold roots as records whose rows go from the middle outwards
 * (CHECKPOINT_FROM_MIDDLE), with a rule of their own if only solutions are counted. A root is open
 * until its whole part has been searched: what a device has counted of an unfinished part is left
 * out. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/helbecque-pool/open_work.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/queens_roots.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/device_threads.h"
#include "harness/base/clock.h"

/* The parts that devices have been given, for a search that has to tell its open roots. */
enum { SLOTS = 2 };
struct ledger {
	pthread_mutex_t lock; /* parts are handed out and completed under it */
	struct {
		struct pool_queens_part part[SLOTS]; /* count 0: none */
		uint64_t halves, solutions;          /* of the completed parts */
	} device[DEV_MAX];
	struct pool_saver saver;
	bool writing; /* a device writes the file; the saver is its own meanwhile */
};

struct search;

struct pool_queens_device {
	struct device_thread share;
	/* in */
	struct search *search;
	struct pool_queens_dealer *dealer;
	const struct search_request *request;
	int number;
	/* out */
	uint64_t halves, solutions;
	uint64_t parts;           /* launched */
	struct balance balance;   /* of roots, and of nodes that had to be split on the host */
	uint64_t listed, fetched; /* nodes of the searched lists; nodes that lanes took */
	uint64_t written;         /* nodes of all lists */
};

struct search {
	const struct search_request *request;
	struct pool_queens_roots roots;
	int devices;
	struct pool_queens_dealer dealer[DEV_MAX]; /* one for all devices, or one each */
	struct pool_queens_device device[DEV_MAX];
	struct interrupt interrupt;
	struct joining joining;
	atomic_bool failed;
	struct ledger ledger;
};

/* ---- a device ---- */

enum {
	ROWS_A_LANE = 10, /* rows that a lane searches, N - depth; even; about 500 steps per node */
	/* from this N on, two more rows are 15 % faster, because waiting for the last lanes no
	   longer matters */
	LONG_SEARCH = 20,
	LEAST_DEPTH = 6,
	DEPTHS = 32, /* entries of the counts of nodes */
	/* nodes of one list. A stop waits for two lists, at most one second each */
	ROOM_MAX = 1 << 25,
	ROOM_MAX_LONG = 1 << 23,
	ROOM_MAX_SIM = 1 << 14,
	ROOM_MAX_LONG_SIM = 1 << 8
};

/* The results of a part on the device. */
struct control {
	struct pool_queens_counts counts;
	uint32_t nodes[DEPTHS]; /* by depth; a count above the room means that not all were written
				 */
	uint32_t ticket;
};

/* Nodes of one depth that are searched together. */
struct work {
	const struct pool_queens_node *node;
	int64_t count;
	int depth;
};

struct slot {
	struct dev_stream *stream;
	struct pool_queens_node *list[2]; /* device memory */
	struct control *control, *seen;   /* device memory, pinned */
	struct work work;
	bool busy;
};

struct run {
	struct pool_queens_device *own;
	const struct pool_queens_kernels *kernels;
	const struct pool_queens_roots *roots;
	struct slot slot[SLOTS];
	int depth; /* where expanding ends and the search begins */
	uint32_t room;
	/* nodes at `depth` per root, from a sample and the parts so far */
	double growth;
	int blocks;
	struct err *e;
};

/* The depth where the depth-first search begins; it has the parity of N. */
static int search_depth(const struct pool_queens_roots *r, unsigned forms)
{
	int rows = forms & SEARCH_BY_LISTS ? 2 :
		   r->queens < LONG_SEARCH ? ROWS_A_LANE :
					     ROWS_A_LANE + 2;
	int depth = r->queens - rows, least = LEAST_DEPTH + r->queens % 2;

	depth = depth < least ? least : depth;
	depth = depth > r->queens - 2 ? r->queens - 2 : depth;
	return depth < r->depth ? r->depth + (r->queens - r->depth) % 2 : depth;
}

/* Lists have room for this multiple of the expected nodes. A part that still outgrows its list is
 * repeated in halves. */
static const double SPARE = 1.3;

/* The longest list is the one that is searched, unless lists are made for nearly all rows. */
static double most_growth(const struct run *u)
{
	double most = pool_queens_roots_growth(u->roots, u->depth);

	if (!(u->own->request->forms & SEARCH_BY_LISTS))
		return most;
	for (int d = u->roots->depth + 1; d < u->depth; d++) {
		double growth = pool_queens_roots_growth(u->roots, d);

		most = growth > most ? growth : most;
	}
	return most;
}

static double most_room(const struct run *u)
{
	bool longer = u->roots->queens > LONG_SEARCH;

	if (dev_backend_is_gpu(dev_backend_of(u->own->share.device)))
		return longer ? ROOM_MAX_LONG : ROOM_MAX;
	return longer ? ROOM_MAX_LONG_SIM : ROOM_MAX_SIM;
}

static int choose_room(struct run *u)
{
	const struct pool_queens_roots *r = u->roots;
	double most = SPARE * u->growth * (double)r->count + 64, room = most_room(u);
	struct dev_info info;
	int status = dev_get_info(u->own->share.device, &info, u->e);
	double bytes = (double)u->own->request->memory;

	if (status)
		return status;
	if (bytes <= 0)
		bytes = (double)info.memory_free / 2;
	bytes /= (double)(SLOTS * 2 * sizeof(struct pool_queens_node));
	room = room < bytes ? room : bytes;
	u->room = (uint32_t)(room < most ? room : most) + 1;
	u->own->share.memory_peak = (uint64_t)u->room * SLOTS * 2 * sizeof(struct pool_queens_node);
	return 0;
}

static int open_slot(struct run *u, struct slot *s)
{
	struct dev *d = u->own->share.device;
	size_t bytes = (size_t)u->room * sizeof(struct pool_queens_node);
	int status = dev_stream_create(d, &s->stream, u->e);

	for (int i = 0; !status && i < 2; i++)
		status = dev_alloc(d, (void **)&s->list[i], bytes, u->e);
	if (!status)
		status = dev_alloc(d, (void **)&s->control, sizeof(*s->control), u->e);
	if (!status)
		status = dev_host_alloc(d, (void **)&s->seen, sizeof(*s->seen), u->e);
	return status;
}

static void close_slot(struct run *u, struct slot *s)
{
	struct dev *d = u->own->share.device;

	if (s->stream)
		(void)dev_stream_sync(s->stream, NULL);
	for (int i = 0; i < 2; i++)
		dev_free(d, s->list[i]);
	dev_free(d, s->control);
	dev_host_free(d, s->seen);
	if (s->stream)
		dev_stream_destroy(s->stream);
}

static struct pool_queens_search launch_of(const struct run *u, const struct slot *s, int depth)
{
	return (struct pool_queens_search){
		.queens = u->roots->queens,
		.solutions_only = u->roots->solutions_only,
		.no_refill = u->own->request->forms & SEARCH_NO_REFILL,
		.node = s->list[(depth - s->work.depth) % 2],
		.count = &s->control->nodes[depth],
		.ticket = &s->control->ticket,
		.depth = depth,
		.counts = &s->control->counts,
	};
}

/* Not more blocks than the nodes of depth `depth` can fill: each further row takes a column. */
static int blocks_for(const struct run *u, const struct slot *s, int depth)
{
	double enough = (double)s->work.count / POOL_QUEENS_BLOCK + 1;

	for (int d = s->work.depth; d < depth && enough < u->blocks; d++)
		enough *= u->roots->queens - d;
	return enough < u->blocks ? (int)enough : u->blocks;
}

/* Starts a piece of work of at most `room` nodes. */
static int start(struct run *u, struct slot *s, struct work w)
{
	struct pool_queens_search q;
	int status;

	s->work = w;
	s->busy = true;
	u->own->parts++;
	memset(s->seen, 0, sizeof(*s->seen));
	s->seen->nodes[w.depth] = (uint32_t)w.count;
	status = dev_copy_to(s->stream, s->control, s->seen, sizeof(*s->seen), u->e);
	if (!status)
		status = dev_copy_to(s->stream, s->list[0], w.node,
				     (size_t)w.count * sizeof(struct pool_queens_node), u->e);
	for (int d = w.depth; !status && d < u->depth; d++) {
		q = launch_of(u, s, d);
		status = u->kernels->expand(
			s->stream, &q,
			(struct pool_queens_list){ .node = s->list[(d + 1 - w.depth) % 2],
						   .count = &s->control->nodes[d + 1],
						   .room = u->room },
			blocks_for(u, s, d), u->e);
	}
	q = launch_of(u, s, u->depth);
	if (!status)
		status = u->kernels->search(s->stream, &q, u->room, blocks_for(u, s, u->depth),
					    u->e);
	if (!status)
		status = dev_copy_from(s->stream, s->seen, s->control, sizeof(*s->seen), u->e);
	return status;
}

static bool overran(const struct run *u, const struct slot *s)
{
	for (int d = s->work.depth; d <= u->depth; d++)
		if (s->seen->nodes[d] > u->room)
			return true;
	return false;
}

static int finish(struct run *u, struct slot *s);
static int again(struct run *u, struct slot *s, struct work w);

/* Completes a piece of work. */
static int run_work(struct run *u, struct slot *s, struct work w)
{
	int status = device_thread_stopped(&u->own->share);

	if (status)
		u->own->balance.left += (uint64_t)w.count;
	if (status || w.count == 0)
		return status;
	if (w.count > u->room)
		return again(u, s, w);
	status = start(u, s, w);
	return status ? status : finish(u, s);
}

/* Replaces one node by its children, which are counted here. */
static int split(struct run *u, struct slot *s, struct work w)
{
	struct pool_queens_node child[POOL_QUEENS_MAX];
	struct work below = { child, 0, w.depth + 1 };
	uint32_t weight = pool_queens_weight(w.node->rule);

	for (uint32_t open = pool_queens_open(w.node); open; open &= open - 1) {
		struct pool_queens_child c =
			pool_queens_place(w.node, open & (0 - open), u->roots->queens);

		u->own->halves += (uint64_t)c.halves << weight;
		u->own->solutions += (uint64_t)c.solution << weight;
		child[below.count] = c.node;
		below.count += c.alive;
	}
	u->own->balance.popped++;
	u->own->balance.pushed += (uint64_t)below.count;
	return run_work(u, s, below);
}

/* Repeats work that did not fit, in halves. */
static int again(struct run *u, struct slot *s, struct work w)
{
	struct work a = w, b = w;
	int status;

	if (w.count == 1)
		return split(u, s, w);
	a.count /= 2;
	b.node += a.count;
	b.count -= a.count;
	status = run_work(u, s, a);
	if (!status)
		return run_work(u, s, b);
	u->own->balance.left += (uint64_t)b.count;
	return status;
}

/* The nodes that lanes took. Warps take several at a time until none is left, so the ticket can
 * exceed the length of the list. */
static uint32_t fetched(const struct control *c, int depth)
{
	return c->ticket < c->nodes[depth] ? c->ticket : c->nodes[depth];
}

static int finish(struct run *u, struct slot *s)
{
	int status = dev_stream_sync(s->stream, u->e);
	double growth;

	s->busy = false;
	if (status)
		return status;
	growth = (double)s->seen->nodes[u->depth] / (double)s->work.count;
	if (s->work.depth == u->roots->depth && u->growth < growth)
		u->growth = growth;
	if (overran(u, s))
		return again(u, s, s->work);
	u->own->halves += s->seen->counts.halves;
	watch_count(u->own->request->watch, u->own->number, u->own->halves / 2);
	u->own->solutions += s->seen->counts.solutions;
	u->own->balance.popped += s->seen->nodes[s->work.depth];
	for (int d = s->work.depth; d <= u->depth; d++)
		u->own->written += s->seen->nodes[d];
	u->own->listed += s->seen->nodes[u->depth];
	u->own->fetched += fetched(s->seen, u->depth);
	return 0;
}

/* The share of the roots that were dealt, if there is one dealer for all devices. */
static void show_share(const struct run *u)
{
	struct pool_queens_dealer *d = u->own->dealer;

	if (!u->own->request->watch || d->all != u->roots->count)
		return;
	pthread_mutex_lock(&d->lock);
	watch_share(u->own->request->watch, 1 - (double)pool_queens_left(d) / (double)d->all);
	pthread_mutex_unlock(&d->lock);
}

static struct ledger *ledger_of(const struct run *u);
static int save_if_due(const struct run *u);

/* Gets a part for slot `i`. */
static bool next_part(struct run *u, int i, struct work *w)
{
	int64_t most = (int64_t)((double)u->room / (SPARE * u->growth));
	struct ledger *l = ledger_of(u);
	struct pool_queens_part p;
	bool dealt;

	if (l)
		pthread_mutex_lock(&l->lock);
	dealt = pool_queens_deal(u->own->dealer, most > 1 ? most : 1, &p);
	if (l && dealt)
		l->device[u->own->number].part[i] = p;
	if (l)
		pthread_mutex_unlock(&l->lock);
	if (!dealt) {
		joining_end(u->own->share.joining);
		return false;
	}
	show_share(u);
	u->own->balance.received += (uint64_t)p.count;
	*w = (struct work){ u->roots->node + p.first, p.count, u->roots->depth };
	return true;
}

/* Finishes the part of slot `i`. The other slot has counted nothing yet. A part that is stopped in
 * the middle stays open, so what was counted of it is discarded. */
static int finish_part(struct run *u, int i)
{
	struct ledger *l = ledger_of(u);
	uint64_t halves = u->own->halves, solutions = u->own->solutions;
	int status = finish(u, &u->slot[i]);

	if (l && status) {
		u->own->halves = halves;
		u->own->solutions = solutions;
	}
	if (status || !l)
		return status;
	pthread_mutex_lock(&l->lock);
	l->device[u->own->number].part[i].count = 0;
	l->device[u->own->number].halves = u->own->halves;
	l->device[u->own->number].solutions = u->own->solutions;
	pthread_mutex_unlock(&l->lock);
	return save_if_due(u);
}

/* After a stop, the slots finish their current work. */
static int take_parts(struct run *u)
{
	int status = 0, limit = 0;

	for (int i = 0; !status; i = (i + 1) % SLOTS) {
		struct slot *s = &u->slot[i];
		struct work w;

		if (s->busy)
			status = finish_part(u, i);
		if (!status && !limit)
			status = device_thread_stopped(&u->own->share);
		if (status == ERR_LIMIT) {
			limit = status;
			status = 0;
		}
		if (!status && !limit && next_part(u, i, &w))
			status = start(u, s, w);
		else if (!status && !u->slot[0].busy && !u->slot[1].busy)
			break;
	}
	return status ? status : limit;
}

/* One more device takes parts, which become smaller. */
static void count_taker(struct pool_queens_dealer *d)
{
	pthread_mutex_lock(&d->lock);
	d->takers++;
	pthread_mutex_unlock(&d->lock);
}

static int pool_queens_device_run(void *device)
{
	struct pool_queens_device *own = device;
	struct run u = { .own = own,
			 .kernels = pool_queens_kernels_for(own->share.device),
			 .roots = own->dealer->roots,
			 .e = &own->share.error };
	double begin = clock_wall();
	int status;

	u.depth = search_depth(u.roots, own->request->forms);
	u.growth = most_growth(&u);
	status = choose_room(&u);
	for (int i = 0; !status && i < SLOTS; i++)
		status = open_slot(&u, &u.slot[i]);
	if (!status)
		status = u.kernels->blocks(u.slot[0].stream, u.roots->queens - u.depth,
					   u.roots->solutions_only, &u.blocks, u.e);
	device_thread_ready(&own->share, begin);
	if (own->search->joining.on && own->number > 0)
		count_taker(own->dealer);
	if (!status)
		status = take_parts(&u);
	for (int i = 0; i < SLOTS; i++)
		close_slot(&u, &u.slot[i]);
	return status;
}

/* ---- the search ---- */

/* The host makes this many roots per device: enough to distribute them, in less than a millisecond.
 */
enum { ENOUGH_ROOTS = 4096 };

static int check(const struct search_request *r, struct err *e)
{
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the tuned N-Queens search needs a device");
	if (r->queens < 1)
		return err_set(e, ERR_INPUT, "%d queens: there must be at least 1", r->queens);
	if (r->queens > POOL_QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d queens: placements of more than %d do not fit 64-bit counts",
			       r->queens, POOL_QUEENS_MAX);
	return 0;
}

static void open_dealers(struct search *s)
{
	int dealers = s->request->no_stealing ? s->devices : 1;

	for (int i = 0; i < s->devices; i++) {
		struct pool_queens_dealer *d = &s->dealer[i < dealers ? i : 0];

		if (i < dealers)
			pool_queens_dealer_open(d, &s->roots, i, dealers,
						joining_first(&s->joining, s->devices) / dealers);
		s->device[i].dealer = d;
	}
}

static void close_dealers(struct search *s)
{
	for (int i = 0; i < (s->request->no_stealing ? s->devices : 1); i++)
		pool_queens_dealer_close(&s->dealer[i]);
}

/* The counts of the completed parts of a device, if the search has to tell its open roots, else all
 * that it has counted. */
static uint64_t halves_of(const struct search *s, int device)
{
	return pool_saver_keeps(&s->ledger.saver) ? s->ledger.device[device].halves :
						    s->device[device].halves;
}

static uint64_t solutions_of(const struct search *s, int device)
{
	return pool_saver_keeps(&s->ledger.saver) ? s->ledger.device[device].solutions :
						    s->device[device].solutions;
}

/* The counts of this run. Weights are even, so halves are, too (with all placements as roots, only
 * those of the whole search). */
static void sum_counts(const struct search *s, struct search_outcome *o)
{
	uint64_t halves = s->roots.halves;

	o->explored = s->roots.explored;
	o->solutions = s->roots.solutions;
	for (int i = 0; i < s->devices; i++) {
		halves += halves_of(s, i);
		o->solutions += solutions_of(s, i);
	}
	o->explored += halves / 2;
}

static void collect(const struct search *s, struct search_outcome *o)
{
	int workers = 0;

	sum_counts(s, o);
	pool_saver_add_past(&s->ledger.saver, o);
	for (int i = 0; i < s->devices; i++) {
		const struct pool_queens_device *d = &s->device[i];

		o->worker_explored[i] = halves_of(s, i) / 2;
		o->offloads += d->parts;
		o->devices_used |= (uint32_t)(d->parts > 0) << i;
		o->bytes += 2 * sizeof(struct pool_queens_node) * (double)d->written;
		if (d->share.memory_peak > o->memory_peak)
			o->memory_peak = d->share.memory_peak;
		workers = d->share.worked ? i + 1 : workers;
	}
	o->workers = workers;
}

/* ---- what is open, and the file ---- */

static struct ledger *ledger_of(const struct run *u)
{
	struct ledger *l = &u->own->search->ledger;

	return pool_saver_keeps(&l->saver) ? l : NULL;
}

static int dealers(const struct search *s)
{
	return s->request->no_stealing ? s->devices : 1;
}

/* The roots that were not dealt, and those of unfinished parts. With the lock held, or after the
 * search. */
static int open_roots(const struct search *s, struct pool_open *open, struct err *e)
{
	const struct pool_queens_roots *r = &s->roots;
	bool room = true;

	open->items = s->request->queens;
	for (int i = 0; i < dealers(s) && room; i++) {
		const struct pool_queens_dealer *d = &s->dealer[i];

		room = pool_queens_roots_tell(r, d->next, pool_queens_left(d), open);
	}
	for (int i = 0; i < s->devices; i++) {
		for (int k = 0; k < SLOTS && room; k++) {
			const struct pool_queens_part *p = &s->ledger.device[i].part[k];

			room = pool_queens_roots_tell(r, p->first, p->count, open);
		}
	}
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for a copy of the open roots");
}

/* Writes the file if it is due. The lock is released while it is written. */
static int save_if_due(const struct run *u)
{
	struct search *s = u->own->search;
	struct ledger *l = &s->ledger;
	struct pool_open open = { .count = 0 };
	struct search_outcome o = { .best = 0 };
	int status = 0;
	bool due;

	pthread_mutex_lock(&l->lock);
	due = !l->writing && pool_saver_due(&l->saver);
	if (due) {
		l->writing = true;
		status = open_roots(s, &open, u->e);
		sum_counts(s, &o);
	}
	pthread_mutex_unlock(&l->lock);
	if (!due)
		return 0;
	if (!status)
		status = pool_saver_write(&l->saver, &o, NULL, &open, u->e);
	pool_open_free(&open);
	pthread_mutex_lock(&l->lock);
	l->writing = false;
	pthread_mutex_unlock(&l->lock);
	return status;
}

/* Keeps the state at the end. Returns `ended`, or an error; 0 if a stopped search has nothing left.
 */
static int keep_state(struct search *s, int ended, struct err *e)
{
	struct pool_open open = { .count = 0 };
	struct search_outcome o = { .best = 0 };
	uint64_t left;
	int status;

	if (!pool_saver_keeps(&s->ledger.saver) || (ended && ended != ERR_LIMIT))
		return ended;
	status = open_roots(s, &open, e);
	left = open.count;
	sum_counts(s, &o);
	if (!status)
		status = pool_saver_end(&s->ledger.saver, &o, NULL, &open, e);
	pool_open_free(&open);
	return status || !left ? status : ended;
}

/* ---- the end of a search ---- */

/* Checks that every root was dealt to a device, and that every node that a device listed was
 * searched. */
static int check_balance(const struct search *s, bool complete, struct err *e)
{
	struct balance_name name = { "helbecque-pool tuned", "device", 0, NULL };
	struct balance host = { .initial = (uint64_t)s->roots.count }, b[DEV_MAX];
	int status = 0;

	if (dev_set_cancelled(s->request->devices))
		return 0; /* the outcome does not include the work that was on the devices */
	for (int i = 0; i < (s->request->no_stealing ? s->devices : 1); i++) {
		uint64_t left = (uint64_t)pool_queens_left(&s->dealer[i]);

		host.given += (uint64_t)s->dealer[i].all - left;
		host.left += left;
	}
	for (int i = 0; i < s->devices && !status; i++) {
		b[i] = s->device[i].balance;
		name.number = i;
		status = balance_equal(&name, "listed", s->device[i].listed, "searched",
				       s->device[i].fetched, e);
	}
	return status ? status : balance_check_all(b, s->devices, &host, &name, complete, e);
}

/* The time from when the roots were made until the slowest of the devices that begin was ready. */
static double setup_seconds(const struct search *s, double begin)
{
	double latest = begin;

	for (int i = 0; i < joining_first(&s->joining, s->devices); i++)
		latest = s->device[i].share.ready > latest ? s->device[i].share.ready : latest;
	return latest - begin;
}

/* From 24 queens on the nodes below one root would outgrow a list, so there are more roots. */
static int64_t enough_roots(const struct search *s)
{
	enum {
		LARGE = 23,
		MORE_A_QUEEN = 3 /* log2 of the growth by one more row, approximately */
	};
	/* a search that takes long enough for others to join */
	bool all = !s->joining.on || s->request->queens >= LONG_SEARCH;
	int64_t enough = (int64_t)ENOUGH_ROOTS * (all ? s->devices : 1), n = s->request->queens;

	return n > LARGE ? enough << (MORE_A_QUEEN * (n - LARGE)) : enough;
}

static int make_roots(struct search *s, struct err *e)
{
	const struct search_request *r = s->request;
	const struct checkpoint_past *past = &s->ledger.saver.past;
	const struct pool_open from = { .items = r->queens,
					.count = past->state.count,
					.work = past->state.work };
	int status = pool_queens_roots_make(&s->roots, r, past->resumed ? &from : NULL,
					    r->queens - 4, enough_roots(s), e);

	return status || !r->no_stealing ? status :
					   pool_queens_roots_share(&s->roots, s->devices, e);
}

static int search(struct search *s, struct search_outcome *o, struct err *e)
{
	const struct search_request *r = s->request;
	int status = make_roots(s, e);

	if (status)
		return status;
	for (int i = 0; i < s->devices; i++)
		s->device[i] = (struct pool_queens_device){
			.share = { .device = r->devices->dev[i],
				   .interrupt = &s->interrupt,
				   .failed = &s->failed,
				   .joining = &s->joining,
				   .number = i },
			.search = s,
			.request = r,
			.number = i,
		};
	double begin = clock_wall();
	open_dealers(s);
	pthread_mutex_init(&s->ledger.lock, NULL);
	status = device_threads_run(pool_queens_device_run, s->device, sizeof(s->device[0]),
				    s->devices, e);
	pthread_mutex_destroy(&s->ledger.lock);
	close_dealers(s);
	collect(s, o);
	o->seconds_setup = setup_seconds(s, begin);
	if ((!status || status == ERR_LIMIT) && check_balance(s, !status, e))
		return ERR_FAILED;
	return keep_state(s, status, e);
}

/* A board that takes no search. */
static int small_board(struct search *s, struct search_outcome *o, struct err *e)
{
	struct pool_saver *saver = &s->ledger.saver;
	struct pool_open none = { .items = s->request->queens };
	int status = 0;

	if (saver->past.state.count)
		return err_set(e, ERR_UNSUPPORTED, "%d queens are not searched from open nodes",
			       s->request->queens);
	if (!saver->past.resumed)
		pool_queens_small(s->request->queens, &o->explored, &o->solutions);
	if (pool_saver_keeps(saver))
		status = pool_saver_end(saver, o, NULL, &none, e);
	pool_saver_add_past(saver, o);
	return status;
}

/* The rule of the tree for checkpoints. */
static const char *tree_rule(const struct search_request *r)
{
	if (!r->solutions_only)
		return CHECKPOINT_FROM_MIDDLE;
	return r->queens % 2 ? CHECKPOINT_FROM_MIDDLE "-solutions" : CHECKPOINT_EVEN_SOLUTIONS;
}

/* Opens what the request continues from. */
static int open_ledger(struct search *s, struct err *e)
{
	const struct search_request *r = s->request;
	int status = pool_saver_open(&s->ledger.saver, r, tree_rule(r), e);

	if (status || !r->checkpoint || !(r->forms & SEARCH_NO_SYMMETRY))
		return status;
	return err_set(e, ERR_UNSUPPORTED,
		       "a search of all placements without symmetry has no checkpoints");
}

int pool_tuned_queens(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double start = clock_wall();
	struct search *s;
	int status = check(r, e);

	memset(o, 0, sizeof(*o));
	pool_saver_none(r);
	if (status)
		return status;
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for a search");
	s->request = r;
	s->interrupt = interrupt_from(r);
	s->devices = device_threads_count(r);
	joining_open(&s->joining, r, s->devices);
	status = open_ledger(s, e);
	if (!status)
		status = r->queens <= POOL_QUEENS_SMALL ? small_board(s, o, e) : search(s, o, e);
	pool_queens_roots_free(&s->roots);
	joining_close(&s->joining);
	pool_saver_close(&s->ledger.saver);
	free(s);
	o->complete = !status;
	o->seconds_total = clock_wall() - start;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
