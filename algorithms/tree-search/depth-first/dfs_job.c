/* What a deep search computes once: which kernel, its tables; how a row holds a node. */
#include <stdlib.h>

#include "harness/base/checked.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

/* ---- form ---- */

static int32_t longest_job(const struct fsp_tables *t)
{
	int32_t longest = 0;

	for (int j = 0; j < t->jobs; j++) {
		int32_t sum = 0;

		for (int k = 0; k < t->machines; k++)
			sum += t->time[j * t->machines + k];
		longest = sum > longest ? sum : longest;
	}
	return longest;
}

/* Every node on a stack has LB1 < first_ub, the root aside. A job more raises no sum of front, rem
 * and back by more than the job's own times. Johnson's rule makes C_uv at most the larger sum of u
 * and v plus one job's times (before a job of the first group the sum of u is below that of v,
 * behind one of the second group the other way round), which bounds LB2's values by those of LB1
 * and a job more. */
static bool fits_16_bits(const struct dfs_job *j)
{
	int64_t most = j->first_ub > j->root_bound ? j->first_ub : j->root_bound + 1;

	return most + 2 * (int64_t)longest_job(&j->tables) <= INT16_MAX;
}

static bool pair_takes(const struct dfs_job *j)
{
	return !j->lb2 && j->narrow && j->tables.jobs <= DFS_PAIR_MAX_JOBS &&
	       j->tables.machines <= DFS_PAIR_MAX_MACHINES;
}

static void lay_out_row(struct dfs_job *j)
{
	int n = j->tables.jobs, m = j->tables.machines, words;

	if (j->pair) {
		int padded = dfs_pair_machines(m);

		j->mask_words = dfs_pair_mask_words(n);
		words = j->mask_words + padded + padded / 2;
	} else {
		j->mask_words = (n + 31) / 32;
		words = j->mask_words + 3 * m;
	}
	words = j->orders ? (words + 3) / 4 * 4 : words; /* orders begin 16 bytes aligned */
	j->order_at = j->orders ? words : 0;
	words += j->orders ? 1 + (n + 1) / 2 : 0;
	j->row_words = (words + 3) / 4 * 4;
}

/* ---- tables ---- */

static uint32_t two(int32_t low, int32_t high)
{
	return (uint32_t)low | (uint32_t)high << 16;
}

/* Time of machine k in an instance padded with machines of no time. */
static int32_t padded(const int32_t *row, int k, int machines)
{
	return k < machines ? row[k] : 0;
}

static void fill_pair_time(const struct dfs_job *j)
{
	const struct fsp_tables *t = &j->tables;
	int all = dfs_pair_machines(t->machines);

	for (int job = 0; job < t->jobs; job++) {
		const int32_t *p = &t->time[job * t->machines];

		for (int k = 0; k < all; k++)
			j->pair_time[job * all + k] =
				two(padded(p, k, t->machines), padded(p, all - 1 - k, t->machines));
	}
}

static void fill_step(const struct dfs_job *j, size_t at, int32_t job, int32_t first, int32_t lag,
		      int32_t second)
{
	int32_t *step = &j->johnson[at * (j->narrow ? 2 : 4)];

	if (j->narrow) {
		step[0] = (int32_t)two(job, first);
		step[1] = (int32_t)two(lag, second);
		return;
	}
	step[0] = job;
	step[1] = first;
	step[2] = lag;
	step[3] = second;
}

static void fill_wide(const struct dfs_job *j)
{
	const struct fsp_tables *t = &j->tables;
	int n = t->jobs, m = t->machines;

	for (int job = 0; job < n; job++) {
		for (int k = 0; k < m; k++)
			j->time[k * n + job] = t->time[job * m + k];
	}
	for (int pair = 0; j->lb2 && pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];

		j->pair_uv[pair] = u | v << 16;
		for (int i = 0; i < n; i++) {
			int job = t->johnson[pair * n + i];

			fill_step(j, (size_t)i * (size_t)t->pairs + (size_t)pair, job,
				  t->time[job * m + u], t->lag[pair * n + job],
				  t->time[job * m + v]);
		}
	}
}

static void *zeroed(size_t count, size_t *bytes)
{
	*bytes = count * sizeof(int32_t);
	return calloc(count ? count : 1, sizeof(int32_t));
}

static int make_tables(struct dfs_job *j, struct err *e)
{
	const struct fsp_tables *t = &j->tables;
	size_t n = (size_t)t->jobs, m = (size_t)t->machines, pairs = j->lb2 ? (size_t)t->pairs : 0;
	size_t all = (size_t)dfs_pair_machines(t->machines);

	j->pair_time = zeroed(j->pair ? (n + 1) * all : 0, &j->pair_time_bytes);
	j->time = zeroed(j->pair ? 0 : n * m, &j->time_bytes);
	j->pair_uv = zeroed(pairs, &j->pair_uv_bytes);
	j->johnson = zeroed((j->narrow ? 2 : 4) * n * pairs, &j->johnson_bytes);
	if (!j->pair_time || !j->time || !j->pair_uv || !j->johnson)
		return err_set(e, ERR_MEMORY, "no memory for the tables of %s",
			       j->request->flowshop->name);
	if (j->pair)
		fill_pair_time(j);
	else
		fill_wide(j);
	return 0;
}

void dfs_job_row(const struct dfs_job *j, uint32_t *row, const int32_t *front, const int32_t *back,
		 const int32_t *rem)
{
	int m = j->tables.machines, all = dfs_pair_machines(m);
	uint32_t *values = row + j->mask_words;

	for (int k = 0; j->pair && k < all; k++) {
		values[k] = two(padded(front, k, m), padded(back, all - 1 - k, m));
		if (k < all / 2)
			values[all + k] = two(padded(rem, k, m), padded(rem, all - 1 - k, m));
	}
	for (int k = 0; !j->pair && k < m; k++) {
		values[k] = (uint32_t)front[k];
		values[m + k] = (uint32_t)back[k];
		values[2 * m + k] = (uint32_t)rem[k];
	}
}

int dfs_job_make(struct dfs_job *j, const struct search_request *r, int64_t first_ub, bool orders,
		 struct err *e)
{
	int status;

	*j = (struct dfs_job){ .request = r, .lb2 = r->bound == FSP_LB2, .orders = orders };
	status = fsp_tables_make(&j->tables, r->flowshop, FSP_ALL_PAIRS, e);
	if (!status)
		status = search_start(r, &j->ub, &j->start, e);
	j->first_ub = first_ub ? first_ub : j->ub;
	if (status)
		return status;
	j->root_bound = fsp_root_bound(&j->tables, FSP_LB1);
	j->narrow = fits_16_bits(j);
	j->pair = pair_takes(j);
	lay_out_row(j);
	return make_tables(j, e);
}

void dfs_job_free(struct dfs_job *j)
{
	fsp_tables_free(&j->tables);
	free(j->start);
	free(j->pair_time);
	free(j->time);
	free(j->pair_uv);
	free(j->johnson);
}
