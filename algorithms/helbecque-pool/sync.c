/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/sync.h"

enum { BUSY = 1 };

void pool_termination_open(struct pool_termination *t, int locales, int per_locale)
{
	t->locales = locales;
	t->per_locale = per_locale;
	for (int i = 0; i < locales * per_locale; i++)
		atomic_init(&t->thread[i], BUSY);
	for (int i = 0; i < locales; i++)
		atomic_init(&t->locale[i], BUSY);
	atomic_init(&t->ended, 0);
}

void pool_termination_idle(struct pool_termination *t, int thread)
{
	atomic_store(&t->thread[thread], 0);
}

void pool_termination_wake(struct pool_termination *t, int thread)
{
	atomic_uint_fast64_t *word = &t->locale[thread / t->per_locale];
	uint_fast64_t seen = atomic_load(word);

	atomic_store(&t->thread[thread], BUSY);
	while (!atomic_compare_exchange_weak(word, &seen, ((seen | BUSY) + 2)))
		;
}

/* Step 1: are all threads of the locale IDLE? */
static bool locale_idle(struct pool_termination *t, int locale)
{
	uint_fast64_t seen = atomic_load(&t->locale[locale]);

	for (int i = 0; i < t->per_locale; i++) {
		if (atomic_load(&t->thread[locale * t->per_locale + i]))
			return false;
	}
	return atomic_compare_exchange_strong(&t->locale[locale], &seen,
					      seen & ~(uint_fast64_t)BUSY);
}

/* Step 2: are all locales IDLE? */
static bool locales_idle(struct pool_termination *t)
{
	uint_fast64_t first[SEARCH_WORKERS_MAX];

	for (int i = 0; i < t->locales; i++) {
		first[i] = atomic_load(&t->locale[i]);
		if (first[i] & BUSY)
			return false;
	}
	for (int i = 0; i < t->locales; i++) {
		if (atomic_load(&t->locale[i]) != first[i])
			return false;
	}
	return true;
}

bool pool_termination_reached(struct pool_termination *t, int thread)
{
	if (!atomic_load(&t->ended) && locale_idle(t, thread / t->per_locale) && locales_idle(t))
		atomic_store(&t->ended, 1);
	return atomic_load(&t->ended);
}

int pool_permute_victims(struct rng *r, int thief, int n, int out[SEARCH_WORKERS_MAX])
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		if (i == thief)
			continue;
		int j = (int)rng_below(r, (uint64_t)count + 1);

		out[count] = out[j];
		out[j] = i;
		count++;
	}
	return count;
}
