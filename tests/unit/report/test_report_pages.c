/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the report's pages: references, rooflines, links between claims and rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/base/outfile.h"
#include "harness/report/document/document.h"
#include "harness/report/page/page.h"
#include "harness/report/table/roofline.h"

static char folder[] = "/tmp/test_report_pages_XXXXXX";

/* Writes the pages of a paper, as Markdown, into the folder and loads one of them. */
static void load_pages(int (*write)(const struct page *, const struct paper *, struct doc *,
				    struct err *),
		       const struct paper *paper, const char *page, struct text *out)
{
	const struct page p = { .folder = folder };
	char path[128];
	struct doc *d;
	struct err e = { 0 };
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, folder, &e), 0);
	assert_int_equal(doc_finish(d, write(&p, paper, d, &e), &e), 0);
	snprintf(path, sizeof(path), "%s/%s.md", folder, page);
	assert_int_equal(text_load(out, path, &e), 0);
}

/* Checks the reference at the start of the chapter of a paper with this BibTeX entry. */
static void check_reference(const char *entry, const char *reference)
{
	const struct paper paper = { .target = (char *)"t" };
	char path[128], start[256];
	struct text t = { 0 };
	struct err e = { 0 };
	snprintf(path, sizeof(path), "%s/papers/t/paper.bib", folder);
	assert_int_equal(outfile_write(path, entry, strlen(entry), &e), 0);
	load_pages(page_chapter, &paper, "t", &t);
	snprintf(start, sizeof(start), "<a id=\"t\"></a>\n# t\n\n%s\n\n", reference);
	assert_int_equal(strncmp(text_get(&t), start, strlen(start)), 0);
	text_free(&t);
}

static void bibtex_entries_become_references(void **state)
{
	(void)state;
	/* "title" is not the end of "booktitle" */
	check_reference("@article{key,\n  author = {Ada A and Bob {B} and Cy C},\n"
			"  booktitle={Proc. of\n   {X}},\n  title = {A {GPU} title},\n"
			"  year = {2011}\n}\n",
			"Ada A; Bob B; Cy C: A GPU title. Proc. of X, 2011.");
	check_reference("@misc{cut, title = {never closed", ": never closed.");
}

static void names_are_split_into_parts(void **state)
{
	size_t at = 0;
	(void)state;
	assert_int_equal(name_variant("t/e/i/published/n:1", &at), VARIANT_PUBLISHED);
	assert_int_equal(at, strlen("t/e/i/"));
	assert_int_equal(name_variant("tuned/e/cpus/n:1", NULL), VARIANT_OTHER);
	assert_int_equal(name_variant("t/e/cpu", NULL), VARIANT_CPU);
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
	struct text t = { 0 }, script = { 0 };
	(void)state;
	make(&f, bounds);
	assert_int_equal(roofline_find(&r, &f.set, &e), 0);
	assert_int_equal(r.count, 2); /* the row without a lower bound is left out */
	assert_true(r.point[0].share == 0.5 && r.point[1].share == 0.25);
	assert_int_equal(r.point[1].variant, VARIANT_TUNED);
	assert_string_equal(r.point[1].peak, "gpu_copy");
	roofline_plot(&r, &(struct plot_paths){ "p", "d", "s\"" }, &t, &script);
	assert_string_equal(
		text_get(&t),
		"# cpu: lower bound in seconds, share of the peak rate in %\n1 50\n\n\n"
		"# tuned: lower bound in seconds, share of the peak rate in %\n0.5 25\n\n\n");
	assert_non_null(strstr(text_get(&script),
			       "names[1] = \"cpu\"\ntint[1] = 2\nnames[2] = \"tuned\"\n"
			       "tint[2] = 4\nblocks = 2\nlaunch = 0\nplots = \"p\"\n"
			       "data = \"d\"\nsvg = \"s\"\nload \"p/roofline.gp\"\n"));
	text_free(&t);
	text_free(&script);
	roofline_free(&r);
}

/* Three rows with 8e9 operations, of which the last counts no bytes. */
static void make_works(struct fixture *f, struct result_counter counter[BENCHES][2])
{
	static double operations = 8e9, bytes[] = { 2e9, 4e9, 0 };
	static const double bounds[] = { 0, 0, 0 };
	static char cpu[] =
		"work: cells; floor: cpu_copy; operations: cpu_add_max; bytes: cpu_copy";
	static char gpu[] = "form class; operations: gpu_add_max; bytes: gpu_copy";
	make(f, bounds);
	for (int i = 0; i < BENCHES; i++) {
		counter[i][0] = (struct result_counter){ (char *)"operations", &operations };
		counter[i][1] = (struct result_counter){ (char *)"bytes", &bytes[i] };
		f->bench[i].counters = 2;
		f->bench[i].counter = counter[i];
		f->bench[i].label = i ? gpu : cpu;
	}
}

static void rows_that_count_operations_and_bytes_are_in_the_second_roofline(void **state)
{
	static struct result_fact rates[] = { { (char *)"gpu_add_max", (char *)"1.65e13" },
					      { (char *)"gpu_copy", (char *)"4e12" },
					      { (char *)"cpu_add_max", (char *)"8e11" },
					      { (char *)"cpu_copy", (char *)"1e11" },
					      { (char *)"gpu_fma", (char *)"3e13" } };
	struct result_counter counter[BENCHES][2];
	struct fixture f;
	struct roofline r;
	struct err e = { 0 };
	struct text t = { 0 }, script = { 0 };
	(void)state;
	make_works(&f, counter);
	f.set.peaks = (struct result_file){ .facts = 5, .fact = rates };
	assert_int_equal(roofline_find(&r, &f.set, &e), 0);
	assert_int_equal(r.count, 0);
	assert_int_equal(r.works, 2); /* a row without bytes is left out */
	assert_true(r.work[0].intensity == 4 && r.work[1].intensity == 2);
	assert_true(r.work[0].rate == 4e9); /* in 2 s */
	assert_int_equal(r.work[0].bytes, PEAK_CPU_COPY);
	assert_int_equal(r.work[1].operations, PEAK_GPU_ADD_MAX);
	roofline_plot_intensity(&r, &(struct plot_paths){ "p", "d", "s" }, &t, &script);
	assert_string_equal(text_get(&t),
			    "# cpu: operations per byte, operations per second\n4 4e+09\n"
			    "\n\n# tuned: operations per byte, operations per second\n"
			    "2 4e+09\n\n\n");
	/* a roof for each kind of memory, fastest first; it ends at its ridge */
	assert_non_null(strstr(text_get(&script),
			       "slanted_rate[1] = 4e+12\nslanted_ridge[1] = 4.125\n"
			       "slanted_name[1] = \"device memory copy: 4.00 TB/s\"\n"
			       "slanted_rate[2] = 1e+11\nslanted_ridge[2] = 8\n"
			       "slanted_name[2] = \"memory copy, all cores: 100 GB/s\"\n"
			       "slanted = 2\n"));
	assert_non_null(strstr(text_get(&script), "flat_name[1] = \"32-bit add-max, GPU: "
						  "16.5 Top/s\"\n"));
	/* a rate that bounds no row is no roof */
	assert_non_null(strstr(text_get(&script), "flat = 2\n"));
	assert_non_null(strstr(text_get(&script), "load \"p/intensity.gp\"\n"));
	text_free(&t);
	text_free(&script);
	roofline_free(&r);
}

static void rows_above_their_peak_rate_are_counted(void **state)
{
	static const struct {
		double share;
		const char *peak;
	} cases[] = { { 1.35, "cpu_copy" },
		      { 1.28, "cpu_fma" },
		      { 1.01, "gpu_copy" },
		      { 1, "cpu_copy" },
		      { 2, "of-another-version" } };
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	double second = 1, ratio[CASES];
	char label[CASES][64];
	struct result_counter counter[CASES][2];
	struct result_bench bench[CASES] = { 0 };
	struct result_set set = { .benches = CASES, .bench = bench };
	struct roofline r;
	struct err e = { 0 };
	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		snprintf(label[i], sizeof(label[i]), "floor: %s", cases[i].peak);
		ratio[i] = 1 / cases[i].share;
		counter[i][0] = (struct result_counter){ (char *)"floor_seconds", &second };
		counter[i][1] = (struct result_counter){ (char *)"floor_ratio", &ratio[i] };
		bench[i] = (struct result_bench){ .name = (char *)"t/e/cpu",
						  .label = label[i],
						  .runs = 1,
						  .seconds = &second,
						  .counters = 2,
						  .counter = counter[i] };
	}
	assert_int_equal(roofline_find(&r, &set, &e), 0);
	assert_int_equal(r.count, CASES);
	assert_int_equal(r.above_bytes, 2);
	assert_int_equal(r.above_others, 2);
	roofline_free(&r);
}

static int write_appendix(const struct page *p, const struct paper *paper, struct doc *d,
			  struct err *e)
{
	(void)p;
	return page_appendix(paper, d, e);
}

/* Loads a paper with this claims.txt over the sets. */
static void load_claims(struct paper *p, const char *claims, const struct result_set *sets,
			size_t count)
{
	const struct results r = { .sets = count, .set = (struct result_set *)(uintptr_t)sets };
	char papers[64], path[128];
	struct err e = { 0 };
	snprintf(papers, sizeof(papers), "%s/papers", folder);
	snprintf(path, sizeof(path), "%s/t/claims.txt", papers);
	assert_int_equal(outfile_write(path, claims, strlen(claims), &e), 0);
	if (paper_load(p, papers, "t", &r, &e))
		fail_msg("%s", e.text);
}

/* Loads a paper with four claims over three rows of one run each: t/e/cpu/n:0, t/e/tuned/n:1 and
 * t/e/tuned/n:2. */
static void load_paper(struct paper *p, const struct result_set *set)
{
	static const char claims[] =
		"claim A1\nwhere s\nsays c\nkind measured\ndecided times\n"
		"test mean(\"t/e/tuned/*\") + mean(\"t/e/tuned/n:1\", floor_seconds) > 0\n"
		"claim A2\nwhere s\nsays c\nkind measured\ndecided times\n"
		"test mean(\"t/e/*\", floor_seconds) > 0\n"
		"claim A3\nwhere s\nsays c\nkind arithmetic\ntest 2 + 2 = 5\n"
		"claim A4\nwhere s\nsays c\nkind ours\ndecided counts\n"
		"test count(\"t/e/none\") = 0\n";
	load_claims(p, claims, set, 1);
}

static void claims_lead_to_rows_and_back(void **state)
{
	static const double bounds[] = { 1, 1, 1 };
	struct fixture f;
	struct paper p;
	struct text t = { 0 };
	(void)state;
	make(&f, bounds);
	load_paper(&p, &f.set);
	const struct paper_machine *m = &p.machine[0];
	assert_true(!m->read[0] && m->read[1] && m->read[2]);
	assert_true(m->read[3] && m->read[4] && m->read[5]);
	assert_string_equal(text_get(&m->counters[0]), "floor_seconds");
	/* read by A2; A1 reads the time */
	assert_string_equal(text_get(&m->counters[2]), "floor_seconds");
	/* rows of one run decide nothing about times */
	assert_int_equal(m->verdicts[CLAIM_MEASURED][VERDICT_NOT_TESTED], 2);
	assert_int_equal(m->verdicts[CLAIM_OURS][VERDICT_REPRODUCED], 1);
	assert_ptr_equal(p.best, m);
	load_pages(write_appendix, &p, "t-claims", &t);
	assert_non_null(strstr(text_get(&t), "Rows read: [2–3](t-rows.md#row-t-local-m-2)\n"));
	assert_non_null(strstr(text_get(&t), "Rows read: [1–3](t-rows.md#row-t-local-m-1)\n"));
	text_free(&t);
	load_pages(write_appendix, &p, "t-rows", &t);
	assert_non_null(strstr(text_get(&t),
			       "| <a id=\"row-t-local-m-1\"></a>1 | e/cpu/n:0 | 1 | "
			       "2.00 s | 2.00 s | 2.00 s | A2 | floor\\_seconds 1 |"));
	assert_non_null(strstr(text_get(&t), "2.00 s | A1 A2 | floor\\_seconds 1 |"));
	text_free(&t);
	paper_free(&p);
}

static void seeds_share_the_runs_that_a_claim_needs(void **state)
{
	static const char claims[] = "claim A\nwhere s\nsays c\nkind measured\ndecided times\n"
				     "test mean(\"t/e/cpu/seed:*\") > mean(\"t/e/tuned\")\n";
	double second[] = { 1 };
	struct result_bench bench[] = { { (char *)"t/e/cpu/seed:1", .runs = 1, .seconds = second },
					{ (char *)"t/e/cpu/seed:2", .runs = 1, .seconds = second },
					{ (char *)"t/e/tuned", .runs = 1, .seconds = second } };
	const struct result_set set = {
		.target = (char *)"t", .machine = (char *)"m", .benches = 3, .bench = bench
	};
	struct paper p;
	(void)state;
	load_claims(&p, claims, &set, 1);
	assert_int_equal(p.machine[0].needed[0], 3); /* half of 5 */
	assert_int_equal(p.machine[0].needed[1], 3);
	assert_int_equal(p.machine[0].needed[2], 5);
	paper_free(&p);
}

/* A set of one row, t/e/cpu. */
static struct result_set one_row(const char *machine, bool recorded, size_t runs, double *seconds)
{
	static struct result_bench bench[3];
	static size_t used;
	struct result_bench *b = &bench[used++ % 3];
	*b = (struct result_bench){ .name = (char *)"t/e/cpu", .runs = runs, .seconds = seconds };
	return (struct result_set){ .target = (char *)"t",
				    .machine = (char *)(uintptr_t)machine,
				    .recorded = recorded,
				    .benches = 1,
				    .bench = b };
}

static void one_machine_judges_a_claim(void **state)
{
	static const char claims[] =
		"claim A\nwhere s\nsays c\nkind measured\ndecided times\ntest mean(\"t/e/cpu\") < "
		"2\n"
		"claim B\nwhere s\nsays c\nkind measured\ndecided counts\n"
		"test count(\"t/e/*\") = 1\n"
		"claim C\nwhere s\nsays c\nkind arithmetic\ntest 2 + 2 = 5\n"
		"claim D\nwhere s\nsays c\nkind measured\ndecided counts\nneeds nodes 2\n"
		"test count(\"t/e/*\") = 1\n";
	double slow[] = { 3, 3, 3, 3, 3 }, fast[] = { 1, 1, 1, 1, 1 };
	const struct result_set sets[] = { one_row("here", false, 4, slow),
					   one_row("a", true, 1, slow),
					   one_row("b", true, 5, fast) };
	struct text reason = { 0 };
	struct paper p;
	(void)state;
	load_claims(&p, claims, sets, 3);
	/* this machine has too few runs for A; of the recorded ones, only b has enough */
	assert_string_equal(p.judge[0]->set->machine, "b");
	assert_int_equal(paper_verdict(&p, 0), VERDICT_REPRODUCED);
	assert_string_equal(p.judge[1]->set->machine, "here");
	assert_null(p.judge[2]);
	assert_int_equal(paper_verdict(&p, 2), VERDICT_INCONSISTENT);
	assert_null(p.judge[3]);
	assert_int_equal(paper_verdict(&p, 3), VERDICT_NOT_TESTED);
	paper_reason(&p, 3, &reason);
	assert_string_equal(text_get(&reason), "needs 2 nodes; this machine has 1");
	text_free(&reason);
	paper_free(&p);
	/* without the recorded machines nothing stands in for five runs */
	load_claims(&p, claims, sets, 1);
	assert_int_equal(paper_verdict(&p, 0), VERDICT_NOT_TESTED);
	paper_reason(&p, 0, &reason);
	assert_string_equal(text_get(&reason), "needs 5 runs, has 4: t/e/cpu");
	text_free(&reason);
	paper_free(&p);
	/* arithmetic needs no machine */
	load_claims(&p, claims, sets, 0);
	assert_int_equal(paper_verdict(&p, 2), VERDICT_INCONSISTENT);
	assert_int_equal(paper_verdict(&p, 0), VERDICT_NOT_TESTED);
	paper_free(&p);
}

/* In Markdown, the summary of a folded block is HTML, in which Markdown is not interpreted. */
static void markdown_summaries_are_html(void **state)
{
	char path[64];
	struct doc *d;
	struct text t = { 0 };
	struct err e = { 0 };
	(void)state;
	snprintf(path, sizeof(path), "%s/page.md", folder);
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, folder, &e), 0);
	doc_page(d, "page", "P");
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_span(d, DOC_STRONG, TONE_GOOD, "a*b");
	doc_print(d, " < c_d");
	doc_summary_end(d);
	doc_span(d, DOC_CODE, TONE_PLAIN, "x_y");
	doc_link(d, "page-a#x", "a_b");
	doc_close(d);
	assert_int_equal(doc_finish(d, 0, &e), 0);
	assert_int_equal(text_load(&t, path, &e), 0);
	assert_string_equal(text_get(&t),
			    "<a id=\"page\"></a>\n# P\n\n"
			    "<details><summary><strong>a*b</strong> &lt; c_d</summary>\n\n"
			    "`x_y`[a\\_b](page-a.md#x)</details>\n\n");
	text_free(&t);
}

static void lists_are_nested(void **state)
{
	char path[64];
	struct doc *d;
	struct text t = { 0 };
	struct err e = { 0 };
	(void)state;
	snprintf(path, sizeof(path), "%s/nested.md", folder);
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, folder, &e), 0);
	doc_page(d, "nested", "N");
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (int i = 0; i < 2; i++) {
		doc_open(d, DOC_ITEM, TONE_PLAIN);
		doc_print(d, "outer");
		doc_open(d, DOC_LIST, TONE_PLAIN);
		doc_open(d, DOC_ITEM, TONE_PLAIN);
		doc_print(d, "inner");
		doc_close(d);
		doc_close(d);
		doc_close(d);
	}
	doc_close(d);
	assert_int_equal(doc_finish(d, 0, &e), 0);
	assert_int_equal(text_load(&t, path, &e), 0);
	assert_string_equal(text_get(&t), "<a id=\"nested\"></a>\n# N\n\n"
					  "- outer\n  - inner\n- outer\n  - inner\n\n");
	text_free(&t);
}

static void documents_report_an_unwritable_folder(void **state)
{
	struct doc *d;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(doc_create(&d, TEXT_MARKDOWN, "/dev/null/x", &e), 0);
	doc_page(d, "page", "P");
	assert_int_equal(doc_finish(d, 0, &e), ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bibtex_entries_become_references),
		cmocka_unit_test(names_are_split_into_parts),
		cmocka_unit_test(roofline_has_rows_with_a_lower_bound),
		cmocka_unit_test(rows_that_count_operations_and_bytes_are_in_the_second_roofline),
		cmocka_unit_test(rows_above_their_peak_rate_are_counted),
		cmocka_unit_test(claims_lead_to_rows_and_back),
		cmocka_unit_test(seeds_share_the_runs_that_a_claim_needs),
		cmocka_unit_test(one_machine_judges_a_claim),
		cmocka_unit_test(markdown_summaries_are_html),
		cmocka_unit_test(lists_are_nested),
		cmocka_unit_test(documents_report_an_unwritable_folder),
	};
	char command[128];
	if (!mkdtemp(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 ? failed : 1;
}
