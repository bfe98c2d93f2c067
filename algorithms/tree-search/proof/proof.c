/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/proof/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/estimate/tree_estimate.h"
#include "harness/base/hash.h"
#include "harness/base/json_file.h"
#include "harness/base/outfile.h"

/* ---- the first levels ---- */

static size_t stride_of(const struct proof *p)
{
	return checkpoint_stride(CHECKPOINT_NODES, p->tables.jobs);
}

/* The record of the child of `from` with `job`, which is removed from the jobs between. */
static void child_record(const uint16_t *from, bool at_end, int job, int jobs, uint16_t *to)
{
	int first = from[RECORD_PREFIX], end = jobs - from[RECORD_SUFFIX];
	int at = first + !at_end;

	memcpy(to, from, ((size_t)jobs + RECORD_ITEMS) * sizeof(*to));
	to[RECORD_PREFIX] = (uint16_t)(from[RECORD_PREFIX] + !at_end);
	to[RECORD_SUFFIX] = (uint16_t)(from[RECORD_SUFFIX] + at_end);
	for (int i = first; i < end; i++)
		if (from[RECORD_ITEMS + i] != job)
			to[RECORD_ITEMS + at++] = from[RECORD_ITEMS + i];
	to[RECORD_ITEMS + (at_end ? end - 1 : first)] = (uint16_t)job;
}

struct list {
	uint16_t *record;
	uint64_t count, room;
};

static uint16_t *add_record(struct list *l, size_t stride)
{
	if (l->count == l->room) {
		uint64_t room = l->room ? 2 * l->room : 64;
		uint16_t *more = realloc(l->record, room * stride * sizeof(*more));

		if (!more)
			return NULL;
		l->record = more;
		l->room = room;
	}
	return l->record + l->count++ * stride;
}

/* Makes the list of the children of all nodes of the last level. Children without jobs left are
 * not nodes: w->shorter tells of those that are not pruned. */
static int next_level(const struct proof *p, struct proof_walk *w, struct list *next, struct err *e)
{
	size_t stride = stride_of(p);

	*next = (struct list){ .count = 0 };
	for (uint64_t i = 0; i < p->parts; i++) {
		const uint16_t *record = p->record + i * stride;
		const struct proof_level *l = &w->level[p->depth];

		proof_walk_start(w, record);
		for (int c = 0; c < l->count; c++) {
			uint16_t *to = add_record(next, stride);

			if (!to)
				return err_set(e, ERR_MEMORY, "no memory for a level of the tree");
			child_record(record, l->at_end, l->job[c], p->tables.jobs, to);
		}
	}
	return 0;
}

/* The estimated nodes of the tree; 0: not known. */
static double estimate(const struct proof *p)
{
	struct search_request r = { .flowshop = p->flowshop,
				    .bound = FSP_LB1,
				    .branching = FSP_MINBRANCH,
				    .ub = p->bound };
	struct tree_estimate x;

	return tree_estimate(&x, &r, 16, 0.5, NULL) == 0 ? x.nodes : 0;
}

static int64_t choose_parts(const struct proof *p)
{
	double parts = estimate(p) / PROOF_PART_NODES;

	return parts < PROOF_PARTS      ? PROOF_PARTS :
	       parts > PROOF_PARTS_MOST ? PROOF_PARTS_MOST :
					  (int64_t)parts;
}

static int enumerate(struct proof *p, int64_t parts, int depth, struct err *e)
{
	int last = p->tables.jobs - 1, status;
	struct proof_walk w;
	struct list next;

	status = proof_walk_open(&w, p, e);
	if (!status && !parts && depth < 0)
		parts = choose_parts(p);
	p->level[0] = p->parts;
	while (!status && p->parts && p->depth < last &&
	       (depth >= 0 ? p->depth < depth : p->parts < (uint64_t)parts)) {
		status = next_level(p, &w, &next, e);
		if (status || (depth < 0 && next.count > PROOF_LEVEL_MOST)) {
			free(next.record);
			break;
		}
		free(p->record);
		p->record = next.record;
		p->parts = p->level[++p->depth] = next.count;
	}
	proof_walk_close(&w);
	return status;
}

int proof_make(struct proof *p, const struct flowshop *f, const char *instance, int64_t bound,
	       const int64_t *order, int64_t parts, int depth, struct err *e)
{
	int status;

	*p = (struct proof){
		.flowshop = f, .instance = instance, .bound = bound, .order = order, .parts = 1
	};
	p->runs = json_array();
	status = fsp_tables_make(&p->tables, f, FSP_ALL_PAIRS, e);
	if (status)
		return status;
	p->record = calloc(stride_of(p), sizeof(*p->record));
	if (!p->runs || !p->record)
		return err_set(e, ERR_MEMORY, "no memory for a proof");
	for (int j = 0; j < f->jobs; j++)
		p->record[RECORD_ITEMS + j] = (uint16_t)j;
	status = enumerate(p, parts, depth, e);
	if (status)
		return status;
	p->count = malloc((p->parts + 1) * sizeof(*p->count));
	if (!p->count)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " parts", p->parts);
	for (uint64_t i = 0; i < p->parts; i++)
		p->count[i] = PROOF_UNCOUNTED;
	return 0;
}

void proof_free(struct proof *p)
{
	fsp_tables_free(&p->tables);
	free(p->record);
	free(p->count);
	json_decref(p->runs);
	*p = (struct proof){ .depth = 0 };
}

uint64_t proof_nodes(const struct proof *p)
{
	uint64_t nodes = 0;

	for (int d = 0; d < p->depth; d++)
		nodes += p->level[d];
	for (uint64_t i = 0; i < p->parts; i++)
		nodes += p->count[i] == PROOF_UNCOUNTED ? 0 : p->count[i];
	return nodes;
}

uint64_t proof_open(const struct proof *p)
{
	uint64_t open = 0;

	for (uint64_t i = 0; i < p->parts; i++)
		open += p->count[i] == PROOF_UNCOUNTED;
	return open;
}

/* ---- the file ---- */

uint64_t proof_hash(const struct flowshop *f)
{
	char word[32];
	uint64_t hash;

	snprintf(word, sizeof(word), "%d %d\n", f->jobs, f->machines);
	hash = hash_text(HASH_INIT, word);
	for (int i = 0; i < f->jobs * f->machines; i++) {
		snprintf(word, sizeof(word), "%" PRId32 "%c", f->time[i],
			 (i + 1) % f->jobs ? ' ' : '\n');
		hash = hash_text(hash, word);
	}
	return hash;
}

static void hash_word(const struct proof *p, char word[32])
{
	snprintf(word, 32, "fnv1a:%016" PRIx64, proof_hash(p->flowshop));
}

enum { NUMBERS_A_LINE = 12 };

static void write_counts(FILE *out, const char *key, const uint64_t *value, uint64_t count)
{
	fprintf(out, "  \"%s\": [", key);
	for (uint64_t i = 0; i < count; i++) {
		fputs(i == 0 ? "" : i % NUMBERS_A_LINE ? ", " : ",\n    ", out);
		if (value[i] == PROOF_UNCOUNTED)
			fputs("null", out);
		else
			fprintf(out, "%" PRIu64, value[i]);
	}
	fputs("],\n", out);
}

static void write_json(FILE *out, const char *key, json_t *value)
{
	fprintf(out, "  \"%s\": ", key);
	json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	json_decref(value);
	fputs(",\n", out);
}

static void write_schedule(FILE *out, const struct proof *p)
{
	uint64_t job[FLOWSHOP_MAX_JOBS];

	if (!p->order) {
		fputs("  \"schedule\": null,\n", out);
		return;
	}
	for (int i = 0; i < p->tables.jobs; i++)
		job[i] = (uint64_t)p->order[i];
	write_counts(out, "schedule", job, (uint64_t)p->tables.jobs);
}

static void write_runs(FILE *out, const struct proof *p)
{
	size_t i;
	json_t *run;

	fputs("  \"runs\": [", out);
	json_array_foreach(p->runs, i, run)
	{
		fputs(i ? ",\n    " : "\n    ", out);
		json_dumpf(run, out, JSON_REAL_PRECISION(6));
	}
	fputs("\n  ]\n}\n", out);
}

int proof_save(const struct proof *p, const char *path, struct err *e)
{
	json_t *instance = json_string(p->instance);
	struct outfile *file;
	char hash[32];
	int status;
	FILE *out;

	if (!instance)
		return err_set(e, ERR_MEMORY, "no memory for the name '%s'", p->instance);
	status = outfile_open(&file, path, e);
	if (status) {
		json_decref(instance);
		return status;
	}
	out = outfile_stream(file);
	hash_word(p, hash);
	fprintf(out, "{\n  \"format\": \"%s\",\n", PROOF_FORMAT);
	write_json(out, "instance", instance);
	fprintf(out, "  \"jobs\": %d,\n  \"machines\": %d,\n  \"hash\": \"%s\",\n", p->tables.jobs,
		p->tables.machines, hash);
	fprintf(out, "  \"rule\": \"lb1-minbranch\",\n  \"bound\": %" PRId64 ",\n", p->bound);
	write_schedule(out, p);
	write_counts(out, "levels", p->level, (uint64_t)p->depth + 1);
	write_counts(out, "parts", p->count, p->parts);
	fprintf(out, "  \"nodes\": %" PRIu64 ",\n", proof_nodes(p));
	write_runs(out, p);
	return outfile_commit(file, e);
}

/* Reads a file and checks that it belongs to the instance and the bound. */
static int read_file(const struct proof *p, const char *path, json_t **out, struct err *e)
{
	char hash[32];
	int status = json_file_read(out, path, e);

	if (status)
		return status;
	hash_word(p, hash);
	if (strcmp(json_text(*out, "format"), PROOF_FORMAT) != 0)
		status = err_set(e, ERR_INPUT, "%s: not a proof of this format", path);
	else if (strcmp(json_text(*out, "hash"), hash) != 0 ||
		 json_integer_value(json_object_get(*out, "bound")) != p->bound)
		status = err_set(e, ERR_INPUT,
				 "%s: counts of another instance or bound; remove the file to "
				 "start again",
				 path);
	if (status)
		json_decref(*out);
	return status;
}

int proof_depth(const struct proof *p, const char *path, int *depth, struct err *e)
{
	json_t *json;
	size_t levels;
	int status = read_file(p, path, &json, e);

	if (status)
		return status;
	levels = json_array_size(json_object_get(json, "levels"));
	*depth = (int)levels - 1;
	if (levels < 1 || levels > (size_t)p->flowshop->jobs)
		status = err_set(e, ERR_INPUT, "%s: the file has no valid levels", path);
	json_decref(json);
	return status;
}

static bool same_levels(const struct proof *p, const json_t *level)
{
	bool same = json_array_size(level) == (size_t)p->depth + 1;

	for (int d = 0; same && d <= p->depth; d++) {
		const json_t *x = json_array_get(level, (size_t)d);

		same = json_is_integer(x) && (uint64_t)json_integer_value(x) == p->level[d];
	}
	return same;
}

int proof_resume(struct proof *p, const char *path, struct err *e)
{
	const json_t *part;
	json_t *json, *runs;
	int status = read_file(p, path, &json, e);

	if (status)
		return status;
	part = json_object_get(json, "parts");
	runs = json_object_get(json, "runs");
	if (!same_levels(p, json_object_get(json, "levels")) || json_array_size(part) != p->parts ||
	    !json_is_array(runs))
		status = err_set(
			e, ERR_INPUT,
			"%s: the parts are not those of this tree; remove the file to start "
			"again",
			path);
	for (uint64_t i = 0; !status && i < p->parts; i++) {
		const json_t *x = json_array_get(part, i);

		if (json_is_integer(x) && json_integer_value(x) > 0)
			p->count[i] = (uint64_t)json_integer_value(x);
	}
	if (!status)
		json_array_extend(p->runs, runs);
	json_decref(json);
	return status;
}
