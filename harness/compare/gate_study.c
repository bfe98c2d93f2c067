/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/gate_study.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/base/progress.h"
#include "harness/base/stats.h"
#include "harness/compare/rows.h"
#include "harness/compare/gate.h"

enum { LAUNCHES = 40, LEAST_BLOCKS = 5, EXTRA_PERCENT = 5 };
static const double slower = 1 + EXTRA_PERCENT / 100.0;

/* ---- noise ---- */

static const char *const noise_names[STUDY_NOISE_KINDS] = {
	"normal", "log-normal", "drift", "autocorrelated", "bimodal clock", "spikes", "heavy"
};

static double normal(struct study_noise *n)
{
	return stat_normal_quantile(rng_unit(&n->rng) * (1 - 0x1p-50) + 0x1p-51);
}

void study_noise_start(struct study_noise *n, enum study_noise_kind kind, uint64_t seed)
{
	*n = (struct study_noise){ .kind = kind, .rng = rng_seeded(rng_mix(seed)) };
	if (kind == STUDY_CORRELATED)
		n->state = 0.03 * normal(n);
	if (kind == STUDY_BIMODAL)
		n->state = rng_unit(&n->rng) < 0.5;
}

double study_noise_launch(struct study_noise *n, double seconds)
{
	double factor = 1;

	switch (n->kind) {
	case STUDY_NORMAL:
		factor = 1 + 0.02 * normal(n);
		break;
	case STUDY_LOGNORMAL:
		factor = 1 + 0.04 * exp(0.8 * normal(n));
		break;
	case STUDY_DRIFT:
		factor = 1 + 0.1 * n->launches / 120 + 0.01 * normal(n);
		break;
	case STUDY_CORRELATED:
		n->state = 0.9 * n->state + 0.03 * sqrt(1 - 0.9 * 0.9) * normal(n);
		factor = 1 + n->state;
		break;
	case STUDY_BIMODAL:
		if (rng_unit(&n->rng) < 0.1)
			n->state = 1 - n->state;
		factor = (1 + 0.08 * n->state) * (1 + 0.01 * normal(n));
		break;
	case STUDY_SPIKES:
		factor = 1 + 0.01 * normal(n);
		if (rng_unit(&n->rng) < 0.1)
			factor *= 1 + 2 * rng_unit(&n->rng);
		break;
	case STUDY_HEAVY:
		factor = 1 + 0.12 * normal(n);
		break;
	case STUDY_NOISE_KINDS:
		break;
	}
	n->launches++;
	return seconds * fmax(factor, 0.1);
}

/* ---- trials ---- */

static void count(struct study_row *row, const struct gate_session *s)
{
	const struct gate_judgement *j = &s->bench[0].now;

	row->trials++;
	row->verdicts[j->verdict]++;
	row->control_failures += j->control_failed;
	row->blocks += s->blocks;
}

/* One comparison of one benchmark. */
static int trial(struct study_row *row, struct gate_session *s, struct err *e)
{
	struct gate_bench bench = { .name = (char *)(uintptr_t) "study", .now = GATE_UNTESTED };
	int status;

	s->bench = &bench;
	s->count = 1;
	s->least = s->most < LEAST_BLOCKS ? s->most : LEAST_BLOCKS;
	status = gate_session_run(s, e);
	if (status == 0)
		status = gate_judge(&bench.now, 1, &s->rule, e);
	if (status == 0)
		count(row, s);
	gate_samples_free(&bench.samples);
	return status;
}

/* ---- simulated ---- */

struct simulated {
	struct study_noise noise;
	double slowdown;
};

static int simulated_launch(void *ctx, const struct gate_session *s, enum gate_build build,
			    int block, double *seconds, struct err *e)
{
	struct simulated *m = ctx;

	(void)s;
	(void)block;
	(void)e;
	seconds[0] = study_noise_launch(&m->noise, build == GATE_NEW ? m->slowdown : 1);
	return 0;
}

int study_simulate(struct study_row *row, enum study_noise_kind kind, double slowdown, int trials,
		   int most_blocks, uint64_t seed, struct err *e)
{
	int status = 0;

	*row = (struct study_row){ .what = noise_names[kind],
				   .slowdown = slowdown,
				   .hopeless = kind == STUDY_HEAVY };
	for (int i = 0; i < trials && status == 0; i++) {
		struct simulated m = { .slowdown = slowdown };
		struct gate_session s = { .rule = GATE_RULE,
					  .most = most_blocks,
					  .seed = rng_at(seed, 2 * (uint64_t)i + 1),
					  .sample = simulated_launch,
					  .ctx = &m };

		study_noise_start(&m.noise, kind, rng_at(seed, 2 * (uint64_t)i));
		status = trial(row, &s, e);
	}
	return status;
}

bool study_holds(const struct study_row *row)
{
	int alarms = row->verdicts[GATE_SLOWER] + row->verdicts[GATE_FASTER];

	if (row->trials == 0)
		return false;
	if (row->slowdown <= 1)
		return 100 * alarms <= 2 * row->trials;
	if (row->hopeless)
		return 100 * (row->verdicts[GATE_SAME] + row->verdicts[GATE_FASTER]) <=
		       2 * row->trials;
	return 100 * row->verdicts[GATE_SLOWER] >= 95 * row->trials;
}

/* ---- real ---- */

struct real {
	struct build_launch launch;
	double slowdown, seconds;
};

static void found(void *ctx, const char *name, double seconds)
{
	struct real *r = ctx;

	(void)name;
	r->seconds = seconds;
}

static int real_launch(void *ctx, const struct gate_session *s, enum gate_build build, int block,
		       double *seconds, struct err *e)
{
	struct real *r = ctx;
	struct build_rows rows = { 0 };
	char setting[64];
	int status;

	(void)s;
	(void)block;
	/* settings of all builds have the same length, because it shifts the stack */
	snprintf(setting, sizeof(setting), "COPRA_DEMO_EXTRA=%d",
		 build == GATE_NEW && r->slowdown > 1 ? EXTRA_PERCENT : 0);
	r->launch.launch.setting = setting;
	r->seconds = NAN;
	status = rows_launch(&rows, &r->launch, e);
	if (status == 0 && (r->launch.failed || isnan(r->seconds)))
		status = err_set(e, ERR_FAILED, "no measurement: %s", r->launch.message);
	seconds[0] = r->seconds;
	rows_free(&rows);
	return status;
}

/* Trials of both kinds alternate, so that both run at the same hours. */
static int study_real(struct study_row *rows, const struct settings *s,
		      const volatile sig_atomic_t *stop, struct progress *progress, struct err *e)
{
	struct real r = { .launch = { .launch = { .program = s->program,
						  .filter = s->filter,
						  .parameters = &s->launch,
						  .stop = stop },
				      .block = -1,
				      .found = found,
				      .ctx = &r } };
	int status = 0;

	for (int i = 0; i < 2 * (int)s->trials && status == 0; i++) {
		struct gate_session session = { .rule = GATE_RULE,
						.stop = stop,
						.ctx = &r,
						.most = (int)((s->launches + 1) / 2),
						.seed = rng_at(s->seed, (uint64_t)i),
						.sample = real_launch };

		r.slowdown = rows[i % 2].slowdown;
		status = trial(&rows[i % 2], &session, e);
		progress_update(progress, i + 1, "trials");
	}
	return status;
}

/* ---- the table ---- */

static void print(const struct study_row *rows, size_t n)
{
	printf("%-16s %-9s %6s %7s %7s %6s %10s %8s %9s\n", "noise", "new build", "trials",
	       "SLOWER", "FASTER", "SAME", "AMBIGUOUS", "launches", "promise");
	for (size_t i = 0; i < n; i++) {
		const struct study_row *r = &rows[i];

		printf("%-16s %-9s %6d %7d %7d %6d %10d %8.1f %9s\n", r->what,
		       r->slowdown > 1 ? "5 % more" : "the same", r->trials,
		       r->verdicts[GATE_SLOWER], r->verdicts[GATE_FASTER], r->verdicts[GATE_SAME],
		       r->verdicts[GATE_AMBIGUOUS], r->trials ? 2 * r->blocks / r->trials : 0,
		       study_holds(r) ? "kept" : "NOT KEPT");
	}
	puts("launches: average number per build and comparison. heavy: AMBIGUOUS is the right "
	     "answer.");
}

static json_t *json_of_row(const struct study_row *r)
{
	return json_pack("{ss sf sb si si si si si si sf sb}", "noise", r->what, "slowdown",
			 r->slowdown, "hopeless", (int)r->hopeless, "trials", r->trials, "slower",
			 r->verdicts[GATE_SLOWER], "faster", r->verdicts[GATE_FASTER], "same",
			 r->verdicts[GATE_SAME], "ambiguous", r->verdicts[GATE_AMBIGUOUS],
			 "control_not_clean", r->control_failures, "launches",
			 r->trials ? 2 * r->blocks / r->trials : 0.0, "kept", (int)study_holds(r));
}

static int save(const struct study_row *rows, size_t n, const struct settings *s,
		const struct environment *env, struct err *e)
{
	static const struct gate_rule rule = GATE_RULE;
	const struct build_info *b = build_info();
	char date[40];
	json_t *json, *list = json_array();
	int status;

	rows_date(date, sizeof(date));
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_of_row(&rows[i]));
	json = json_pack("{si ss ss ss ss si sf ss sI sI s{sf sf sf sf} so}", "schema", 1, "kind",
			 s->program ? "real" : "simulated", "date", date, "machine", env->machine,
			 "cpu", env->cpu_model, "cpus", env->cpus_usable, "load_at_start",
			 env->load[0], "revision", b->revision, "most_launches",
			 (json_int_t)s->launches, "seed", (json_int_t)s->seed, "rule", "floor",
			 rule.floor, "detect", rule.detect, "level", rule.level, "rate", rule.rate,
			 "rows", list);
	if (json && s->program)
		json_object_set_new(
			json, "command",
			json_sprintf("%s bench --benchmark_filter=%s "
				     "--benchmark_min_time=%s --benchmark_repetitions=%lld",
				     strrchr(s->program, '/') ? strrchr(s->program, '/') + 1 :
								s->program,
				     s->filter, s->launch.min_time, s->launch.repetitions));
	status = json_file_save(json, s->out, e);
	json_decref(json);
	return status;
}

static int fill(struct study_row *rows, size_t *n, const struct settings *s,
		const volatile sig_atomic_t *stop, struct err *e)
{
	struct progress *progress;
	int status =
		progress_create(&progress, s->quiet ? NULL : stderr, "study",
				2.0 * (double)s->trials * (s->program ? 1 : STUDY_NOISE_KINDS), e);

	if (status)
		return status;
	*n = s->program ? 2 : 2 * STUDY_NOISE_KINDS;
	for (size_t i = 0; i < *n && status == 0; i++) {
		double slowdown = i % 2 ? 1 : slower;

		rows[i] = (struct study_row){ .what = "this machine", .slowdown = slowdown };
		if (s->program)
			continue;
		status = study_simulate(&rows[i], (enum study_noise_kind)(i / 2), slowdown,
					(int)s->trials, (int)((s->launches + 1) / 2),
					rng_at(s->seed, i), e);
		progress_update(progress, (double)(i + 1) * (double)s->trials, rows[i].what);
		if (status == 0 && stop && *stop)
			status = err_set(e, ERR_LIMIT, "interrupted");
	}
	if (status == 0 && s->program)
		status = study_real(rows, s, stop, progress, e);
	progress_destroy(progress);
	return status;
}

int study_run(struct settings *s, const struct environment *env, const volatile sig_atomic_t *stop,
	      struct err *e)
{
	struct study_row rows[2 * STUDY_NOISE_KINDS] = { 0 };
	struct gate_rule rule;
	size_t n = 0;
	int status;

	settings_complete(s);
	s->launches = s->launches ? s->launches : LAUNCHES;
	s->filter = s->filter ? s->filter : "^demo/steps/";
	status = settings_check(s, &rule, e);
	if (status == 0 && s->trials == 0)
		status = err_set(e, ERR_USAGE, "--trials must be at least 1");
	if (status == 0)
		status = fill(rows, &n, s, stop, e);
	if (status && status != ERR_LIMIT)
		return status;
	print(rows, n);
	if (s->out && save(rows, n, s, env, status ? NULL : e))
		status = status ? status : ERR_IO;
	for (size_t i = 0; i < n && status == 0; i++)
		if (!study_holds(&rows[i]))
			status = err_set(e, ERR_FAILED,
					 "%s: too few detections or too many false verdicts",
					 rows[i].what);
	return status;
}
