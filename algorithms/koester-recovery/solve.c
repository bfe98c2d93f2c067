#include "algorithms/koester-recovery/solve.h"

#include <inttypes.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_solve.h"
#include "algorithms/koester-recovery/measured.h"
#include "algorithms/koester-recovery/solve_options.h"

enum { THREADS_MAX = 256 };

/* ---- values ---- */

static int parse_number(void *value, const char *text, struct err *e)
{
	int64_t n = 0;

	if (flag_parse_int(&n, text, NULL) || n < 1 || n > UINT32_MAX)
		return err_set(e, ERR_USAGE, "'%s' is no number from 1 to %" PRIu32, text,
			       UINT32_MAX);
	*(int64_t *)value = n;
	return 0;
}

static int parse_share(void *value, const char *text, struct err *e)
{
	struct track_share *share = value;

	if (flag_parse_real(&share->value, text, NULL) || share->value < 0 || share->value > 1)
		return err_set(e, ERR_USAGE, "'%s' is no share from 0 to 1", text);
	share->given = true;
	return 0;
}

/* ---- what all problems share ---- */

int track_solve_archive(const struct track_solve_options *o, struct archive_options *a,
			struct err *e)
{
	static const char *const cache[] = { "on", "off", NULL };
	int recovery, off, status;
	bool adaptive, steps, budgets = false;

	status = flag_choose(&recovery, "recovery", o->recovery, track_recovery_words, e);
	if (!status)
		status = flag_choose(&off, "cache", o->cache, cache, e);
	if (status)
		return status;
	adaptive = recovery == RECOVERY_ADAPTIVE;
	steps = recovery == RECOVERY_CHECKPOINT || adaptive;
	if (o->distance && !steps)
		return err_set(e, ERR_USAGE,
			       "--distance: for --recovery checkpoint and adaptive alone");
	if (o->adapt && !adaptive)
		return err_set(e, ERR_USAGE, "--adapt: for --recovery adaptive alone");
	for (int t = 0; t < TIERS; t++)
		budgets = budgets || o->budget[t];
	if (budgets && recovery != RECOVERY_MULTISTAGE)
		return err_set(e, ERR_USAGE, "--budget-...: for --recovery multistage alone");
	*a = (struct archive_options){
		.recovery = (enum track_recovery)recovery,
		.cache = !off,
		.distance = o->distance ? (uint32_t)o->distance : 8,
		.adapt = o->adapt ? (uint32_t)o->adapt : 2,
	};
	memcpy(a->budget, o->budget, sizeof(a->budget));
	return 0;
}

int track_solve_places(const struct track_solve_options *o, enum track_recovery recovery,
		       uint64_t limit, struct track_places *p, struct err *e)
{
	const struct solve_options *c = &o->common;
	int given = c->devices.count, threads = c->variant == SOLVE_SERIAL ? 1 : (int)c->threads;
	bool peer = given > 0 && (recovery == RECOVERY_PEER || o->budget[TIER_PEER]);
	int gpus = c->gpus > 0 ? (int)c->gpus : given - (peer && given > 1);

	return track_places_open(p, &c->devices, gpus, peer, threads, limit, e);
}

void track_solve_figures(const struct track_figures *f, struct solve_result *r)
{
	struct measure all[TRACK_MEASURED];
	int count = track_measures(f, all);

	solve_measures(r, all, count);
}

/* ---- what a problem does not take ---- */

enum { PFSP = 1, SAMEGAME = 2, SYNTHETIC = 4 };

static int refuse_flags(const struct track_solve_options *o, int problem, struct err *e)
{
	const struct {
		bool given;
		const char *flag;
		int problems; /* that take it */
	} flags[] = {
		{ o->memory > 0, "memory", PFSP | SAMEGAME | SYNTHETIC },
		{ o->rounds > 0, "rounds", PFSP | SAMEGAME },
		{ o->guide != NULL, "guide", PFSP },
		{ o->branching != NULL, "branching", PFSP },
		{ o->format != NULL, "format", PFSP },
		{ o->fill_rate.given, "fill-rate", SYNTHETIC },
		{ o->states > 0, "states", SYNTHETIC },
		{ o->load > 0, "load", SYNTHETIC },
		{ o->state_bytes > 0, "state-bytes", SYNTHETIC },
		{ o->iterations > 0, "iterations", SYNTHETIC },
		{ o->break_probability.given, "break-probability", SYNTHETIC },
		{ o->schedule != NULL, "schedule", SYNTHETIC },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].given && !(flags[i].problems & problem))
			return err_set(e, ERR_USAGE, "--%s has no meaning for --problem %s",
				       flags[i].flag, o->common.problem);
	}
	return 0;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct track_solve_options *o = (const struct track_solve_options *)common;
	static const char *const problems[] = { "pfsp", "samegame", "synthetic", NULL };
	int problem, status;

	status = flag_choose(&problem, "problem", common->problem, problems, e);
	if (!status)
		status = refuse_flags(o, 1 << problem, e);
	if (status)
		return status;
	return problem == 0 ? track_solve_pfsp(o, r, e) :
	       problem == 1 ? track_solve_samegame(o, r, e) :
			      track_solve_synthetic(o, r, e);
}

#define NUMBER(name_, member, argument_, help_)                                                    \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED, .argument = argument_, .help = help_,          \
		.offset = offsetof(struct track_solve_options, member), .parse = parse_number      \
	}
#define SHARE(name_, member, argument_, help_)                                                     \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED, .argument = argument_, .help = help_,          \
		.offset = offsetof(struct track_solve_options, member), .parse = parse_share       \
	}
#define BUDGET(name_, tier, help_)                                                                 \
	FLAG("budget-" name_, FLAG_BYTES, struct track_solve_options, budget[tier], "BYTES", help_)
#define TEXT(name_, member, argument_, help_)                                                      \
	FLAG(name_, FLAG_TEXT, struct track_solve_options, member, argument_, help_)

static const struct flag flags[] = {
	NUMBER("beam", beam, "N",
	       "states that a layer keeps (default: as many as fit; synthetic: S/16)"),
	FLAG("memory", FLAG_BYTES, struct track_solve_options, memory, "BYTES",
	     "of each device, or the host, for states, as 512M (default: half of it)"),
	TEXT("recovery", recovery, "WAY",
	     "replay (default), gpu, pinned, host, peer, checkpoint, adaptive, multistage"),
	NUMBER("distance", distance, "D", "checkpoint, adaptive: every D-th layer is kept (8)"),
	NUMBER("adapt", adapt, "A", "adaptive: a copy half way of more than A layers (2)"),
	TEXT("cache", cache, "on|off", "keep the states of the last layer (default on)"),
	BUDGET("device", TIER_DEVICE,
	       "multistage: for layers on each device (default: what is free)"),
	BUDGET("peer", TIER_PEER, "multistage: on the last device given (default: none)"),
	BUDGET("pinned", TIER_PINNED, "multistage: in pinned host memory (default: what is free)"),
	BUDGET("pageable", TIER_PAGEABLE,
	       "multistage: in other host memory (default: what is free)"),
	SHARE("fill-rate", fill_rate, "F",
	      "synthetic: share of states that wait before all are assigned (0.6)"),
	NUMBER("look-ahead", look_ahead, "N", "steps of an evaluation (synthetic: 8)"),
	FLAG("rounds", FLAG_COUNT, struct track_solve_options, rounds, "N",
	     "pfsp, samegame: further rounds from layers in the middle, by another guide (0)"),
	TEXT("guide", guide, "bound|idle|bound-idle|gap",
	     "pfsp: what orders children (bound-idle)"),
	TEXT("branching", branching, "forward|both-ends", "pfsp: where jobs are added (both-ends)"),
	TEXT("format", format, FSP_FORMAT_ARGUMENT, "pfsp: " FSP_FORMAT_HELP),
	NUMBER("states", states, "S", "synthetic: states evaluated at once (16384)"),
	NUMBER("load", load, "L", "synthetic: products of an assignment (10)"),
	NUMBER("state-bytes", state_bytes, "M", "synthetic: bytes of a state (its matrix)"),
	SHARE("break-probability", break_probability, "Q",
	      "synthetic: of a state to wait after a step (0.09)"),
	TEXT("schedule", schedule, "printed|together|each",
	     "synthetic: as the times printed imply (default), Algorithm 2, or alone"),
	NUMBER("iterations", iterations, "N", "synthetic: how many (16)"),
	FLAG_END,
};

const struct solve_spec track_solve_spec = {
	.problem = "pfsp",
	.instances = "pfsp: " FSP_INSTANCES "; "
		     "samegame: random:ROWSxCOLUMNS:COLOURS[:SEED] or a file; synthetic: 16x16",
	.flags = flags,
	.options_size = sizeof(struct track_solve_options),
	.threads_max = THREADS_MAX,
	.run = run,
};
