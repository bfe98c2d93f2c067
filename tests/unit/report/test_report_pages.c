/* Parts of the report's pages: references, rooflines, links between claims and rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/report/data/names.h"
#include "harness/report/data/bibtex.h"
#include "harness/report/document/document.h"
#include "harness/report/paper.h"
#include "harness/report/table/roofline.h"

static void bibtex_entries_become_references(void **state)
{
	static const char entry[] = "@article{key,\n  author = {Ada A and Bob {B} and Cy C},\n"
				    "  booktitle={Proc. of\n   {X}},\n  title = {A {GPU} title},\n"
				    "  year = {2011}\n}\n";
	struct text t = { 0 };
	(void)state;
	/* "title" is not the end of "booktitle" */
	bibtex_reference(entry, &t);
	assert_string_equal(text_get(&t), "Ada A; Bob B; Cy C: A GPU title. Proc. of X, 2011.");
	t.length = 0;
	bibtex_reference("@misc{cut, title = {never closed", &t);
	assert_string_equal(text_get(&t), ": never closed.");
	text_free(&t);
}

static void names_are_split_into_parts(void **state)
{
	char experiment[8];
	size_t at = 0;
	(void)state;
	assert_int_equal(name_variant("t/e/i/published/n:1", &at), VARIANT_PUBLISHED);
	assert_int_equal(at, strlen("t/e/i/"));
	assert_int_equal(name_variant("tuned/e/cpus/n:1", NULL), VARIANT_OTHER);
	assert_int_equal(name_variant("t/e/cpu", NULL), VARIANT_CPU);
	name_experiment("t/experiment/x", experiment, sizeof(experiment));
	assert_string_equal(experiment, "experim");
	assert_string_equal(name_short("t/e/x"), "e/x");
	assert_string_equal(name_short("alone"), "alone");
}

/* Three benchmarks of one run each; a lower bound of 0 means none. */
enum { BENCHES = 3 };
struct fixture {
	char names[BENCHES][24], label[40];
	double seconds[BENCHES], bound[BENCHES], ratio[BENCHES];
	struct result_counter counter[BENCHES][2];
	struct result_bench bench[BENCHES];
	struct result_set set;
};

static void make(struct fixture *f, const double *bounds)
{
	static const char *const variants[] = { "cpu", "tuned", "tuned" };
	*f = (struct fixture){ .label = "work: cells; floor: gpu_copy" };
	for (int i = 0; i < BENCHES; i++) {
		snprintf(f->names[i], sizeof(f->names[i]), "t/e/%s/n:%d", variants[i], i);
		f->seconds[i] = 2;
		f->bound[i] = bounds[i];
		f->ratio[i] = f->seconds[i] / bounds[i];
		f->counter[i][0] = (struct result_counter){ "floor_seconds", &f->bound[i] };
		f->counter[i][1] = (struct result_counter){ "floor_ratio", &f->ratio[i] };
		f->bench[i] = (struct result_bench){ .name = f->names[i],
						     .label = f->label,
						     .runs = 1,
						     .seconds = &f->seconds[i],
						     .counters = bounds[i] > 0 ? 2 : 0,
						     .counter = f->counter[i] };
	}
	f->set = (struct result_set){
		.target = "t", .machine = "m", .benches = BENCHES, .bench = f->bench
	};
}

static void roofline_has_rows_with_a_lower_bound(void **state)
{
	static const double bounds[] = { 1, 0, 0.5 };
	struct fixture f;
	struct roofline r;
	struct err e = { 0 };
	struct text t = { 0 };
	(void)state;
	make(&f, bounds);
	assert_int_equal(roofline_find(&r, &f.set, &e), 0);
	assert_int_equal(r.count, 2); /* the row without a lower bound is left out */
	assert_true(r.point[0].share == 0.5 && r.point[1].share == 0.25);
	assert_int_equal(r.point[1].variant, VARIANT_TUNED);
	assert_string_equal(r.point[1].peak, "gpu_copy");
	roofline_data(&r, &t);
	assert_string_equal(
		text_get(&t),
		"# cpu: lower bound in seconds, share of the peak rate in %\n1 50\n\n\n"
		"# tuned: lower bound in seconds, share of the peak rate in %\n0.5 25\n\n\n");
	text_free(&t);
	roofline_free(&r);
}

static void rows_above_their_peak_rate_are_counted(void **state)
{
	struct roof_point point[] = {
		{ .share = 1.35, .peak = "cpu_copy" },        { .share = 1.28, .peak = "cpu_fma" },
		{ .share = 1.01, .peak = "gpu_copy" },        { .share = 1, .peak = "cpu_copy" },
		{ .share = 2, .peak = "of another version" },
	};
	struct roofline r = { .count = sizeof(point) / sizeof(point[0]), .point = point };
	size_t bytes, others;
	(void)state;
	roofline_above(&r, &bytes, &others);
	assert_int_equal(bytes, 2);
	assert_int_equal(others, 2);
}

static void claims_lead_to_rows_and_back(void **state)
{
	static const double bounds[] = { 1, 1, 1 };
	struct fixture f;
	struct claim claim[2] = { { .id = "A1" }, { .id = "A2" } };
	struct judgement judgement[2] = { 0 };
	struct paper s = { .claims = { 2, claim } };
	struct paper_machine m = { .judgement = judgement };
	struct row_use *uses;
	struct err e = { 0 };
	bool read[BENCHES] = { false };
	(void)state;
	make(&f, bounds);
	m.set = &f.set;
	text_add(&judgement[0].trace.reads, "|\tt/e/tuned/*\n|cells\tt/e/tuned/n:1\n|x\tno/row\n");
	text_add(&judgement[1].trace.reads, "|cells\tt/e/*\n");
	paper_mark_rows(&judgement[0], &f.set, read);
	assert_true(!read[0] && read[1] && read[2]);
	assert_int_equal(paper_row_uses(&s, &m, &uses, &e), 0);
	assert_string_equal(text_get(&uses[0].claims), "A2");
	assert_string_equal(text_get(&uses[1].claims), "A1 A2");
	assert_string_equal(text_get(&uses[1].counters), "cells");
	assert_string_equal(text_get(&uses[2].counters),
			    "cells"); /* read by A2; A1 reads the time */
	paper_row_uses_free(uses, BENCHES);
	judgement_free(&judgement[0]);
	judgement_free(&judgement[1]);
}

/* In Markdown, the summary of a folded block is HTML, in which Markdown is not interpreted. */
static void markdown_summaries_are_html(void **state)
{
	char folder[] = "/tmp/test_report_pages_XXXXXX", path[64];
	struct doc *d;
	struct text t = { 0 };
	struct err e = { 0 };
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/page.md", folder);
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, folder, &e), 0);
	doc_page(d, "page", "P");
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_span(d, DOC_STRONG, TONE_GOOD, "a*b");
	doc_text(d, " < c_d");
	doc_summary_end(d);
	doc_span(d, DOC_CODE, TONE_PLAIN, "x_y");
	doc_link(d, "page-a#x", "a_b");
	doc_close(d);
	assert_int_equal(doc_save(d, &e), 0);
	assert_int_equal(text_load(&t, path, &e), 0);
	assert_string_equal(text_get(&t),
			    "<a id=\"page\"></a>\n# P\n\n"
			    "<details><summary><strong>a*b</strong> &lt; c_d</summary>\n\n"
			    "`x_y`[a\\_b](page-a.md#x)</details>\n\n");
	text_free(&t);
	doc_destroy(d);
	unlink(path);
	rmdir(folder);
}

static void documents_report_an_unwritable_folder(void **state)
{
	struct doc *d;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, "/dev/null/x", &e), 0);
	doc_page(d, "page", "P");
	assert_int_equal(doc_save(d, &e), ERR_IO);
	doc_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bibtex_entries_become_references),
		cmocka_unit_test(names_are_split_into_parts),
		cmocka_unit_test(roofline_has_rows_with_a_lower_bound),
		cmocka_unit_test(rows_above_their_peak_rate_are_counted),
		cmocka_unit_test(claims_lead_to_rows_and_back),
		cmocka_unit_test(markdown_summaries_are_html),
		cmocka_unit_test(documents_report_an_unwritable_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
