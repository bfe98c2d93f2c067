/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The picture on the first page: how much faster each paper's work became on a machine, from serial
 * code over all cores and the literal GPU code to the tuned one. */
#include "harness/report/page/page.h"

#include <math.h>
#include <string.h>

/* The columns of the table `gain`, by heading (table/tables.h). */
static const char *const columns[] = {
	"serial",       "all cores",           "literal",          "tuned", "bound, literal",
	"bound, tuned", "operations, literal", "operations, tuned"
};
enum {
	SERIAL,
	CORES,
	LITERAL,
	TUNED,
	BOUND_LITERAL,
	BOUND_TUNED,
	OPERATIONS_LITERAL,
	OPERATIONS_TUNED,
	GAINS
};

/* The results of the paper on the machine of the set, or NULL. */
static const struct paper_machine *find_machine(const struct paper *paper,
						const struct result_set *set)
{
	for (size_t m = 0; m < paper->machines; m++) {
		const struct result_set *own = paper->machine[m].set;
		if (!strcmp(own->machine, set->machine) && own->recorded == set->recorded)
			return &paper->machine[m];
	}
	return NULL;
}

/* The table `gain` if it has rows, or NULL. */
static const struct grid *find_gain(const struct paper *paper, const struct paper_machine *m)
{
	for (size_t k = 0; k < paper->tables.count; k++)
		if (!strcmp(m->grid[k].table->id, "gain") && m->grid[k].rows)
			return &m->grid[k];
	return NULL;
}

/* Reads the first row of the table `gain` of a paper on the machine. False if it lacks the time of
 * the literal or the tuned code. */
static bool read_gain(const struct paper *paper, const struct result_set *set, double value[GAINS])
{
	for (size_t i = 0; i < GAINS; i++)
		value[i] = NAN;
	const struct paper_machine *m = find_machine(paper, set);
	const struct grid *g = m ? find_gain(paper, m) : NULL;
	for (size_t c = 0; g && c < g->table->columns; c++)
		for (size_t i = 0; i < GAINS; i++)
			if (!strcmp(g->table->column[c].heading, columns[i]))
				value[i] = g->cell[c].value;
	return value[LITERAL] > 0 && value[TUNED] > 0;
}

static void add_number(struct text *out, double value)
{
	if (value > 0)
		text_add(out, " %.6g", value);
	else
		text_add(out, " ?");
}

/* Appends a line per paper: its name, and how many times as fast as the literal GPU code are serial
 * code, all cores, the literal code with the tuned code's work, and the tuned code; the last again
 * if the gain cannot be split: where the operations of one of the two are not counted in full, so
 * that its bound, if it has one, is of a part of its work. Two equal bounds split: the work is the
 * same. */
static size_t put_data(const struct page *p, const struct result_set *set, struct text *out)
{
	size_t papers = 0;
	for (size_t i = 0; i < p->count; i++) {
		double v[GAINS];
		if (!read_gain(&p->papers[i], set, v))
			continue;
		papers++;
		text_add(out, "%s", p->papers[i].target);
		add_number(out, v[LITERAL] / v[SERIAL]);
		add_number(out, v[LITERAL] / v[CORES]);
		double work = v[BOUND_LITERAL] / v[BOUND_TUNED];
		bool split = v[BOUND_LITERAL] > 0 && v[BOUND_TUNED] > 0 && /* false for NaN */
			     v[OPERATIONS_LITERAL] > 0 && v[OPERATIONS_TUNED] > 0;
		add_number(out, split ? work : NAN);
		add_number(out, v[LITERAL] / v[TUNED]);
		add_number(out, split ? NAN : v[LITERAL] / v[TUNED]);
		text_add(out, "\n");
	}
	return papers;
}

/* True for the first set of its machine. */
static bool is_first(const struct results *r, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (r->set[i].recorded == r->set[index].recorded &&
		    !strcmp(r->set[i].machine, r->set[index].machine))
			return false;
	return true;
}

int gain_export(const struct page *p, const char *plots, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < p->results->sets && !status; i++) {
		struct text data = { 0 };
		if (is_first(p->results, i) && put_data(p, &p->results->set[i], &data))
			status = page_figure_save(p, &p->results->set[i], plots, "gain", &data, "",
						  e);
		text_free(&data);
	}
	return status;
}

/* The rows that the bars of all papers read. */
static int gain_origin(const struct page *p, const struct result_set *set, struct doc *d,
		       struct err *e)
{
	struct sources s = { 0 };
	int status = 0;
	for (size_t i = 0; i < p->count && !status; i++) {
		const struct paper_machine *m = find_machine(&p->papers[i], set);
		const struct grid *g = m ? find_gain(&p->papers[i], m) : NULL;
		double v[GAINS];
		if (g && read_gain(&p->papers[i], set, v))
			status = sources_add(&s, m->set, g->read, e);
	}
	if (!status)
		page_origin(set, &s, d);
	sources_free(&s);
	return status;
}

static int gain_on(const struct page *p, size_t index, struct page_fold *fold, struct doc *d,
		   struct err *e)
{
	const struct result_set *set = &p->results->set[index];
	struct text data = { 0 }, path = { 0 };
	char prefix[32];
	int status = 0;
	if (is_first(p->results, index) && put_data(p, set, &data)) {
		page_fold(fold, set, d);
		status = gain_origin(p, set, d, e);
		text_add(&path, "plots/gain.");
		results_slug(set, &path);
		snprintf(prefix, sizeof(prefix), "gain-%zu", index);
		if (!status)
			status = doc_figure(d, text_get(&path), prefix,
					    "From serial code to the tuned GPU code", e);
	}
	text_free(&data);
	text_free(&path);
	return status;
}

int gain_section(const struct page *p, struct doc *d, struct err *e)
{
	struct page_fold fold = { 0 };
	int status = 0;
	doc_heading(d, 2, "gain", "From serial code to the tuned GPU code");
	doc_paragraph(
		d, TONE_NOTE,
		"One bar a paper, for one benchmark on one GPU of one machine: how many times "
		"as fast as the literal GPU code. Less work is the ratio of the lower bounds "
		"on the times of the literal and the tuned code, share of the peak the rest "
		"of the gain; 1 means that both have the same bound. The gain is not split where "
		"the operations of one of them are not counted in full. The step from all cores to "
		"the literal GPU code changes hardware and program at once. What was not measured "
		"on the machine is missing.");
	for (int recorded = 0; recorded < 2; recorded++)
		for (size_t i = 0; i < p->results->sets && !status; i++)
			if (p->results->set[i].recorded == recorded)
				status = gain_on(p, i, &fold, d, e);
	page_fold_end(&fold, d);
	return status;
}
