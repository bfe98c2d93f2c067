/* Writing and comparing checkpoints; reading is in checkpoint_read.c. */
#include "algorithms/tree-search/checkpoint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/outfile.h"
#include "algorithms/tree-search/checkpoint_text.h"

void checkpoint_free(struct checkpoint *c)
{
	free(c->order);
	free(c->work);
	c->order = NULL;
	c->work = NULL;
	c->count = 0;
}

int checkpoint_matches(const struct checkpoint *c, const struct checkpoint_key *key, struct err *e)
{
	const struct checkpoint_key *file = &c->key;

	if (strcmp(file->problem, key->problem) != 0)
		return err_set(e, ERR_INPUT, "the checkpoint is of %s, not of %s", file->problem,
			       key->problem);
	if (file->items != key->items)
		return err_set(e, ERR_INPUT, "the checkpoint has %d items, not %d", file->items,
			       key->items);
	if (file->hash != key->hash)
		return err_set(e, ERR_INPUT,
			       "the checkpoint is of another instance: %s (hash %016" PRIx64
			       "), not %s (%016" PRIx64 ")",
			       file->instance, file->hash, key->instance, key->hash);
	if (strcmp(file->rule, key->rule) != 0)
		return err_set(e, ERR_INPUT, "the checkpoint's tree is %s, not %s", file->rule,
			       key->rule);
	if (file->first_ub != key->first_ub && strstr(key->rule, "minbranch"))
		return err_set(e, ERR_INPUT,
			       "the checkpoint's tree branches by the bound %" PRId64
			       ", not %" PRId64,
			       file->first_ub, key->first_ub);
	return 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int checkpoint_spares(const struct checkpoint *c, const struct checkpoint_plan *plan, int64_t ub,
		      struct err *e)
{
	if (!c->order || ub >= c->best || !plan->write || !same_file(plan->write, plan->resume))
		return 0;
	return err_set(e, ERR_USAGE,
		       "--ub %" PRId64 " is below %" PRId64 ", the best of %s, whose "
		       "solution would be lost: --checkpoint to another file",
		       ub, c->best, plan->resume);
}

/* ---- lines ---- */

struct lines {
	FILE *file;
	uint64_t hash;
	size_t length;
	char text[CHECKPOINT_LINE];
};

static void end_line(struct lines *l)
{
	l->hash = checkpoint_hash_line(l->hash, l->text, l->length);
	l->text[l->length] = '\n';
	fwrite(l->text, 1, l->length + 1, l->file);
	l->length = 0;
}

static __attribute__((format(printf, 2, 3))) void line(struct lines *l, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	l->length = (size_t)vsnprintf(l->text, sizeof(l->text), format, ap);
	va_end(ap);
	end_line(l);
}

/* A number and a blank, at most 6 characters. */
static void put_number(struct lines *l, uint16_t number)
{
	char figure[5];
	int count = 0;

	do {
		figure[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (l->length)
		l->text[l->length++] = ' ';
	while (count)
		l->text[l->length++] = figure[--count];
}

/* The name of a file may hold anything. */
static void put_instance(struct lines *l, const char *name)
{
	l->length = (size_t)sprintf(l->text, "instance %s", *name ? name : "-");
	for (size_t i = 0; i < l->length; i++) {
		if ((unsigned char)l->text[i] < ' ')
			l->text[i] = '?';
	}
	end_line(l);
}

static void put_key(struct lines *l, const struct checkpoint_key *k)
{
	line(l, CHECKPOINT_TITLE);
	line(l, "problem %s", k->problem);
	put_instance(l, k->instance);
	line(l, "hash %016" PRIx64, k->hash);
	line(l, "items %d", k->items);
	line(l, "rule %s", k->rule);
	line(l, "first-ub %" PRId64, k->first_ub);
}

static void put_state(struct lines *l, const struct checkpoint *c)
{
	line(l, "best %" PRId64, c->best);
	l->length = (size_t)sprintf(l->text, "order%s", c->order ? "" : " none");
	for (int i = 0; c->order && i < c->key.items; i++)
		put_number(l, (uint16_t)c->order[i]);
	end_line(l);
	line(l, "solutions %" PRIu64, c->solutions);
	line(l, "explored %" PRIu64, c->explored);
	line(l, "decomposed %" PRIu64, c->decomposed);
	line(l, "leaves %" PRIu64, c->leaves);
	line(l, "evaluated %" PRIu64, c->evaluated);
	line(l, "seconds %.17g", c->seconds);
	line(l, "%s %" PRIu64, c->form == CHECKPOINT_INTERVALS ? "intervals" : "nodes", c->count);
}

/* ---- intervals in order ---- */

static int by_digits(const void *a, const void *b, void *items)
{
	const uint16_t *x = *(const uint16_t *const *)a, *y = *(const uint16_t *const *)b;

	for (int i = 0; i < *(const int *)items; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

/* Pointers to the units of work, intervals sorted. An overlap is a fault of the search: no file is
 * better than a wrong one. */
static int ordered_work(const struct checkpoint *c, const uint16_t ***out, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	const uint16_t **unit = malloc((size_t)(c->count + 1) * sizeof(*unit));
	int items = c->key.items;

	*out = unit;
	if (!unit)
		return err_set(e, ERR_MEMORY, "no memory to order a checkpoint");
	for (uint64_t i = 0; i < c->count; i++)
		unit[i] = c->work + i * stride;
	if (c->form != CHECKPOINT_INTERVALS)
		return 0;
	qsort_r(unit, c->count, sizeof(*unit), by_digits, &items);
	for (uint64_t i = 1; i < c->count; i++) {
		const uint16_t *last = unit[i - 1] + items;

		if (by_digits(&last, &unit[i], &items) >= 0)
			return err_set(e, ERR_FAILED, "open intervals overlap: no checkpoint");
	}
	return 0;
}

int checkpoint_write(const struct checkpoint *c, const char *path, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	struct lines *l = malloc(sizeof(*l));
	const uint16_t **unit = NULL;
	struct outfile *out;
	int status = l ? ordered_work(c, &unit, e) : err_set(e, ERR_MEMORY, "no memory for a line");

	if (!status)
		status = outfile_open(&out, path, e);
	if (!status) {
		*l = (struct lines){ .file = outfile_stream(out), .hash = CHECKPOINT_HASH_BEGIN };
		put_key(l, &c->key);
		put_state(l, c);
		for (uint64_t i = 0; i < c->count; i++) {
			for (size_t j = 0; j < stride; j++)
				put_number(l, unit[i][j]);
			end_line(l);
		}
		fprintf(l->file, "end %016" PRIx64 "\n", l->hash);
		status = outfile_commit(out, e);
	}
	free(unit);
	free(l);
	return status;
}
