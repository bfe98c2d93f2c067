/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Which target, flags and number of GPUs solve an instance: a table of rules, with the reason of
 * each. The measurements behind the rules are in docs/lab-notes/front.md. */
#ifndef COPRA_FRONT_POLICY_H
#define COPRA_FRONT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "front/instance.h"
#include "harness/base/error.h"

/* The flags that the user gave, as arguments "--name=value" or "--name" "value". */
struct policy_flags {
	int count;
	char *const *word;
};
/* Whether the flag was given. `name` is without the dashes. */
bool policy_given(const struct policy_flags *f, const char *name);
/* The value of a flag; NULL if it was not given or has no value. The last one counts. */
const char *policy_value(const struct policy_flags *f, const char *name);

enum policy_machine { POLICY_ANY, POLICY_CORES, POLICY_GPUS };

struct policy_rule {
	enum instance_problem problem;
	const char *words; /* prefixes of landscape names, separated by blanks; NULL: all */
	int64_t size_from, size_to;     /* inclusive; 0 is a size that is not known */
	int64_t second_from, second_to; /* inclusive */
	enum policy_machine machine;
	const char *without; /* not for a user who gave one of these flags, or NULL */
	const char *with;    /* only for a user who gave this flag, or NULL */
	const char *target;  /* NULL: there is no way; `reason` says why */
	const char *flags;   /* separated by blanks */
	const char *beam;    /* flags of koester-recovery, whose schedule is the start; or
					    NULL */
	int gpus;            /* maximum number of GPUs that is worth using; 0: all */
	const char *reason;  /* one line */
};

/* The first rule of the table that fits. `gpus`: the number of GPUs that the run may use; 0: none.
 * `target` (or NULL) is the value of --target: then only rules of this target are considered.
 * Returns NULL if no rule fits. The caller then uses the defaults of --target, or fails without
 * it. */
const struct policy_rule *policy_choose(const struct instance *x, const struct policy_flags *user,
					int gpus, const char *target);
/* The whole table, for tests. */
const struct policy_rule *policy_rules(int *count);

#endif
