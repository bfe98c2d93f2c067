/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/simulate/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"

/* ---- lists ---- */

static void no_memory(void)
{
	fprintf(stderr, "simulate: no memory for a tree\n");
	abort();
}

static void push(struct units *l, struct unit u)
{
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->at = realloc(l->at, l->room * sizeof(*l->at));
		if (!l->at)
			no_memory();
	}
	l->at[l->count++] = u;
}

static struct units *units_new(void)
{
	struct units *l = calloc(1, sizeof(*l));

	if (!l)
		no_memory();
	return l;
}

static void units_free(void *context, void *work)
{
	struct units *l = work;

	(void)context;
	if (l)
		free(l->at);
	free(l);
}

/* ---- children ---- */

static double uniform(uint64_t bits)
{
	return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t key, int i)
{
	double a = uniform(rng_at(key, 2 * (uint64_t)i + 1)),
	       b = uniform(rng_at(key, 2 * (uint64_t)i + 2));

	return sqrt(-2 * log(a)) * cos(2 * 3.14159265358979323846 * b);
}

/* Divides u.size - 1 nodes. The children come in a random order, so the last, which takes the
 * rounding, is not special. */
static void draw_children(const struct profile *p, struct unit u, struct units *out)
{
	double weight[PROFILE_CHILDREN_MAX], sum = 0;
	uint64_t left = u.size - 1;

	for (int i = 0; i < p->children; i++)
		sum += weight[i] = exp(p->skew * normal(u.key, i));
	for (int i = 0; i < p->children && left; i++) {
		double share = weight[i] / sum * (double)left;
		uint64_t size = i == p->children - 1 ? left : (uint64_t)(share + 0.5);

		sum -= weight[i];
		size = size < left ? size : left;
		left -= size;
		if (size)
			push(out, (struct unit){ size, rng_at(u.key, 1000 + (uint64_t)i), -1 });
	}
}

uint64_t profile_expand(const struct profile *p, struct units *l)
{
	struct unit u = l->at[--l->count];

	if (u.node < 0 || (size_t)u.node >= p->inner) {
		draw_children(p, u, l);
		return 1;
	}
	for (uint32_t c = p->first_child[u.node]; c < p->first_child[u.node + 1]; c++)
		push(l, (struct unit){ p->size[c], rng_mix(c), c });
	return 1;
}

struct units *profile_start(const struct profile *p, size_t pending, uint64_t *expanded)
{
	struct units *l = units_new(), *one = units_new();

	push(l, (struct unit){ p->count ? p->size[0] : p->total, rng_mix(1), p->count ? 0 : -1 });
	*expanded = 0;
	while (l->count - l->first < pending && l->first < l->count) {
		push(one, l->at[l->first++]);
		*expanded += profile_expand(p, one);
		for (size_t i = 0; i < one->count; i++)
			push(l, one->at[i]);
		one->count = 0;
	}
	l->count -= l->first;
	memmove(l->at, l->at + l->first, l->count * sizeof(*l->at));
	l->first = 0;
	units_free(NULL, one);
	return l;
}

/* ---- the record ---- */

static int read_children(struct profile *p, FILE *in)
{
	size_t room = 0;
	unsigned n;

	p->count = 1;
	while (fscanf(in, "%u", &n) == 1) {
		if (p->inner + 2 > room) {
			room = room ? 2 * room : 4096;
			p->first_child = realloc(p->first_child, room * sizeof(*p->first_child));
			if (!p->first_child)
				no_memory();
		}
		p->first_child[p->inner++] = (uint32_t)p->count;
		p->count += n;
		p->first_child[p->inner] = (uint32_t)p->count;
		if (n > PROFILE_CHILDREN_MAX || p->inner > p->count)
			return -1;
	}
	return p->inner ? 0 : -1;
}

static int read_sizes(struct profile *p, FILE *in)
{
	uint64_t last = 0;

	p->size = calloc(p->count, sizeof(*p->size));
	if (!p->size)
		no_memory();
	for (size_t i = p->inner; i < p->count; i++) {
		if (fscanf(in, "%" SCNu64, &p->size[i]) != 1)
			return -1;
		last = p->size[i] ? p->size[i] : last;
		p->size[i] = last;
	}
	for (size_t i = p->count;
	     i-- > p->inner && !p->size[i];) /* before the first searched one */
		p->size[i] = last;
	for (size_t i = p->inner; i < p->count && !p->size[i]; i++)
		p->size[i] = last ? last : 1;
	return 0;
}

/* Scales the sizes of the frontier to the total and adds up those of the nodes above it. */
static void add_up(struct profile *p)
{
	uint64_t sum = 0, want = p->total - p->inner;
	size_t largest = p->inner;

	for (size_t i = p->inner; i < p->count; i++)
		sum += p->size[i];
	for (size_t i = p->inner; i < p->count && sum != want; i++) {
		p->size[i] = (uint64_t)((double)p->size[i] * ((double)want / (double)sum));
		p->size[i] += !p->size[i];
		largest = p->size[i] > p->size[largest] ? i : largest;
	}
	sum = 0;
	for (size_t i = p->inner; i < p->count; i++)
		sum += p->size[i];
	p->size[largest] += want - sum;
	for (size_t i = p->inner; i-- > 0;) {
		p->size[i] = 1;
		for (uint32_t c = p->first_child[i]; c < p->first_child[i + 1]; c++)
			p->size[i] += p->size[c];
	}
}

int profile_read(struct profile *p, const char *path, struct err *e)
{
	FILE *in = fopen(path, "r");
	int bad;

	if (!in)
		return err_set(e, ERR_IO, "%s: %m", path);
	bad = fscanf(in, " children") < 0 || read_children(p, in) || fscanf(in, " sizes") < 0 ||
	      read_sizes(p, in) || p->total < p->count;
	fclose(in);
	if (bad)
		return err_set(e, ERR_INPUT, "%s: not a recorded tree of %" PRIu64 " nodes", path,
			       p->total);
	add_up(p);
	return 0;
}

void profile_free(struct profile *p)
{
	free(p->first_child);
	free(p->size);
	p->count = p->inner = 0;
}

/* ---- open work ---- */

static int split(void *context, void *work, double fraction, void **part, struct err *e)
{
	const struct profile *p = context;
	struct units *l = work, *out;
	size_t kept = 0;
	double due = 0;

	(void)e;
	*part = NULL;
	if (l->count < 2)
		return 0;
	out = units_new();
	for (size_t i = 0; i < l->count; i++) {
		bool take = p->front ? i < l->count / 2 : (due += fraction) >= 1 - 1e-9;

		if (take && out->count + 1 < l->count) {
			due -= 1;
			push(out, l->at[i]);
		} else {
			l->at[kept++] = l->at[i];
		}
	}
	l->count = kept;
	if (out->count)
		*part = out;
	else
		units_free(NULL, out);
	return 0;
}

static int merge(void *context, void *into, void *from, struct err *e)
{
	struct units *l = from;

	(void)context;
	(void)e;
	for (size_t i = 0; i < l->count; i++)
		push(into, l->at[i]);
	units_free(NULL, l);
	return 0;
}

static uint64_t amount(void *context, const void *work)
{
	(void)context;
	return ((const struct units *)work)->count;
}

static int pack(void *context, const void *work, unsigned char **bytes, size_t *size, struct err *e)
{
	const struct units *l = work;

	(void)context;
	*size = l->count * PROFILE_NODE_BYTES;
	*bytes = calloc(l->count + 1, PROFILE_NODE_BYTES);
	if (!*bytes)
		return err_set(e, ERR_MEMORY, "no memory for a message");
	for (size_t i = 0; i < l->count; i++)
		memcpy(*bytes + i * PROFILE_NODE_BYTES, &l->at[i], sizeof(l->at[i]));
	return 0;
}

static int unpack(void *context, const unsigned char *bytes, size_t size, void **work,
		  struct err *e)
{
	struct units *l;

	(void)context;
	if (!size || size % PROFILE_NODE_BYTES)
		return err_set(e, ERR_INPUT, "not a list of units");
	l = units_new();
	for (size_t at = 0; at < size; at += PROFILE_NODE_BYTES) {
		struct unit u;

		memcpy(&u, bytes + at, sizeof(u));
		push(l, u);
	}
	*work = l;
	return 0;
}

const struct cluster_work_ops profile_ops = {
	.split = split,
	.merge = merge,
	.amount = amount,
	.pack = pack,
	.unpack = unpack,
	.free = units_free,
};
