/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/policy.h"

#include <string.h>

/* Values of the members size_from, size_to, second_from and second_to. */
#define SIZE(from, to) .size_from = from, .size_to = to, .second_to = INT64_MAX
#define ANY_SIZE SIZE(0, INT64_MAX)

/* A beam search as the start of a flowshop search, and the tree search after it. */
#define BEAM(from, to, where, beam_flags, seconds)                                                 \
	{                                                                                          \
		.problem = INSTANCE_FLOWSHOP, .size_from = from, .size_to = to, .second_from = 16, \
		.second_to = INT64_MAX, .machine = where,                                          \
		.without = "ub start start-command start-seconds resume", .target = "gmys-ivm",    \
		.flags = "--bound lb1 --branching minbranch --improve auto "                       \
			 "--start-seconds " seconds,                                               \
		.beam = beam_flags,                                                                \
		.reason = "for more than 26 jobs LB1 searches more of the tree per second than "   \
			  "LB2, and for more than 40 on 16 machines or more a beam search finds "  \
			  "the best start",                                                        \
	}

static const struct policy_rule rules[] = {
	/* flowshop: size is the number of jobs, second that of machines */
	{
		.problem = INSTANCE_FLOWSHOP,
		SIZE(0, 26),
		.target = "gmys-ivm",
		.flags = "--bound lb2 --branching maxsum",
		.reason = "for at most 26 jobs LB2 is read from tables by job set, and branching "
			  "at both ends keeps the worst trees small",
	},
	/* The widest beam that fits. With 50 jobs it keeps 4.6 million states a layer and takes two
	 * seconds on an H100. */
	BEAM(41, 64, POLICY_GPUS, "--memory 4G --rounds 1 --gpus 1", "0.2"),
	BEAM(65, 128, POLICY_GPUS, "--memory 2G --rounds 1 --gpus 1", "0.2"),
	BEAM(129, INT64_MAX, POLICY_GPUS, "--memory 2G --rounds 4 --gpus 1", "0.2"),
	BEAM(41, INT64_MAX, POLICY_CORES, "--variant cpu --beam 4096 --rounds 3", "0.5"),
	{
		.problem = INSTANCE_FLOWSHOP,
		SIZE(27, 40),
		.without = "ub start start-command resume",
		.target = "gmys-ivm",
		.flags = "--bound lb1-pairs --branching minbranch --improve auto",
		.reason = "for more than 26 jobs LB1, with those pairs of LB2 that pay, "
			  "searches more of the tree per second than LB2, and iterated greedy "
			  "finds a good start",
	},
	{
		.problem = INSTANCE_FLOWSHOP,
		SIZE(27, 40),
		.target = "gmys-ivm",
		.flags = "--bound lb1-pairs --branching minbranch",
		.reason = "for more than 26 jobs LB1, with those pairs of LB2 that pay, "
			  "searches more of the tree per second than LB2",
	},
	{
		.problem = INSTANCE_FLOWSHOP,
		SIZE(27, INT64_MAX),
		.without = "ub start start-command resume",
		.target = "gmys-ivm",
		.flags = "--bound lb1 --branching minbranch --improve auto",
		.reason = "for more than 26 jobs LB1 searches more of the tree per second than "
			  "LB2, and iterated greedy finds a good start",
	},
	{
		.problem = INSTANCE_FLOWSHOP,
		SIZE(27, INT64_MAX),
		.target = "gmys-ivm",
		.flags = "--bound lb1 --branching minbranch",
		.reason = "for more than 26 jobs LB1 searches more of the tree per second than "
			  "LB2",
	},

	/* N-Queens */
	{
		.problem = INSTANCE_NQUEENS,
		SIZE(0, 26),
		.without = "variant rung",
		.target = "helbecque-pool",
		.flags = "--solutions-only",
		.reason = "the symmetry of the board leaves a quarter of the tree or less",
	},
	{
		.problem = INSTANCE_NQUEENS,
		SIZE(0, 26),
		.target = "helbecque-pool",
		.flags = "",
		.reason = "the whole board with its nodes, because --variant or --rung is given",
	},
	{
		.problem = INSTANCE_NQUEENS,
		ANY_SIZE,
		.reason = "the search counts at most 26 queens, and 26 would take days on one GPU",
	},

	/* ATSP: size is the number of cities */
	{
		.problem = INSTANCE_ATSP,
		SIZE(0, 22),
		.target = "gmys-ivm",
		.flags = "",
		.reason = "the cost of the path is a bound that proves up to about 20 cities",
	},
	{
		.problem = INSTANCE_ATSP,
		ANY_SIZE,
		.with = "time-limit",
		.target = "gmys-ivm",
		.flags = "",
		.reason = "too many cities for a proof: the best tour within the time limit",
	},
	{
		.problem = INSTANCE_ATSP,
		ANY_SIZE,
		.reason = "the bound, the cost of the path, proves up to about 20 cities; add "
			  "--time-limit S for the best tour found in S seconds",
	},

	/* knapsack: second is the capacity. A pass must have a million cells per device */
	{
		.problem = INSTANCE_KNAPSACK,
		.size_to = INT64_MAX,
		.second_to = 2 << 20,
		.target = "dp-knapsack",
		.flags = "",
		.gpus = 1,
		.reason = "dense dynamic programming is exact for any profits",
	},
	{
		.problem = INSTANCE_KNAPSACK,
		ANY_SIZE,
		.target = "dp-knapsack",
		.flags = "",
		.reason = "dense dynamic programming is exact for any profits",
	},

	/* SameGame */
	{
		.problem = INSTANCE_SAMEGAME,
		ANY_SIZE,
		.machine = POLICY_GPUS,
		.target = "koester-recovery",
		.flags = "--beam 16384 --rounds 8",
		.gpus = 1,
		.reason = "further rounds from recovered layers gain more than a wider beam",
	},
	{
		.problem = INSTANCE_SAMEGAME,
		ANY_SIZE,
		.target = "koester-recovery",
		.flags = "--beam 256 --rounds 4",
		.reason = "further rounds from recovered layers gain more than a wider beam",
	},

	/* functions of bit strings: size is the number of variables, 0 if it is not known */
	{
		.problem = INSTANCE_MAXSAT,
		SIZE(1, 200),
		.target = "gboa",
		.flags = "--model pboa --population 19200 --runs 10",
		.gpus = 1,
		.reason = "networks along permutations are as good as decision graphs and many "
			  "times faster; the best of ten runs",
	},
	{
		.problem = INSTANCE_MAXSAT,
		ANY_SIZE,
		.target = "gboa",
		.flags = "--model pboa --runs 10",
		.gpus = 1,
		.reason = "networks along permutations are as good as decision graphs and many "
			  "times faster; the best of ten runs",
	},
	{
		.problem = INSTANCE_LANDSCAPE,
		.words = "overlap htrap nk",
		ANY_SIZE,
		.target = "gboa",
		.flags = "--model hboa --runs 10",
		.gpus = 1,
		.reason = "decision graphs solve overlapping and hierarchical terms that networks "
			  "along permutations miss; the best of ten runs",
	},
	{
		.problem = INSTANCE_LANDSCAPE,
		SIZE(1, 200),
		.target = "gboa",
		.flags = "--model pboa --population 19200 --runs 10",
		.gpus = 1,
		.reason = "networks along permutations with a large population solve separate "
			  "terms fastest; the best of ten runs",
	},
	{
		.problem = INSTANCE_LANDSCAPE,
		ANY_SIZE,
		.target = "gboa",
		.flags = "--model pboa --runs 10",
		.reason = "networks along permutations solve separate terms fastest; the best of "
			  "ten runs",
	},
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

/* ---- the user's flags ---- */

/* What follows the name of a flag in an argument: "" or "=value"; NULL in another argument. */
static const char *behind_name(const char *word, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, length) != 0)
		return NULL;
	word += 2 + length;
	return *word == '\0' || *word == '=' ? word : NULL;
}

bool policy_given(const struct policy_flags *f, const char *name)
{
	for (int i = 0; i < f->count; i++)
		if (behind_name(f->word[i], name))
			return true;
	return false;
}

const char *policy_value(const struct policy_flags *f, const char *name)
{
	const char *value = NULL;

	for (int i = 0; i < f->count; i++) {
		const char *rest = behind_name(f->word[i], name);

		if (rest && *rest == '=')
			value = rest + 1;
		else if (rest && i + 1 < f->count)
			value = f->word[i + 1];
	}
	return value;
}

/* ---- the choice ---- */

/* Calls `is` for each word of a text; true if one is. */
static bool any_word(const char *text, bool (*is)(const void *context, const char *word),
		     const void *context)
{
	char word[64];

	while (text && *text) {
		size_t length = strcspn(text, " ");

		if (length > 0 && length < sizeof(word)) {
			memcpy(word, text, length);
			word[length] = '\0';
			if (is(context, word))
				return true;
		}
		text += length + strspn(text + length, " ");
	}
	return false;
}

static bool is_given(const void *user, const char *name)
{
	return policy_given(user, name);
}

/* "overlap" stands for overlap2 to overlap8. */
static bool begins_with(const void *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static bool fits_instance(const struct policy_rule *r, const struct instance *x)
{
	return r->problem == x->problem && x->size >= r->size_from && x->size <= r->size_to &&
	       x->second >= r->second_from && x->second <= r->second_to &&
	       (!r->words || any_word(r->words, begins_with, x->word));
}

static bool fits_user(const struct policy_rule *r, const struct policy_flags *user, int gpus,
		      const char *target)
{
	if (r->machine != POLICY_ANY && (r->machine == POLICY_GPUS) != (gpus > 0))
		return false;
	if (target && (!r->target || strcmp(r->target, target) != 0))
		return false;
	return !any_word(r->without, is_given, user) && (!r->with || policy_given(user, r->with));
}

const struct policy_rule *policy_choose(const struct instance *x, const struct policy_flags *user,
					int gpus, const char *target)
{
	for (int i = 0; i < RULES; i++)
		if (fits_instance(&rules[i], x) && fits_user(&rules[i], user, gpus, target))
			return &rules[i];
	return NULL;
}

const struct policy_rule *policy_rules(int *count)
{
	*count = RULES;
	return rules;
}
