/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A rank of a simulated cluster, for SimGrid's SMPI: `rank NAME=VALUE ...`.
 *
 * The protocol is cluster.h, the transport is mpi_shim.c. The engine is simulated: a step takes
 * `overhead` + nodes / `rate` seconds of simulated time for at most `chunk` nodes of a tree
 * (profile.h). A rank that receives work begins with a step of `width` nodes, or as many as it has
 * units if that is more, and each step is at most twice as wide as the one before. Asks are served
 * between steps, and an engine that starts again loses `restart` seconds. Messages are handled
 * every `poll` seconds, as the driver does (cluster_search.c).
 *
 * Rank 0 prints one line: seconds, nodes, 1 if all were searched, the mean part of the time in
 * which engines ran, the least and the largest share of this time, messages received by rank 0,
 * sums over all ranks: asks, refusals, gifts, bytes sent, units given; and the mean part of the
 * time in which ranks had no work and looked for some, which begins after `start` and lasts until
 * the search has ended. Times begin when rank 0 begins. Last, the parts of the tree by which the
 * nodes counted and left (cluster_left) were too few and too many at most, as rank 0 saw them. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/cluster/mpi_shim.h"
#include "algorithms/tree-search/cluster/simulate/profile.h"

extern const struct cluster_mpi cluster_mpi;

#define HOST_SPEED 1e9 /* flop/s, as in the platform file */

struct settings {
	const char *victims, *record;
	uint64_t total;
	double rate, overhead, restart, chunk, width, poll, slice, period;
	double start, end; /* seconds that rank 0 alone works before and after */
	double pending;    /* nodes of the first distribution; 0: none */
	double least, tries, seed, children, skew;
};

struct rank {
	struct settings s;
	struct profile tree;
	struct cluster_mpi_place place;
	struct cluster *cluster;
	struct units *work; /* of the slice; NULL: none */
	uint64_t counted;   /* in the slice */
	double width;       /* nodes of the next step */
	double step_left;   /* seconds until the step ends */
	double debt;        /* nodes by which steps were longer than they should */
	double busy;
	double search_from;      /* the time at which work can be had */
	double without;          /* seconds without work since then */
	uint64_t received;       /* messages */
	double missing, surplus; /* of the nodes counted and left */
};

static void fail(const struct err *e)
{
	fprintf(stderr, "simulate: %s\n", e->text);
	cluster_mpi.abort(1);
}

static void pass(double seconds)
{
	if (seconds > 0)
		smpi_execute_flops(seconds * HOST_SPEED);
}

/* ---- settings ---- */

static void read_settings(struct settings *s, int argc, char **argv)
{
	const struct {
		const char *name;
		double *value;
	} numbers[] = {
		{ "rate", &s->rate },       { "overhead", &s->overhead }, { "chunk", &s->chunk },
		{ "width", &s->width },     { "poll", &s->poll },         { "slice", &s->slice },
		{ "period", &s->period },   { "start", &s->start },       { "end", &s->end },
		{ "pending", &s->pending }, { "least", &s->least },       { "tries", &s->tries },
		{ "seed", &s->seed },       { "children", &s->children }, { "skew", &s->skew },
		{ "restart", &s->restart },
	};

	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		size_t length = value ? (size_t)(value - argv[i]) : 0;
		bool known = false;

		if (length == 7 && strncmp(argv[i], "victims", length) == 0)
			known = (s->victims = value + 1);
		if (length == 6 && strncmp(argv[i], "record", length) == 0)
			known = (s->record = value + 1);
		if (length == 5 && strncmp(argv[i], "total", length) == 0)
			known = (s->total = strtoull(value + 1, NULL, 10)) > 0;
		for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
			if (length != strlen(numbers[k].name) ||
			    strncmp(argv[i], numbers[k].name, length) != 0)
				continue;
			*numbers[k].value = strtod(value + 1, NULL);
			known = true;
		}
		if (!known) {
			fprintf(stderr, "simulate: unknown setting '%s'\n", argv[i]);
			exit(2);
		}
	}
	if (s->total < 1 || s->total > UINT64_C(1) << 60 || !(s->rate > 0) || s->chunk < 1 ||
	    !(s->poll > 0) || s->children < 2 || s->children > PROFILE_CHILDREN_MAX) {
		fprintf(stderr, "simulate: a setting is out of range\n");
		exit(2);
	}
}

/* ---- the engine ---- */

/* Searches the nodes of one step at once; their time passes afterwards. */
static void begin_step(struct rank *r)
{
	double most = fmin(r->width, r->s.chunk);
	double want = most - r->debt, grain = fmax(1, most / 16);
	uint64_t before = r->counted;

	while (r->work->count && (double)(r->counted - before) < want) {
		struct unit *u = &r->work->at[r->work->count - 1];
		double left = want - (double)(r->counted - before);

		if ((double)u->size <= fmax(left, grain)) {
			r->counted += u->size;
			r->work->count--;
		} else {
			r->counted += profile_expand(&r->tree, r->work);
		}
	}
	r->debt = fmax(0, (double)(r->counted - before) - want);
	r->width = fmin(2 * r->width, r->s.chunk);
	r->step_left = r->s.overhead + (double)(r->counted - before) / r->s.rate;
	r->busy += r->step_left;
}

/* The nodes below open work, which units know. */
static double nodes_below(const struct units *work)
{
	double sum = 0;

	for (size_t i = 0; work && i < work->count; i++)
		sum += (double)work->at[i].size;
	return sum;
}

static void note_left(struct rank *r)
{
	double left = cluster_left(r->cluster), all = (double)r->s.total;
	uint64_t counted;
	bool complete;

	if (left < 0)
		return;
	cluster_totals(r->cluster, &counted, &complete);
	r->missing = fmax(r->missing, (all - (double)counted - left) / all);
	r->surplus = fmax(r->surplus, ((double)counted + left - all) / all);
}

static void start_slice(struct rank *r, double now, struct err *e)
{
	void *work;

	if (cluster_take(r->cluster, now, &work, e))
		fail(e);
	r->work = work;
	r->counted = 0;
	if ((double)r->work->count > r->width)
		r->width = (double)r->work->count;
	begin_step(r);
	r->step_left += r->s.restart;
}

/* A pool has many more nodes than this model has units: expands some, so that it can be divided.
 */
static void end_slice(struct rank *r, double now, struct err *e)
{
	struct cluster_slice back = { .counts = &r->counted };
	size_t enough = 4 * (size_t)r->place.ranks + 256;

	for (size_t tries = 0; r->work->count && r->work->count < enough && tries < enough;
	     tries++) {
		size_t last = r->work->count - 1, large = 0;
		struct unit u;

		for (size_t i = 0; i <= last; i++)
			large = r->work->at[i].size > r->work->at[large].size ? i : large;
		if (r->work->at[large].size < 2)
			break;
		u = r->work->at[large];
		r->work->at[large] = r->work->at[last];
		r->work->at[last] = u;
		r->counted += profile_expand(&r->tree, r->work);
		r->debt += 1;
	}
	if (!r->work->count)
		r->width = r->s.width;
	back.work = r->work;
	back.left = nodes_below(r->work);
	r->work = NULL;
	if (cluster_return(r->cluster, &back, now, e))
		fail(e);
}

/* ---- the loop ---- */

static bool carry(struct rank *r, struct err *e)
{
	char text[CLUSTER_MPI_TEXT] = "";
	struct cluster_mail mail;
	unsigned char *bytes;
	bool any = false;
	size_t size;
	int from;

	for (;;) {
		if (cluster_mpi.receive(&from, &bytes, &size, text))
			fail(&(struct err){ .text = "MPI failed" });
		if (!bytes)
			break;
		any = true;
		r->received++;
		if (cluster_receive(r->cluster, from, bytes, size, MPI_Wtime(), e))
			fail(e);
		free(bytes);
	}
	while (cluster_next(r->cluster, &mail)) {
		any = true;
		if (cluster_mpi.send(mail.to, mail.bytes, mail.size, text))
			fail(&(struct err){ .text = "MPI failed" });
	}
	return any;
}

/* Without work, the rank sleeps, as the driver does. */
static void rest(const struct rank *r)
{
	pass(fmin(fmax(cluster_wake(r->cluster) - MPI_Wtime(), 1e-6), r->s.poll));
}

/* Counts the time since `then` if the rank had no work. */
static void count_without(struct rank *r, double then, bool had_work)
{
	double from = fmax(then, r->search_from), now = MPI_Wtime();

	if (!had_work && now > from)
		r->without += now - from;
}

static void loop(struct rank *r, struct err *e)
{
	enum cluster_action action = CLUSTER_WAIT;

	while (action != CLUSTER_DONE) {
		double now = MPI_Wtime(), part;
		bool had_work;

		if (cluster_act(r->cluster, now, &action, e))
			fail(e);
		note_left(r);
		if (r->work && r->step_left <= 0) {
			if (action == CLUSTER_PAUSE || !r->work->count)
				end_slice(r, now, e);
			else
				begin_step(r);
		} else if (action == CLUSTER_RUN) {
			start_slice(r, now, e);
		}
		had_work = r->work;
		if (!carry(r, e) && !r->work && action == CLUSTER_WAIT)
			rest(r);
		if (r->work) {
			part = fmin(r->s.poll, r->step_left);
			r->step_left -= part;
			if (r->step_left < 1e-9)
				r->step_left = 0;
			pass(part);
		}
		count_without(r, now, had_work);
	}
}

/* ---- begin and end ---- */

static enum cluster_victims victims_of(const struct settings *s)
{
	if (strcmp(s->victims, "static") == 0)
		return CLUSTER_STATIC;
	return strcmp(s->victims, "permuted") == 0 ? CLUSTER_PERMUTED : CLUSTER_LIFELINES;
}

static void create(struct rank *r, struct err *e)
{
	const struct settings *s = &r->s;
	uint64_t expanded = 0;
	struct cluster_slice first = { .counts = &expanded };
	struct cluster_rules rules = {
		.rank = r->place.rank,
		.ranks = r->place.ranks,
		.victims = victims_of(s),
		.tries = (int)s->tries,
		.least = (uint64_t)s->least,
		.deal = s->pending > 0 && r->place.ranks > 1,
		.seed = (uint64_t)s->seed,
		.slice = s->slice,
		.period = s->period,
		.estimate = r->place.rank == 0,
		.counters = 1,
	};

	if (s->record && profile_read(&r->tree, s->record, e))
		fail(e);
	if (r->place.rank == 0) {
		pass(s->start);
		first.work =
			profile_start(&r->tree, s->pending > 0 ? (size_t)s->pending : 1, &expanded);
		first.left = nodes_below(first.work);
	}
	if (cluster_create(&r->cluster, &rules, &profile_ops, &r->tree, &first, MPI_Wtime(), e))
		fail(e);
	r->tree.front = rules.victims == CLUSTER_PERMUTED;
}

static int larger(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* `own`: busy seconds, messages received, asks, refusals, gifts, bytes, units given, seconds
 * without work. */
static void report(const struct rank *r, double seconds, const uint64_t *total, bool complete)
{
	enum { OWN = 8 };
	const struct cluster_stats *s = cluster_stats(r->cluster);
	int ranks = r->place.ranks;
	double own[OWN] = {
		r->busy,          (double)r->received, (double)s->asks,        (double)s->refusals,
		(double)s->gifts, (double)s->bytes,    (double)s->units_given, r->without
	};
	double sum[OWN] = { 0 }, *all = calloc((size_t)ranks * OWN, sizeof(*all));
	double *busy = calloc((size_t)ranks, sizeof(*busy));

	MPI_Gather(own, OWN, MPI_DOUBLE, all, OWN, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++) {
		for (int k = 0; k < OWN; k++)
			sum[k] += all[i * OWN + k];
		busy[i] = all[i * OWN];
	}
	qsort(busy, (size_t)ranks, sizeof(*busy), larger);
	if (r->place.rank == 0)
		printf("%.9g,%" PRIu64
		       ",%d,%.6g,%.6g,%.6g,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.6g,%.3g,%.3g\n",
		       seconds, *total, complete, sum[0] / ranks / seconds, busy[0] / sum[0],
		       busy[ranks - 1] / sum[0], all[1], sum[2], sum[3], sum[4], sum[5], sum[6],
		       sum[7] / ranks / seconds, r->missing, r->surplus);
	free(busy);
	free(all);
}

int main(int argc, char **argv)
{
	static struct rank r = { .s = { .victims = "lifelines",
					.total = 1000000000,
					.rate = 1e6,
					.chunk = 50000,
					.width = 400,
					.poll = 0.001,
					.slice = 0.05,
					.period = 0.002,
					.tries = 2,
					.seed = 1,
					.children = 8,
					.skew = 1 } };
	char text[CLUSTER_MPI_TEXT] = "";
	struct err e = { 0 };
	uint64_t total;
	double begin, seconds;
	bool complete;

	if (cluster_mpi.start(&r.place, text)) {
		fprintf(stderr, "simulate: %s\n", text);
		return 1;
	}
	read_settings(&r.s, argc, argv);
	r.tree = (struct profile){ .total = r.s.total,
				   .children = (int)r.s.children,
				   .skew = r.s.skew };
	r.width = r.s.width;
	begin = MPI_Wtime();
	r.search_from = begin + r.s.start;
	create(&r, &e);
	loop(&r, &e);
	if (r.place.rank == 0)
		pass(r.s.end);
	seconds = MPI_Wtime() - begin;
	cluster_totals(r.cluster, &total, &complete);
	report(&r, seconds, &total, complete);
	cluster_destroy(r.cluster);
	profile_free(&r.tree);
	return cluster_mpi.stop(text) ? 1 : 0;
}
