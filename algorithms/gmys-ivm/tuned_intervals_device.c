/* A piece goes through a slot: its roots are copied to the device and given more rows there, a
 * launch a row, until their list is long enough; then the list is searched depth first. Two slots
 * with a stream each: lists of one are made, and its last nodes searched, beside the search of the
 * other. */
#include "algorithms/gmys-ivm/tuned_intervals_device.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/layout.h"

/* Where lists should end, by kind of device; in pairs: N-Queens, ATSP, whose subtrees differ more.
 */
struct sizes {
	double grain[2];                      /* nodes below one of a list, about */
	uint32_t least, most[2];              /* nodes of a list that is searched */
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
	return backend == DEV_CUDA ? &gpu_sizes : &sim_sizes;
}

void interval_piece_sizes(enum dev_backend backend, bool atsp, int devices, double *most,
			  double *least)
{
	*most = sizes_of(backend)->piece_most[atsp];
	*least = sizes_of(backend)->piece_least[atsp] / devices;
}

enum slot_state { SLOT_EMPTY, SLOT_LISTED, SLOT_SEARCHED };

struct slot {
	struct dev_stream *stream;
	void *memory; /* lists and control */
	struct interval_work work;
	struct interval_control *seen; /* pinned */
	struct interval_piece *piece;
	enum slot_state state;
	int stages, stage; /* launched; the one that is searched */
};

struct run {
	struct interval_device *own;
	const struct interval_tree *tree;
	const struct interval_kernels *kernels;
	const struct sizes *sizes;
	struct slot slot[INTERVAL_SLOTS];
	uint32_t *table;                /* device memory */
	uint32_t room;                  /* nodes of a list */
	int blocks[INTERVAL_ITEMS + 1]; /* of search, by rows; 0: not asked yet */
	int expanders;
	struct err *e;
};

static const struct interval_kernels *kernels_for(const struct dev *d, bool atsp)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return atsp ? &atsp_interval_kernels_cuda : &queens_interval_kernels_cuda;
#endif
	(void)d;
	return atsp ? &atsp_interval_kernels_sim : &queens_interval_kernels_sim;
}

/* ---- memory ---- */

/* Nodes of a list that is searched, for a piece of so many. */
static double list_target(const struct run *u, double nodes)
{
	bool atsp = u->tree->atsp;
	double target = nodes / u->sizes->grain[atsp];

	target = target > u->sizes->least ? target : u->sizes->least;
	return target < u->sizes->most[atsp] ? target : u->sizes->most[atsp];
}

/* A list below its target grows by less than n times. */
static int choose_room(struct run *u)
{
	struct interval_farm *f = u->own->farm;
	struct dev_info info;
	int status = dev_get_info(u->own->share.device, &info, u->e);
	double most = list_target(u, 2 * interval_farm_nodes(f)) * u->tree->n, room;

	if (status)
		return status;
	room = f->request->memory > 0 ? (double)f->request->memory : (double)info.memory_free / 2;
	room /= (double)(2 * INTERVAL_SLOTS * sizeof(struct interval_node));
	room = room < most ? room : most;
	u->room = room < PIECE_ROOTS ? PIECE_ROOTS : (uint32_t)room;
	u->expanders = info.sm_count * 8;
	u->own->share.memory_peak =
		2 * INTERVAL_SLOTS * (uint64_t)u->room * sizeof(struct interval_node);
	return 0;
}

static void place(struct slot *s, uint32_t room, struct layout *l)
{
	for (int i = 0; i < 2; i++)
		s->work.list[i] = layout_take(l, (size_t)room * sizeof(struct interval_node));
	s->work.control = layout_take(l, sizeof(struct interval_control));
}

static int open_slot(struct run *u, struct slot *s)
{
	struct dev *d = u->own->share.device;
	struct layout l = { 0 };
	int status = dev_stream_create(d, &s->stream, u->e);

	place(s, u->room, &l);
	if (!status)
		status = dev_alloc(d, &s->memory, l.used, u->e);
	if (!status)
		status = dev_host_alloc(d, (void **)&s->seen, sizeof(*s->seen), u->e);
	s->piece = malloc(sizeof(*s->piece));
	if (!status && !s->piece)
		status = err_set(u->e, ERR_MEMORY, "no memory for a piece of work");
	l = (struct layout){ s->memory, 0 };
	place(s, u->room, &l);
	s->work.items = u->tree->n;
	s->work.table = u->table;
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
	for (int i = 0; !status && i < INTERVAL_SLOTS; i++)
		status = open_slot(u, &u->slot[i]);
	return status;
}

static void close_run(struct run *u)
{
	for (int i = 0; i < INTERVAL_SLOTS; i++)
		close_slot(u, &u->slot[i]);
	dev_free(u->own->share.device, u->table);
}

/* ---- one piece: from roots to a list ---- */

/* How long the list should get, and how many launches that takes at most. */
static void plan(const struct run *u, struct slot *s)
{
	const struct interval_piece *p = s->piece;
	const double *level = p->level;
	double target = list_target(u, p->nodes), list = p->count,
	       most = (double)u->room / u->tree->n;
	int stages = 0, end = u->tree->n - p->depth - INTERVAL_LEAST_LEFT + 1;

	target = target < most ? target : most;
	while (stages < end && stages < INTERVAL_STAGES - 1 && list < 2 * target) {
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
	rows = rows > INTERVAL_LEAST_LEFT ? rows : INTERVAL_LEAST_LEFT;
	status = most_blocks(u, s, rows, &blocks);
	enough = (int)((s->seen->nodes[s->stage] + INTERVAL_BLOCK - 1) / INTERVAL_BLOCK);
	if (!status)
		status = u->kernels->search(s->stream, &s->work, s->stage, rows,
					    blocks < enough ? blocks : enough, u->e);
	if (!status)
		status = dev_copy_from(s->stream, s->seen, s->work.control, sizeof(*s->seen), u->e);
	return status;
}

/* The tour of which the device told cost and node: by the path of the node's root, from there to
 * the node, from there to the end. */
static int find_tour(struct run *u, struct slot *s, int64_t cost, uint32_t number)
{
	struct interval_piece *p = s->piece;
	struct interval_node node;
	const struct interval_node *root;
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
	if (!interval_path(u->tree, (int)root->b, root->a & ~node.a, (int)node.b,
			   (int64_t)node.c - root->c, tour + depth) ||
	    !interval_path(u->tree, (int)node.b, node.a, -1, cost - node.c, tour + below))
		return err_set(u->e, ERR_FAILED, "no tour of cost %lld where a device found one",
			       (long long)cost);
	p->best = cost;
	return 0;
}

/* Lanes ask for some nodes at a time, until there is none. */
static uint32_t fetched(const struct interval_control *c, int stage)
{
	return c->ticket < c->nodes[stage] ? c->ticket : c->nodes[stage];
}

static void count_piece(struct run *u, const struct interval_piece *p, bool taken)
{
	uint64_t length = interval_length(&p->interval, u->tree->n);
	const struct balance more = { .received = taken ? length : 0,
				      .popped = taken ? 0 : length };

	u->own->balance.modulus = FACTORADIC_MODULUS;
	balance_add(&u->own->balance, &more);
}

static int finish(struct run *u, struct slot *s)
{
	struct interval_piece *p = s->piece;
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
	u->own->listed += s->seen->nodes[s->stage];
	u->own->fetched += fetched(s->seen, s->stage);
	count_piece(u, p, false);
	u->own->nodes += children;
	u->own->pieces++;
	interval_farm_finish(u->own->farm, p, (double)children);
	return 0;
}

/* ---- all pieces ---- */

/* Fills an empty slot, unless the search is stopped. */
static int fill_slot(struct run *u, struct slot *s, int *limit)
{
	if (!*limit)
		*limit = device_thread_stopped(&u->own->share);
	if (*limit || !interval_farm_take(u->own->farm, s->piece))
		return 0;
	count_piece(u, s->piece, true);
	return make_list(u, s);
}

/* Once stopped, what the slots still hold is finished. */
static int take_pieces(struct run *u)
{
	int limit = 0, status = fill_slot(u, &u->slot[0], &limit);

	for (int i = 0; !status; i = (i + 1) % INTERVAL_SLOTS) {
		struct slot *s = &u->slot[i], *other = &u->slot[(i + 1) % INTERVAL_SLOTS];

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

int interval_device_run(void *device)
{
	struct interval_device *own = device;
	struct run u = { .own = own,
			 .tree = &own->farm->tree,
			 .kernels = kernels_for(own->share.device, own->farm->tree.atsp != NULL),
			 .sizes = sizes_of(dev_backend_of(own->share.device)),
			 .e = &own->share.error };
	int status = open_run(&u);

	own->share.ready = clock_wall();
	if (!status)
		status = take_pieces(&u);
	own->done = clock_wall();
	close_run(&u);
	return status;
}
