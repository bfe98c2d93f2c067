/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"

/* The supposed rows, and what is wanted of each. */
struct wanted {
	const struct paper *paper;
	struct result_set set;
	int *rank;            /* one per benchmark; 0: nothing reads it */
	size_t *runs, *order; /* one per benchmark */
	size_t ordered;
	size_t all, possible; /* benchmarks: those that the machine can run come first */
};

/* A claim, and the benchmarks that it reads. */
struct reading {
	const struct claim *claim;
	int rank;
	size_t index, benches;
	size_t *runs; /* one per benchmark; 0: it does not read it */
};

/* ---- supposed rows ---- */

/* Values differ, so that differences and quotients of them are not special. */
static int add_bench(struct result_set *set, const char *name, struct err *e)
{
	int status = array_grow((void **)&set->bench, set->benches, sizeof(*set->bench), e);
	if (status)
		return status;
	struct result_bench *b = &set->bench[set->benches];
	*b = (struct result_bench){ .runs = 1, .supposed = true };
	set->benches++;
	b->seconds = malloc(sizeof(*b->seconds));
	if (!b->seconds)
		return err_set(e, ERR_MEMORY, "out of memory");
	*b->seconds = 1 + (double)(hash_text(HASH_INIT, name) >> 12) * 0x1p-52;
	return text_copy(&b->name, name, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct result_bench *)a)->name,
		      ((const struct result_bench *)b)->name);
}

static int read_names(struct result_set *set, FILE *in, struct err *e)
{
	char *line = NULL;
	size_t size = 0;
	int status = 0;
	for (ssize_t length; !status && (length = getline(&line, &size, in)) > 0;) {
		if (line[length - 1] == '\n')
			line[--length] = '\0';
		if (length)
			status = add_bench(set, line, e);
	}
	free(line);
	if (!status && ferror(in))
		status = err_set(e, ERR_IO, "cannot read the names");
	if (!status && set->benches)
		qsort(set->bench, set->benches, sizeof(*set->bench), by_name);
	return status;
}

/* Whether the name has the parameter gpus with a larger number. */
static bool needs_more_gpus(const char *name, long gpus)
{
	const char *at = strstr(name, "/gpus:");
	return at && strtol(at + strlen("/gpus:"), NULL, 10) > gpus;
}

/* Moves the benchmarks that need more GPUs to the end; both parts stay sorted. */
static int impossible_last(struct wanted *w, long gpus, struct err *e)
{
	struct result_bench *sorted = malloc((w->all + 1) * sizeof(*sorted));
	size_t count = 0;
	if (!sorted)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (int part = 0; part < 2; part++) {
		for (size_t i = 0; i < w->all; i++)
			if (needs_more_gpus(w->set.bench[i].name, gpus) == (part == 1))
				sorted[count++] = w->set.bench[i];
		w->possible = part == 0 ? count : w->possible;
	}
	free(w->set.bench);
	w->set.bench = sorted;
	return 0;
}

static int create(struct wanted *w, const struct paper *p, long gpus, FILE *in, struct err *e)
{
	*w = (struct wanted){ .paper = p };
	int status = read_names(&w->set, in, e);
	w->all = w->set.benches;
	if (!status)
		status = impossible_last(w, gpus, e);
	if (status)
		return status;
	size_t count = w->set.benches + 1;
	w->set.used = calloc(count, sizeof(*w->set.used));
	w->rank = calloc(count, sizeof(*w->rank));
	w->runs = calloc(count, sizeof(*w->runs));
	w->order = calloc(count, sizeof(*w->order));
	if (!w->set.used || !w->rank || !w->runs || !w->order)
		return err_set(e, ERR_MEMORY, "out of memory");
	return 0;
}

static void destroy(struct wanted *w)
{
	for (size_t i = 0; i < w->all; i++) {
		free(w->set.bench[i].name);
		free(w->set.bench[i].seconds);
	}
	free(w->set.bench);
	free(w->set.used);
	free(w->rank);
	free(w->runs);
	free(w->order);
}

/* ---- claims ---- */

static int evaluate(const struct claim *c, struct expr_world *world, struct expr_trace *trace,
		    struct err *e)
{
	struct expr_value tolerance = { .type = EXPR_NUMBER, .number = c->tolerance }, value;
	int status = expr_eval(c->test, world, &tolerance, NULL, trace, &value, e);
	if (!status && c->reliable)
		status = expr_eval(c->reliable, world, &tolerance, NULL, trace, &value, e);
	if (!status && c->hardware)
		status = expr_eval(c->hardware, world, &tolerance, NULL, trace, &value, e);
	return status;
}

/* The runs wanted of a row that a claim reads, which needs `runs` of all seeds together. For a
 * claim decided by times, one run of each of the first CLAIM_RUNS seeds is enough; the others have
 * 0, unless all rows are wanted. */
static size_t runs_of(const struct wanted *w, const struct claim *c, const struct expr_read *read,
		      size_t bench, size_t runs)
{
	if (c->decided != DECIDED_TIMES)
		return runs;
	struct claim_pool pool = claim_pool(&w->set, read, bench);
	if (!w->set.alternatives && pool.before >= CLAIM_RUNS)
		return 0;
	return claim_runs_each(runs, pool.seeds);
}

static int read_claim(const struct wanted *w, struct expr_world *world, struct reading *r,
		      struct err *e)
{
	struct expr_trace trace = { 0 };
	struct expr_read read;
	r->runs = calloc(w->set.benches + 1, sizeof(*r->runs));
	int status = r->runs ? evaluate(r->claim, world, &trace, e) :
			       err_set(e, ERR_MEMORY, "out of memory");
	for (const char *at = expr_read_first(&trace); !status && expr_read_next(&at, &read);) {
		size_t all = claim_runs(r->claim, &trace, &read);
		for (size_t i = 0; i < w->set.benches; i++) {
			if (!name_match(read.pattern, w->set.bench[i].name, NULL))
				continue;
			size_t runs = runs_of(w, r->claim, &read, i, all);
			r->benches += !r->runs[i] && runs;
			r->runs[i] = runs > r->runs[i] ? runs : r->runs[i];
		}
	}
	expr_trace_free(&trace);
	return status;
}

static bool has_needs(const struct claim *c, const long *has)
{
	for (int i = 0; i < CLAIM_NEEDS; i++)
		if (c->needs[i] > has[i])
			return false;
	return true;
}

static void write_unmet(const struct claims *all, const long *has, FILE *out)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct claim *c = &all->claim[i];
		struct text needs = { 0 };
		if (c->kind == CLAIM_ARITHMETIC || has_needs(c, has))
			continue;
		claim_needs_text(c, &needs);
		fprintf(out, "# claim %s needs %s\n", c->id, text_get(&needs));
		text_free(&needs);
	}
}

static int rank_of(const struct claim *c)
{
	return c->kind == CLAIM_OURS       ? WANTED_OURS :
	       c->decided == DECIDED_TIMES ? WANTED_TIMES :
					     WANTED_COUNTS;
}

static int by_value(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->benches != y->benches)
		return x->benches < y->benches ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void want(struct wanted *w, size_t bench, int rank)
{
	if (w->rank[bench])
		return;
	w->rank[bench] = rank;
	w->order[w->ordered++] = bench;
}

/* In the last pass, rows that the claims did not read before are of the last rank. */
static int want_claims(struct wanted *w, struct expr_world *world, const long *has, bool last,
		       struct err *e)
{
	const struct claims *all = &w->paper->claims;
	struct reading *reading = calloc(all->count + 1, sizeof(*reading));
	size_t count = 0;
	int status = reading ? 0 : err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < all->count && !status; i++) {
		const struct claim *c = &all->claim[i];
		if (c->kind == CLAIM_ARITHMETIC || !has_needs(c, has))
			continue;
		reading[count] = (struct reading){ .claim = c,
						   .rank = last ? WANTED_OTHERS : rank_of(c),
						   .index = count };
		status = read_claim(w, world, &reading[count++], e);
	}
	if (!status)
		qsort(reading, count, sizeof(*reading), by_value);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < w->set.benches && !status; k++) {
			size_t runs = reading[i].runs[k];
			if (!runs || (w->rank[k] && w->rank[k] < WANTED_TABLES && last))
				continue;
			want(w, k, reading[i].rank);
			w->runs[k] = runs > w->runs[k] ? runs : w->runs[k];
		}
		free(reading[i].runs);
	}
	free(reading);
	return status;
}

/* ---- tables and figures ---- */

/* Whether fewer than CLAIM_RUNS seeds that a table reads come before that of the benchmark. */
static bool is_early_seed(const struct wanted *w, size_t bench)
{
	const char *name = w->set.bench[bench].name;
	size_t before = 0;
	for (size_t i = 0; i < w->set.benches; i++)
		before += w->set.used[i] && name_same_family(name, w->set.bench[i].name) &&
			  name_seed(w->set.bench[i].name) < name_seed(name);
	return before < CLAIM_RUNS;
}

static int want_tables(struct wanted *w, int rank, struct err *e)
{
	struct grid *grid;
	memset(w->set.used, 0, w->set.benches * sizeof(*w->set.used));
	int status = grids_fill(&grid, &w->paper->tables, &w->set, &w->paper->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < w->set.benches; i++)
		if (w->set.used[i] && (rank == WANTED_OTHERS || is_early_seed(w, i)))
			want(w, i, rank);
	grids_free(grid, w->paper->tables.count);
	return 0;
}

/* ---- all ---- */

/* Evaluates the claims and tables: with what the machine can run, and last with all rows. */
static int pass(struct wanted *w, const long *has, bool last, struct err *e)
{
	struct expr_world *world;
	w->set.alternatives = last;
	w->set.benches = last ? w->all : w->possible;
	int status = expr_world_create(&world, &w->set, &w->paper->printed, e);
	if (status)
		return status;
	status = want_claims(w, world, has, last, e);
	expr_world_destroy(world);
	return status ? status : want_tables(w, last ? WANTED_OTHERS : WANTED_TABLES, e);
}

int wanted_write(const struct paper *p, const long *has, FILE *in, FILE *out, struct err *e)
{
	struct wanted w;
	int status = create(&w, p, has[NEED_GPUS], in, e);
	if (!status)
		status = pass(&w, has, false, e);
	if (!status)
		status = pass(&w, has, true, e);
	for (size_t i = 0; i < w.ordered && !status; i++)
		fprintf(out, "%d %zu %s\n", w.rank[w.order[i]], w.runs[w.order[i]],
			w.set.bench[w.order[i]].name);
	if (!status)
		write_unmet(&p->claims, has, out);
	destroy(&w);
	return status;
}
