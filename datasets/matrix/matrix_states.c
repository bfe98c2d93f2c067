/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/matrix/matrix_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"

/* Random streams derived from one seed. */
enum { OF_EXECUTE, OF_ASSIGN, OF_INPUTS };

static uint64_t stream_seed(uint64_t seed, unsigned stream)
{
	return rng_mix(seed + (stream + 1) * RNG_STEP);
}

/* A multiple of 2^-23 in [-1, 1), which is exact as a float. */
static double element(uint64_t random)
{
	return (double)(int64_t)(random >> 40) / 8388608.0 - 1.0;
}

/* Rotates columns i and j of `w` (n x n). */
static void rotate(double *w, uint32_t n, uint32_t i, uint32_t j, double t)
{
	double square = t * t;
	double cosine = (1.0 - square) / (1.0 + square), sine = 2.0 * t / (1.0 + square);

	for (uint32_t row = 0; row < n; row++) {
		double *a = &w[(size_t)row * n + i], *b = &w[(size_t)row * n + j];
		double left = *a * cosine, right = *b * sine;
		double turned = left - right;

		left = *a * sine;
		right = *b * cosine;
		*a = turned;
		*b = left + right;
	}
}

static void make_weights(float *out, double *w, uint32_t n, uint64_t seed)
{
	struct rng random = rng_seeded(seed);

	for (size_t i = 0; i < (size_t)n * n; i++)
		w[i] = i % n == i / n ? 1.0 : 0.0;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n; j++)
			rotate(w, n, i, j, element(rng_next(&random)));
	}
	for (size_t i = 0; i < (size_t)n * n; i++)
		out[i] = (float)w[i];
}

int matrix_states_create(struct matrix_states *m, const struct matrix_states *sizes, struct err *e)
{
	size_t elements = (size_t)sizes->columns * sizes->columns;
	double *work;

	*m = *sizes;
	m->execute = m->assign = NULL;
	if (m->rows < 1 || m->columns < 1 || m->columns > MATRIX_COLUMNS_MOST)
		return err_set(e, ERR_USAGE,
			       "a matrix must have at least 1 row and 1 to %d columns, not %u x %u",
			       MATRIX_COLUMNS_MOST, m->rows, m->columns);
	if ((uint64_t)m->rows * m->columns > m->state_bytes / sizeof(float))
		return err_set(e, ERR_USAGE, "a matrix of %u x %u does not fit in %u bytes",
			       m->rows, m->columns, m->state_bytes);
	work = malloc(elements * sizeof(double));
	m->execute = malloc(elements * sizeof(float));
	m->assign = malloc(elements * sizeof(float));
	if (!work || !m->execute || !m->assign) {
		free(work);
		matrix_states_free(m);
		return err_set(e, ERR_MEMORY, "no memory for two matrices of %u x %u", m->columns,
			       m->columns);
	}
	make_weights(m->execute, work, m->columns, stream_seed(m->seed, OF_EXECUTE));
	make_weights(m->assign, work, m->columns, stream_seed(m->seed, OF_ASSIGN));
	free(work);
	return 0;
}

void matrix_states_free(struct matrix_states *m)
{
	free(m->execute);
	free(m->assign);
	m->execute = m->assign = NULL;
}

void matrix_states_input(const struct matrix_states *m, uint64_t index, void *state)
{
	struct rng random = rng_seeded(rng_at(stream_seed(m->seed, OF_INPUTS), index));
	size_t elements = (size_t)m->rows * m->columns, at = elements * sizeof(float);
	unsigned char *bytes = state;

	for (size_t i = 0; i < elements; i++) {
		float x = (float)element(rng_next(&random));

		memcpy(bytes + i * sizeof(float), &x, sizeof(x));
	}
	while (at < m->state_bytes) {
		uint64_t word = rng_next(&random);
		size_t some =
			m->state_bytes - at < sizeof(word) ? m->state_bytes - at : sizeof(word);

		memcpy(bytes + at, &word, some);
		at += some;
	}
}

/* ---- oracle ---- */

/* Philox-4x32-10 of (iteration, source, successor, step and purpose) with the run's seed as key. */
static void draw(uint32_t out[4], const struct matrix_schedule *s, const struct matrix_round *at,
		 uint32_t step, bool for_execution)
{
	uint32_t x[4] = { at->iteration, at->source, at->successor,
			  step * 131072u + (for_execution ? 65536u : 0u) };
	uint32_t key[2] = { (uint32_t)(s->seed & 0xffffffffu), (uint32_t)(s->seed >> 32) };

	for (int round = 0; round < 10; round++) {
		uint64_t first = UINT64_C(3528531795) * x[0];
		uint64_t third = UINT64_C(3449720151) * x[2];
		uint32_t next[4] = { (uint32_t)(third >> 32) ^ x[1] ^ key[0], (uint32_t)third,
				     (uint32_t)(first >> 32) ^ x[3] ^ key[1], (uint32_t)first };

		memcpy(x, next, sizeof(x));
		key[0] += 2654435769u;
		key[1] += 3144134277u;
	}
	memcpy(out, x, sizeof(x));
}

static float read_element(const struct matrix_states *m, const void *state, uint32_t row,
			  uint32_t column)
{
	float x;

	memcpy(&x, (const char *)state + ((size_t)row * m->columns + column) * sizeof(x),
	       sizeof(x));
	return x;
}

static void write_element(const struct matrix_states *m, void *state, uint32_t row, uint32_t column,
			  float x)
{
	memcpy((char *)state + ((size_t)row * m->columns + column) * sizeof(x), &x, sizeof(x));
}

static void multiply(const struct matrix_states *m, const float *w, void *state)
{
	float old[MATRIX_COLUMNS_MOST];

	for (uint32_t row = 0; row < m->rows; row++) {
		for (uint32_t k = 0; k < m->columns; k++)
			old[k] = read_element(m, state, row, k);
		for (uint32_t j = 0; j < m->columns; j++) {
			float sum = old[0] * w[j];

			for (uint32_t k = 1; k < m->columns; k++)
				sum = fmaf(old[k], w[(size_t)k * m->columns + j], sum);
			write_element(m, state, row, j, sum);
		}
	}
}

static bool waits_after(const struct matrix_states *m, const struct matrix_schedule *s,
			const struct matrix_round *at, uint32_t step)
{
	uint32_t words[4];

	draw(words, s, at, step, true);
	return (double)words[0] < floor(m->break_probability * 4294967296.0);
}

static bool oracle_execute(const struct matrix_states *m, const struct matrix_schedule *s,
			   const struct matrix_round *at, uint32_t step, void *state,
			   struct matrix_counts *counts)
{
	multiply(m, m->execute, state);
	if (counts)
		counts->executions++;
	return waits_after(m, s, at, step);
}

static void oracle_assign(const struct matrix_states *m, const struct matrix_schedule *s,
			  const struct matrix_round *at, uint32_t step, void *state,
			  struct matrix_counts *counts)
{
	size_t matrix = (size_t)m->rows * m->columns * sizeof(float);
	uint64_t variables = (m->state_bytes - matrix) / 16;
	uint32_t words[4];

	for (uint32_t i = 0; i < m->load; i++)
		multiply(m, m->assign, state);
	draw(words, s, at, step, false);
	for (uint32_t row = 0; row < m->rows; row++) {
		if (!(words[1] >> row % 32 & 1))
			continue;
		for (uint32_t j = 0; j < m->columns; j++)
			write_element(m, state, row, j, -read_element(m, state, row, j));
	}
	if (variables)
		memcpy((char *)state + matrix + 16 * (words[0] * variables >> 32), words, 16);
	if (counts)
		counts->assignments++;
}

void matrix_follow(const struct matrix_states *m, const struct matrix_schedule *s,
		   const struct matrix_round *rounds, uint32_t count, void *state,
		   struct matrix_counts *counts)
{
	for (uint32_t r = 0; r < count; r++) {
		if (s->first)
			oracle_assign(m, s, &rounds[r], 0, state, counts);
		for (uint32_t step = 0; step < s->steps; step++) {
			bool waits = oracle_execute(m, s, &rounds[r], step, state, counts);

			if (s->fixed)
				waits = step < 32 && (s->breaks >> step & 1);
			if (waits || (s->last && step + 1 == s->steps))
				oracle_assign(m, s, &rounds[r], step + 1, state, counts);
		}
	}
}

int matrix_together(const struct matrix_states *m, const struct matrix_schedule *s,
		    double fill_rate, const struct matrix_round *round, uint32_t count,
		    void *states, struct matrix_counts *counts, struct err *e)
{
	bool *waits = calloc(count ? count : 1, sizeof(*waits));
	uint32_t step = 0;

	if (!waits)
		return err_set(e, ERR_MEMORY, "no memory for the bits of %u states", count);
	for (uint32_t i = 0; s->first && i < count; i++)
		oracle_assign(m, s, &round[i], 0, (char *)states + (size_t)i * m->state_bytes,
			      counts);
	while (step < s->steps) {
		uint32_t waiting = 0;

		memset(waits, 0, count * sizeof(*waits));
		do {
			for (uint32_t i = 0; i < count; i++) {
				void *state = (char *)states + (size_t)i * m->state_bytes;

				if (waits[i])
					continue;
				waits[i] = oracle_execute(m, s, &round[i], step, state, counts);
				waiting += waits[i];
			}
			step++;
		} while (step < s->steps && !((double)waiting / (double)count > fill_rate));
		for (uint32_t i = 0; i < count; i++) {
			if (waits[i])
				oracle_assign(m, s, &round[i], step,
					      (char *)states + (size_t)i * m->state_bytes, counts);
		}
		if (counts)
			counts->breaks++;
	}
	free(waits);
	return 0;
}

int matrix_path_breaks(const struct matrix_states *m, const struct matrix_schedule *s,
		       double fill_rate, const struct matrix_round *round, uint32_t count,
		       uint32_t *breaks, struct err *e)
{
	bool *waits = calloc(count ? count : 1, sizeof(*waits));
	uint32_t waiting = 0;

	if (!waits)
		return err_set(e, ERR_MEMORY, "no memory for the bits of %u states", count);
	*breaks = 0;
	for (uint32_t step = 0; step < s->steps; step++) {
		for (uint32_t i = 0; i < count; i++) {
			if (waits[i])
				continue;
			waits[i] = waits_after(m, s, &round[(size_t)step * count + i], 0);
			waiting += waits[i];
		}
		if (step + 1 < s->steps && !((double)waiting / (double)count > fill_rate))
			continue;
		*breaks |= UINT32_C(1) << step;
		memset(waits, 0, count * sizeof(*waits));
		waiting = 0;
	}
	free(waits);
	return 0;
}

void matrix_follow_path(const struct matrix_states *m, const struct matrix_schedule *s,
			uint32_t breaks, const struct matrix_round *round, uint32_t stride,
			void *state, struct matrix_counts *counts)
{
	bool waits = false;

	if (s->first)
		oracle_assign(m, s, round, 0, state, counts);
	for (uint32_t step = 0; step < s->steps; step++, round += stride) {
		if (!waits)
			waits = oracle_execute(m, s, round, 0, state, counts);
		if (!(breaks >> step & 1))
			continue;
		if (waits)
			oracle_assign(m, s, round, 1, state, counts);
		waits = false;
	}
}

uint32_t matrix_rating(const struct matrix_states *m, const void *state)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < m->rows; i++) {
		for (uint32_t j = 0; j < m->columns; j++) {
			float x = read_element(m, state, i, j);
			uint32_t bits, order;

			memcpy(&bits, &x, sizeof(bits));
			order = bits & 0x80000000u ? ~bits : bits + 0x80000000u;
			if (order < best)
				best = order;
		}
	}
	return best;
}
