/* Beam searches: flowshop and SameGame. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/recognise.h"
#include "datasets/samegame/samegame.h"
#include "algorithms/tree-search/flowshop/flowshop_solve.h"
#include "algorithms/koester-recovery/solve_options.h"
#include "algorithms/koester-recovery/verify.h"

static enum track_engine engine_of(enum solve_variant v)
{
	return v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
}

static int make_request(const struct track_solve_options *o, struct track_places *places,
			struct track_request *q, struct err *e)
{
	const struct solve_options *c = &o->common;
	int status;

	if (o->rounds > UINT32_MAX)
		return err_set(e, ERR_USAGE, "--rounds: at most %" PRIu32, UINT32_MAX);
	*q = (struct track_request){
		.engine = engine_of(c->variant),
		.serial = c->variant == SOLVE_SERIAL,
		.beam = (uint32_t)o->beam,
		.memory = o->memory,
		.fill_rate = o->fill_rate.given ? o->fill_rate.value : 0.6,
		.look_ahead = (uint32_t)o->look_ahead,
		.rounds = (uint32_t)o->rounds,
		.time_limit = solve_time_left(c),
		.seed = c->seed,
		.stop = c->stop,
	};
	status = track_solve_archive(o, &q->archive, e);
	if (!status)
		status = track_solve_places(o, q->archive.recovery, o->memory, places, e);
	if (status)
		return status;
	q->places = places->at;
	q->place_count = places->count;
	q->archive.peer = places->peer;
	return 0;
}

/* The solution goes over to the result. */
static void present(struct track_outcome *out, struct solve_result *r)
{
	r->status = out->stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	r->has_objective = out->found;
	r->objective = out->objective;
	r->solution = out->solution;
	r->solution_length = out->length;
	out->solution = NULL;
	r->seconds_total = out->seconds_total;
	r->seconds_search = out->seconds_search;
	solve_node_figure(r, "children", (double)out->figures.children);
	solve_extra_figure(r, "beam", out->beam);
	solve_extra_figure(r, "layers", out->layers);
	solve_extra_figure(r, "recovered", (double)out->recovered);
	solve_extra_figure(r, "memory_peak", (double)out->memory_peak);
	track_solve_figures(&out->figures, r);
	snprintf(r->note, sizeof(r->note), "%" PRIu32 " layers of at most %" PRIu32 " states",
		 out->layers, out->beam);
}

/* What is found is verified, before or after a stop; a stop before anything is found is said. */
static int finish(int status,
		  int (*verify)(const void *instance, const struct track_outcome *o, struct err *e),
		  const void *instance, struct track_outcome *out, struct solve_result *r,
		  struct err *e)
{
	int wrong;

	if (status && status != ERR_LIMIT)
		return status;
	if (status == ERR_LIMIT && !out->found)
		return err_set(e, ERR_LIMIT, "stopped before anything was found");
	wrong = verify(instance, out, e);
	r->verified = !wrong;
	if (wrong)
		return wrong;
	out->stopped = out->stopped || status == ERR_LIMIT;
	present(out, r);
	return status;
}

static int verify_pfsp(const void *instance, const struct track_outcome *o, struct err *e)
{
	return track_verify_pfsp(instance, o, e);
}

static int verify_samegame(const void *instance, const struct track_outcome *o, struct err *e)
{
	return track_verify_samegame(instance, o, e);
}

/* ---- flowshop ---- */

static int pfsp_flags(const struct track_solve_options *o, struct pfsp_options *p, struct err *e)
{
	static const char *const guides[] = { "bound", "idle", "bound-idle", "gap", NULL };
	static const char *const branchings[] = { "forward", "both-ends", NULL };
	int guide, branching, status;

	status = flag_choose(&guide, "guide", o->guide ? o->guide : "bound-idle", guides, e);
	if (!status)
		status = flag_choose(&branching, "branching",
				     o->branching ? o->branching : "both-ends", branchings, e);
	if (status)
		return status;
	p->guide = (enum pfsp_guide)guide;
	p->branching = (enum pfsp_branching)branching;
	return 0;
}

/* Reports a schedule that is shorter than the value of a list. */
static void compare_with_list(const struct flowshop *f, struct solve_result *r)
{
	const struct flowshop_known *known = flowshop_known_of(f);
	char why[256];

	if (known && r->has_objective &&
	    flowshop_compare(known, r->objective, 0, why, sizeof(why)) ==
		    FLOWSHOP_DIFFERS_FROM_LIST)
		solve_note_line(r, "%s", why);
}

int track_solve_pfsp(const struct track_solve_options *o, struct solve_result *r, struct err *e)
{
	struct pfsp_options p;
	struct flowshop f;
	struct track_places places = { 0 };
	struct track_request q;
	struct track_outcome out = { 0 };
	int format, status = pfsp_flags(o, &p, e);

	if (!status)
		status = flag_choose(&format, "format", o->format, flowshop_format_words, e);
	if (!status)
		status = fsp_load(&f, &o->common, (enum flowshop_format)format, e);
	if (status)
		return status;
	snprintf(r->instance, sizeof(r->instance), "%s", f.name);
	status = make_request(o, &places, &q, e);
	if (!status) {
		r->solution_unit = "jobs";
		status = pfsp_search(&f, &p, &q, &out, e);
		status = finish(status, verify_pfsp, &f, &out, r, e);
		compare_with_list(&f, r);
	}
	track_outcome_free(&out);
	track_places_close(&places);
	flowshop_free(&f);
	return status;
}

/* ---- SameGame ---- */

int track_solve_samegame(const struct track_solve_options *o, struct solve_result *r, struct err *e)
{
	struct samegame g;
	struct track_places places = { 0 };
	struct track_request q;
	struct track_outcome out = { 0 };
	int status = samegame_load(&g, o->common.instance, e);

	if (status) {
		recognise_hint(o->common.target, o->common.instance, FORMS_SAMEGAME, e);
		return status;
	}
	snprintf(r->instance, sizeof(r->instance), "%s", g.name);
	status = make_request(o, &places, &q, e);
	if (!status) {
		r->solution_unit = "cells";
		status = samegame_search(&g, &q, &out, e);
		status = finish(status, verify_samegame, &g, &out, r, e);
	}
	track_outcome_free(&out);
	track_places_close(&places);
	return status;
}
