/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The entries of new layers in the history (Algorithm 1, line 9). */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/base/stop.h"
#include "harness/base/team.h"

/* Packs candidates into entries of the history. Faster than track_history_add, which checks every
 * entry: here the sources are known to exist, and the OR of all successors shows whether one is too
 * large. */
enum { GRAIN = 1 << 17 }; /* with fewer entries, one thread is faster */

struct packing {
	const struct track_engine_list *list;
	void *entries;
	bool wide;
	uint32_t bits; /* OR of all successors, set by any thread */
};

static uint32_t pack_narrow(const struct track_engine_list *l, struct track_entry *to,
			    uint64_t from, uint64_t end)
{
	uint32_t bits = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_entry){ (uint16_t)l->source[i], (uint16_t)l->successor[i],
					      l->rating[i] };
		bits |= l->successor[i];
	}
	return bits;
}

static uint32_t pack_wide(const struct track_engine_list *l, struct track_wide_entry *to,
			  uint64_t from, uint64_t end)
{
	uint32_t none = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_wide_entry){ l->source[i], l->successor[i], l->rating[i] };
		none |= l->successor[i] == TRACK_NO_STEP;
	}
	return none;
}

static void pack(void *context, uint64_t from, uint64_t to, int thread)
{
	struct packing *w = context;
	uint32_t bits = w->wide ? pack_wide(w->list, w->entries, from, to) :
				  pack_narrow(w->list, w->entries, from, to);

	(void)thread;
	__atomic_fetch_or(&w->bits, bits, __ATOMIC_RELAXED);
}

static uint32_t highest_successor(const struct track_engine_list *l, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = l->successor[i] > most ? l->successor[i] : most;
	return most;
}

static bool fill(struct tracker *t, uint32_t layer, struct team *team, uint64_t grain)
{
	const struct track_history *h = t->history;
	struct packing w = { .list = &t->list,
			     .entries = h->layer[layer].entries,
			     .wide = h->wide };

	team_for(team, h->layer[layer].count, grain, pack, &w);
	return w.wide ? !w.bits : w.bits <= UINT16_MAX;
}

/* ---- filling in the entries in another thread ---- */

/* Waking the thread takes longer than filling in FEW entries. More threads than FILLERS_MOST would
 * only wait for memory. Some cores are left for the drivers of devices. Threads of the team
 * take FILLED entries or TOUCHED bytes at a time, or more. */
enum {
	FEW = 1 << 10,
	FILLERS_MOST = 12,
	CORES_LEFT = 2,
	FILLED = 1 << 14,
	TOUCHED = 1 << 21,
	PAGE = 4096,
};

enum order { NOTHING, FILL, QUIT };

struct track_engine_filler {
	struct tracker *t;
	struct team *team; /* NULL: the thread alone */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum order order;
	uint32_t layer;       /* to fill */
	unsigned char *fresh; /* memory of the next layers; NULL: none */
	size_t bytes;
	bool filling, busy; /* the entries are not complete; the thread works */
};

/* The first access to new memory costs more than filling it. */
static void touch(void *context, uint64_t from, uint64_t to, int thread)
{
	volatile unsigned char *memory = context;

	(void)thread;
	for (uint64_t i = from; i < to; i += PAGE)
		memory[i] = 0;
}

static void set_done(struct track_engine_filler *f, bool *what)
{
	pthread_mutex_lock(&f->lock);
	*what = false;
	pthread_cond_signal(&f->change);
	pthread_mutex_unlock(&f->lock);
}

static void *serve(void *context)
{
	struct track_engine_filler *f = context;
	enum order order;

	for (;;) {
		pthread_mutex_lock(&f->lock);
		while (f->order == NOTHING)
			pthread_cond_wait(&f->change, &f->lock);
		order = f->order;
		f->order = NOTHING;
		pthread_mutex_unlock(&f->lock);
		if (order == QUIT)
			return NULL;
		/* children are counted, so all fit */
		(void)fill(f->t, f->layer, f->team, FILLED);
		set_done(f, &f->filling);
		if (f->fresh)
			team_for(f->team, f->bytes, TOUCHED, touch, f->fresh);
		set_done(f, &f->busy);
	}
}

static void command(struct track_engine_filler *f, enum order order)
{
	pthread_mutex_lock(&f->lock);
	f->order = order;
	f->filling = f->busy = order == FILL;
	pthread_cond_broadcast(&f->change);
	pthread_mutex_unlock(&f->lock);
}

static void await(struct track_engine_filler *f, const bool *what)
{
	pthread_mutex_lock(&f->lock);
	while (*what)
		pthread_cond_wait(&f->change, &f->lock);
	pthread_mutex_unlock(&f->lock);
}

static void destroy(struct track_engine_filler *f)
{
	pthread_cond_destroy(&f->change);
	pthread_mutex_destroy(&f->lock);
	team_destroy(f->team);
	free(f);
}

void track_engine_filler_start(struct tracker *t)
{
	struct track_engine_filler *f;
	int threads = team_threads(t->host.pool) - CORES_LEFT;

	if (!t->o.wide_history || !t->on_places || !t->place[0].p->device)
		return;
	f = calloc(1, sizeof(*f));
	if (!f)
		return;
	f->t = t;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->change, NULL);
	threads = threads < FILLERS_MOST ? threads : FILLERS_MOST;
	if (threads > 1 && team_create(&f->team, threads, NULL))
		f->team = NULL;
	if (stop_masked_thread(&f->thread, serve, f))
		t->filler = f;
	else
		destroy(f);
}

void track_engine_filler_end(struct tracker *t)
{
	if (!t->filler)
		return;
	await(t->filler, &t->filler->busy);
	command(t->filler, QUIT);
	pthread_join(t->filler->thread, NULL);
	destroy(t->filler);
	t->filler = NULL;
}

/* Lets the thread fill a layer, and then touch the memory of the next ones, which will probably
 * have as many states. */
static void fill_beside(struct tracker *t, uint32_t layer)
{
	struct track_engine_filler *f = t->filler;

	f->layer = layer;
	f->fresh = track_history_prepare(t->history, t->history->layer[layer].count, &f->bytes);
	command(f, FILL);
}

void track_engine_fill(struct tracker *t)
{
	double start = clock_wall();

	if (t->filler)
		await(t->filler, &t->filler->busy);
	else if (t->unfilled)
		(void)fill(t, t->unfilled, t->host.pool, GRAIN);
	t->unfilled = 0;
	t->figures.history_seconds += clock_wall() - start;
}

void track_engine_fill_meanwhile(struct tracker *t)
{
	if (!t->filler)
		track_engine_fill(t);
}

void track_engine_empty_list(struct tracker *t)
{
	double start = clock_wall();

	if (!t->filler) {
		track_engine_fill(t);
		return;
	}
	await(t->filler, &t->filler->filling);
	t->unfilled = 0;
	t->figures.history_seconds += clock_wall() - start;
}

const struct track_history *track_history(struct tracker *t)
{
	track_engine_fill(t);
	return t->history;
}

int track_engine_record(struct tracker *t, struct err *e)
{
	struct track_history *h = t->history;
	double start = clock_wall();
	void *entries;
	bool fits = true;
	int status;

	if (t->filler)
		await(t->filler, &t->filler->busy);
	if ((status = track_history_reserve(h, t->list.count, &entries, e)))
		return status;
	if (h->wide && t->on_places && !t->place[0].ops->successors && t->list.count >= FEW)
		t->unfilled = h->layers;
	else
		fits = fill(t, h->layers, t->host.pool, GRAIN);
	if (t->unfilled && t->filler)
		fill_beside(t, h->layers);
	t->figures.history_seconds += clock_wall() - start;
	if (fits)
		return 0;
	track_history_cut(h, h->layers - 1);
	return err_set(e, ERR_FAILED,
		       "history: a successor %" PRIu32 " of layer %" PRIu32 " does not fit%s",
		       highest_successor(&t->list, t->list.count), t->layer + 1,
		       h->wide ? "" : " in 16 bits: the wide history is needed");
}
