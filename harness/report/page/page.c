#include "harness/report/page/page.h"

const enum doc_tone page_verdict_tones[VERDICTS] = { TONE_GOOD, TONE_BAD, TONE_UNSURE, TONE_OPEN };

void page_heading(const struct paper *paper, struct doc *d, const char *part, const char *heading)
{
	struct text anchor = { 0 };
	text_add(&anchor, "%s-%s", paper->target, part);
	doc_heading(d, 2, text_get(&anchor), heading);
	text_free(&anchor);
}

void page_origin(const struct result_set *set, struct doc *d)
{
	struct text origin = { 0 }, gpus = { 0 };
	results_origin(set, &origin);
	results_gpu_text(set, &gpus);
	doc_paragraph(d, set->recorded ? TONE_RECORDED : TONE_HERE, "%s · %s", text_get(&origin),
		      gpus.length ? text_get(&gpus) : "no GPU");
	text_free(&origin);
	text_free(&gpus);
}

/* ---- links ---- */

void page_claim_link(struct text *out, const struct paper *paper, const struct claim *c)
{
	text_add(out, "%s-claims#claim-%s-%s", paper->target, paper->target, c->id);
}

void page_row_anchor(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "row-%s-", set->target);
	results_slug(set, out);
	text_add(out, "-%zu", bench + 1);
}

void page_row_link(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "%s-rows#", set->target);
	page_row_anchor(out, set, bench);
}
