#include "algorithms/tree-search/flowshop/flowshop_insertion.h"

#include <stdlib.h>
#include <string.h>

int insertion_make(struct insertion *s, const struct flowshop *f, struct err *e)
{
	size_t n = (size_t)f->jobs, m = (size_t)f->machines;

	s->jobs = f->jobs;
	s->machines = f->machines;
	s->time = calloc(n * m, sizeof(*s->time));
	s->ahead = calloc((n + 1) * m, sizeof(*s->ahead));
	s->after = calloc((n + 1) * m, sizeof(*s->after));
	if (!s->time || !s->ahead || !s->after) {
		insertion_free(s);
		return err_set(e, ERR_MEMORY, "no memory for a heuristic on %s", f->name);
	}
	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < m; k++)
			s->time[j * m + k] = f->time[k * n + j];
	return 0;
}

void insertion_free(struct insertion *s)
{
	free(s->time);
	free(s->ahead);
	free(s->after);
	*s = (struct insertion){ .jobs = 0 };
}

/* Fills ahead[0..count]; ahead[0] stays 0. */
static void fill_ahead(struct insertion *s, const int *order, int count)
{
	int m = s->machines;

	for (int i = 0; i < count; i++)
		fsp_append(&s->time[order[i] * m], &s->ahead[i * m], &s->ahead[(i + 1) * m], m);
}

/* Fills after[0..count]. */
static void fill_after(struct insertion *s, const int *order, int count)
{
	int m = s->machines;

	memset(&s->after[count * m], 0, (size_t)m * sizeof(*s->after));
	for (int i = count - 1; i >= 0; i--)
		fsp_prepend(&s->time[order[i] * m], &s->after[(i + 1) * m], &s->after[i * m], m);
}

/* Makespan with a job of times p between what is ahead and what comes after. */
static int32_t through(const int32_t *p, const int32_t *ahead, const int32_t *after, int machines)
{
	int32_t t = 0, most = 0;

	for (int k = 0; k < machines; k++) {
		t = (t > ahead[k] ? t : ahead[k]) + p[k];
		most = t + after[k] > most ? t + after[k] : most;
	}
	return most;
}

int32_t insertion_best(struct insertion *s, const int *order, int count, int job, int *place)
{
	int m = s->machines;
	int32_t best = INT32_MAX;

	fill_ahead(s, order, count);
	fill_after(s, order, count);
	*place = 0;
	for (int i = 0; i <= count; i++) {
		int32_t x = through(&s->time[job * m], &s->ahead[i * m], &s->after[i * m], m);

		if (x < best) {
			best = x;
			*place = i;
		}
	}
	return best;
}

int32_t insertion_makespan(struct insertion *s, const int *order, int count)
{
	fill_ahead(s, order, count);
	return s->ahead[count * s->machines + s->machines - 1];
}

void insertion_put(int *order, int count, int place, int job)
{
	memmove(&order[place + 1], &order[place], (size_t)(count - place) * sizeof(*order));
	order[place] = job;
}

int insertion_take(int *order, int count, int place)
{
	int job = order[place];

	memmove(&order[place], &order[place + 1], (size_t)(count - place - 1) * sizeof(*order));
	return job;
}
