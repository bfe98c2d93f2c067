/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop instances: readers, generators, writer, known values, oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/flowshop/flowshop.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "tests/unit/base/temporary_folder.h"

static void both_formats_give_the_same_instance(void **state)
{
	static const char *const files[] = { "flowshop_taillard.txt", "flowshop_vfr.txt",
					     "flowshop_crlf_no_newline.txt" };
	static const int32_t times[] = { 4, 5, 6, 1, 2, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct flowshop f = loaded_flowshop(data(files[i]));

		assert_int_equal(f.jobs, 3);
		assert_int_equal(f.machines, 2);
		assert_memory_equal(f.time, times, sizeof(times));
		assert_string_equal(f.name, files[i]);
		flowshop_free(&f);
		assert_null(f.time);
	}
}

static int load_and_drop(const char *name, struct err *e)
{
	struct flowshop f;
	int status = flowshop_load(&f, name, e);

	if (status)
		assert_null(f.time);
	flowshop_free(&f);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.txt", 0, "empty" },
	{ "only_blanks.txt", 0, "empty" },
	{ "only_words.txt", 2, "before the line of jobs and machines" },
	{ "no_sizes.txt", 2, "number of jobs is not an integer" },
	{ "negative_jobs.txt", 2, "number of jobs is negative" },
	{ "zero_jobs.txt", 2, "number of jobs 0 is not in 1..1000" },
	{ "many_jobs.txt", 2, "number of jobs 1001 is not in 1..1000" },
	{ "many_machines.txt", 2, "number of machines 101 is not in 1..100" },
	{ "gigantic_count.txt", 2, "number of jobs does not fit" },
	{ "bounds_missing.txt", 2, "lower bound is missing" },
	{ "bounds_too_many.txt", 2, "unexpected text after" },
	{ "seed_is_text.txt", 2, "seed is not an integer" },
	{ "no_title.txt", 3, "expected the line \"processing times :\"" },
	{ "other_title.txt", 3, "expected the line \"processing times :\"" },
	{ "ends_before_title.txt", 3, "before the processing times" },
	{ "row_missing.txt", 5, "before the row of every machine" },
	{ "row_short.txt", 5, "time of job 2 on machine 1 is missing" },
	{ "row_long.txt", 4, "unexpected text after" },
	{ "row_wrapped.txt", 4, "time of job 2 on machine 0 is missing" },
	{ "negative_time.txt", 5, "time of job 1 on machine 1 is negative" },
	{ "fraction.txt", 4, "time of job 1 on machine 0 is not an integer" },
	{ "hexadecimal.txt", 4, "time of job 1 on machine 0 is not an integer" },
	{ "time_overflows.txt", 5, "a time does not fit in 31 bits" },
	{ "time_overflows_64.txt", 5, "time of job 1 on machine 1 does not fit in 64 bits" },
	{ "sum_overflows.txt", 5, "sum of the times does not fit in 31 bits" },
	{ "trailing_text.txt", 6, "unexpected text after the instance" },
	{ "two_instances.txt", 6, "unexpected text after the instance" },
	{ "nul_byte.txt", 5, "not text" },
	{ "nul_behind_the_end.txt", 6, "not text" },
	{ "nul_in_last_line.txt", 5, "not text" },
	{ "long_line.txt", 5, "line too long" },
	{ "vfr_one_number.txt", 1, "number of machines is missing" },
	{ "vfr_three_numbers.txt", 1, "unexpected text after" },
	{ "vfr_row_missing.txt", 4, "before the row of every job" },
	{ "vfr_pair_cut.txt", 3, "time of job 1 on machine 1 is missing" },
	{ "vfr_pair_missing.txt", 4, "machine is missing" },
	{ "vfr_pair_too_many.txt", 2, "unexpected text after" },
	{ "vfr_machine_order.txt", 3, "machine 1 is out of order: expected 0" },
	{ "vfr_machine_from_one.txt", 2, "machine 1 is out of order: expected 0" },
	{ "vfr_machine_twice.txt", 2, "machine 0 is out of order: expected 1" },
	{ "vfr_machine_gigantic.txt", 3, "machine 4294967297 is out of order" },
	{ "vfr_trailing.txt", 5, "unexpected text after the instance" },
	{ "not_a_number.txt", 1, "number of jobs is not an integer" },
	{ "does_not_exist.txt", 0, "No such file" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	check_bad_files("bad_flowshops", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			load_and_drop);
}

/* ---- plain matrices ---- */

static void matrices_of_both_orders_give_the_same_instance(void **state)
{
	static const int32_t times[] = { 4, 5, 6, 1, 2, 0 };
	static const struct {
		const char *file;
		enum flowshop_format format;
	} files[] = { { "matrix_jobs_by_machines.txt", FLOWSHOP_JOBS_BY_MACHINES },
		      { "matrix_machines_by_jobs.csv", FLOWSHOP_MACHINES_BY_JOBS } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flowshop f;
		struct err e = { 0 };

		if (flowshop_load_as(&f, data(files[i].file), files[i].format, &e))
			fail_msg("%s", e.text);
		assert_int_equal(f.jobs, 3);
		assert_int_equal(f.machines, 2);
		assert_memory_equal(f.time, times, sizeof(times));
		assert_string_equal(f.name, files[i].file);
		flowshop_free(&f);
	}
}

struct sized_matrix {
	const char *text;
	int rows, columns;
	int32_t first;     /* number of the matrix */
	const char *words; /* of the refusal; NULL: none */
};

static void check_sized(const struct sized_matrix *c, const char *path, enum flowshop_format format)
{
	bool by_job = format == FLOWSHOP_JOBS_BY_MACHINES;
	struct flowshop f;
	struct err e = { 0 };
	int status = flowshop_load_as(&f, path, format, &e);

	if (c->words) {
		assert_int_equal(status, ERR_INPUT);
		check_refusal(&e, "sized.txt", 1, c->words);
		return;
	}
	if (status || f.time[0] != c->first || (by_job ? f.jobs : f.machines) != c->rows ||
	    (by_job ? f.machines : f.jobs) != c->columns)
		fail_msg("'%s': %s %d x %d", c->text, e.text, f.jobs, f.machines);
	flowshop_free(&f);
}

static void a_first_line_may_state_the_size_of_a_matrix(void **state)
{
	static const struct sized_matrix cases[] = {
		{ "3 4\n11 1 2 3\n4 5 6 7\n8 9 10 0\n", 3, 4, 11, NULL },
		{ "# rows, columns\n2,1 # c\n\n11\n12", 2, 1, 11, NULL },
		{ "1 1\n11\n", 1, 1, 11, NULL },
		{ "1 3\n11 1 2\n", 1, 3, 11, NULL },
		{ "2 2\n11 2\n3 4\n", 2, 2, 11, NULL },
		{ "3 2\n11 2\n3 4\n5 6\n", 3, 2, 11, NULL },
		{ "4 2\n3 2\n11 2\n3 4\n5 6\n", 4, 2, 3, NULL },
		{ "2 2\n11 2147483630\n3 3\n", 2, 2, 11, NULL }, /* the header is not a time */
		/* rows */
		{ "11 3\n", 1, 2, 11, NULL },
		{ "1 2\n3 4\n", 2, 2, 1, NULL },
		{ "2 1\n3 4\n", 2, 2, 2, NULL },
		{ "11 2\n3 4\n5 6\n", 3, 2, 11, NULL },
		{ "2 9\n3 4\n5 6\n7 8\n", 4, 2, 2, NULL },
		{ "7 9\n3 4\n5 6\n", 3, 2, 7, NULL },
		/* neither */
		{ "3 2\n1 2 3\n4 5 6\n", 0, 0, 0,
		  "the header says 3 x 2, but the matrix below "
		  "it is 2 x 3; correct or remove it, and check --format" },
		{ "2 3\n1 2\n3 4\n5 6\n", 0, 0, 0,
		  "the header says 2 x 3, but the matrix below "
		  "it is 3 x 2; correct or remove it, or, if it is a row, put the line \"4 2\" "
		  "before it" },
		{ "3 3\n1 2 3\n4 5 6\n", 0, 0, 0,
		  "the header says 3 x 3, but the matrix below it is 2 x 3" },
		{ "2147483647 2\n1 2\n3 4\n", 0, 0, 0, "the sum of the times does not fit" },
	};
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/sized.txt", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		assert_true(fputs(cases[i].text, out) >= 0);
		assert_int_equal(fclose(out), 0);
		check_sized(&cases[i], path, FLOWSHOP_JOBS_BY_MACHINES);
		check_sized(&cases[i], path, FLOWSHOP_MACHINES_BY_JOBS);
	}
}

/* A header does not count as a job. */
static void a_matrix_of_the_largest_size_may_have_a_header(void **state)
{
	enum { JOBS = FLOWSHOP_MAX_JOBS };

	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		char path[128];
		struct flowshop f;
		struct err e = { 0 };
		FILE *out;
		int status;

		snprintf(path, sizeof(path), "%s/large.txt", folder);
		out = fopen(path, "w");
		assert_non_null(out);
		fprintf(out, "%d 2\n", JOBS - extra * 3);
		for (int i = 0; i < JOBS; i++)
			fprintf(out, "%d 8\n", i);
		assert_int_equal(fclose(out), 0);
		status = flowshop_load_as(&f, path, FLOWSHOP_JOBS_BY_MACHINES, &e);
		assert_int_equal(status, extra ? ERR_INPUT : 0);
		assert_int_equal(f.jobs, extra ? 0 : JOBS);
		assert_true(!extra || strstr(e.text, "more than 1000 jobs"));
		flowshop_free(&f);
	}
}

static int load_matrix_and_drop(const char *name, struct err *e)
{
	struct flowshop f;
	int status = flowshop_load_as(&f, name, FLOWSHOP_JOBS_BY_MACHINES, e);

	if (status)
		assert_null(f.time);
	flowshop_free(&f);
	return status;
}

static const struct bad_file bad_matrices[] = {
	{ "empty.txt", 0, "no number" },
	{ "only_comments.txt", 0, "no number" },
	{ "row_short.txt", 2, "2 numbers, but the first row has 3" },
	{ "row_long.txt", 3, "more than the 2 numbers of the first row" },
	{ "not_a_number.txt", 2, "time of job 1 on machine 1 is not an integer" },
	{ "negative.txt", 2, "time of job 1 on machine 1 is negative" },
	{ "fraction.txt", 1, "time of job 0 on machine 1 is not an integer" },
	{ "comma_twice.txt", 1, "a number is missing before a comma" },
	{ "comma_first.txt", 2, "a number is missing before a comma" },
	{ "comma_last.txt", 1, "a number is missing after the last comma" },
	{ "time_overflows.txt", 2, "a time does not fit in 31 bits" },
	{ "time_overflows_64.txt", 1, "does not fit in 64 bits" },
	{ "sum_overflows.txt", 2, "the sum of the times does not fit in 31 bits" },
	{ "nul_byte.txt", 2, "not text" },
	{ "many_machines.txt", 1, "more than 100 machines" },
	{ "many_jobs.txt", 1001, "more than 1000 jobs" },
	{ "does_not_exist.txt", 0, "No such file" },
};

static void bad_matrices_are_refused_with_their_line(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	check_bad_files("bad_matrices", bad_matrices,
			sizeof(bad_matrices) / sizeof(bad_matrices[0]), load_matrix_and_drop);
	assert_int_equal(flowshop_load_as(&f, data("bad_matrices/many_jobs.txt"),
					  FLOWSHOP_MACHINES_BY_JOBS, &e),
			 ERR_INPUT);
	assert_non_null(strstr(e.text, ":101: more than 100 machines"));
	assert_int_equal(flowshop_load_as(&f, "ta001", FLOWSHOP_MACHINES_BY_JOBS, &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "ta001 is a known instance"));
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = { "ta000",
					     "ta121",
					     "ta1",
					     "taillard:",
					     "taillard:20x5",
					     "taillard:20x5:0",
					     "taillard:20x5:2147483647",
					     "taillard:20x5:-1",
					     "taillard:20x5:1:1",
					     "taillard:20:5:1",
					     "taillard:0x5:1",
					     "taillard:20x101:1",
					     "taillard:1001x5:1",
					     "random:",
					     "random:5x3",
					     "random:5x3:0",
					     "random:5x3:99:",
					     "random:5x3:99:1:2",
					     "random: 5x3:99",
					     "random:+5x3:9",
					     "random:5x3:99:x",
					     "random:1000x100:2147483647",
					     "random:5x3:99999999999",
					     "." };

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load_and_drop);
}

static void generated_instances_are_taillards(void **state)
{
	static const int32_t first[] = { 54, 83, 15, 71, 77, 36, 53, 38, 27, 87 };
	struct flowshop f = loaded_flowshop("ta001");
	struct flowshop same = loaded_flowshop("taillard:20x5:873654221");

	(void)state;
	assert_memory_equal(f.time, first, sizeof(first));
	assert_memory_equal(same.time, f.time, 100 * sizeof(*f.time));
	assert_string_equal(f.name, "ta001");
	assert_string_equal(same.name, "taillard-20x5-s873654221");
	assert_int_equal(flowshop_hash(&same), flowshop_hash(&f));
	same.time[99]++;
	assert_int_not_equal(flowshop_hash(&same), flowshop_hash(&f));
	flowshop_free(&same);
	flowshop_free(&f);
}

/* The lower bound head + sum of times + tail of one machine, from the instance. */
static int64_t machine_bound(const struct flowshop *f)
{
	int64_t most = 0;

	for (int k = 0; k < f->machines; k++) {
		int64_t head = INT64_MAX, tail = INT64_MAX, sum = 0;

		for (int j = 0; j < f->jobs; j++) {
			int64_t before = 0, behind = 0;

			for (int i = 0; i < f->machines; i++) {
				before += i < k ? f->time[i * f->jobs + j] : 0;
				behind += i > k ? f->time[i * f->jobs + j] : 0;
			}
			head = before < head ? before : head;
			tail = behind < tail ? behind : tail;
			sum += f->time[k * f->jobs + j];
		}
		most = head + sum + tail > most ? head + sum + tail : most;
	}
	return most;
}

static void all_known_instances_load(void **state)
{
	int count;
	const struct flowshop_known *known = flowshop_known_all(&count);

	(void)state;
	assert_int_equal(count, 120);
	for (int i = 0; i < count; i++) {
		struct flowshop f = loaded_flowshop(known[i].name);
		char name[16];

		snprintf(name, sizeof(name), "ta%03d", i + 1);
		assert_string_equal(known[i].name, name);
		assert_ptr_equal(flowshop_known(name), &known[i]);
		assert_int_equal(f.jobs, known[i].jobs);
		assert_int_equal(f.machines, known[i].machines);
		for (int j = 0; j < f.jobs * f.machines; j++)
			assert_in_range(f.time[j], 1, 99);
		assert_true(machine_bound(&f) <= known[i].upper);
		if (flowshop_is_proved(&known[i]))
			assert_int_equal(known[i].lower, known[i].upper);
		else
			assert_int_equal(known[i].lower,
					 strcmp(name, "ta081") == 0 ? 6134 : machine_bound(&f));
		flowshop_free(&f);
	}
	assert_null(flowshop_known("ta121"));
	assert_true(flowshop_is_name("ta007") && flowshop_is_name("taillard:20x5:1"));
	assert_true(flowshop_is_name("random:5x3:9") && !flowshop_is_name("ta007.txt"));
	assert_null(flowshop_known("random-5x3-max99-s1"));
}

/* Twelve instances are open. A value does not count as proved if only a list gives it. */
static void every_known_value_has_a_basis_and_a_source(void **state)
{
	static const int open[] = { 51, 54, 55, 59, 60, 81, 85, 86, 87, 88, 89, 102 };
	int count, next = 0;
	const struct flowshop_known *known = flowshop_known_all(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		bool listed_open = next < 12 && open[next] == i + 1;

		next += listed_open;
		assert_int_equal(known[i].basis == FLOWSHOP_OPEN, listed_open);
		assert_in_range(known[i].basis, FLOWSHOP_PROVED_HERE, FLOWSHOP_OPEN);
		assert_int_equal(flowshop_is_proved(&known[i]),
				 known[i].basis <= FLOWSHOP_PROVED_CITED);
		assert_true(known[i].source && strlen(known[i].source) > 4);
		if (known[i].basis == FLOWSHOP_PROVED_HERE)
			assert_memory_equal(known[i].source, "results/", 8);
		assert_true(strlen(flowshop_basis_name(known[i].basis)) > 4);
	}
	assert_int_equal(next, 12);
	assert_int_equal(flowshop_known("ta058")->basis, FLOWSHOP_PROVED_CITED);
	assert_int_equal(flowshop_known("ta056")->basis, FLOWSHOP_PROVED_HERE);
	assert_int_equal(flowshop_known("ta084")->basis, FLOWSHOP_LIST);
}

static void random_instances_stay_in_range(void **state)
{
	struct flowshop f = loaded_flowshop("random:500x60:71582:7");
	struct flowshop other = loaded_flowshop("random:500x60:71582:8");
	int64_t sum = 0, highest = 0;
	int seen[4] = { 0 };

	(void)state;
	for (int i = 0; i < 500 * 60; i++) {
		assert_in_range(f.time[i], 1, 71582);
		sum += f.time[i];
		highest = f.time[i] > highest ? f.time[i] : highest;
	}
	assert_true(highest > 71000);
	assert_true(sum > INT32_MAX / 2 - INT32_MAX / 50 && sum < INT32_MAX);
	assert_string_equal(f.name, "random-500x60-max71582-s7");
	assert_int_not_equal(flowshop_hash(&f), flowshop_hash(&other));
	flowshop_free(&f);
	f = loaded_flowshop("random:20x5:3");
	for (int i = 0; i < 100; i++)
		seen[f.time[i]]++;
	assert_true(seen[1] > 20 && seen[2] > 20 && seen[3] > 20);
	flowshop_free(&f);
	f = loaded_flowshop("random:1x1:2147483647");
	assert_string_equal(f.name, "random-1x1-max2147483647-s1");
	flowshop_free(&f);
	flowshop_free(&other);
}

static void write_vfr(const struct flowshop *f, const char *path)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fprintf(out, "%d %d\n", f->jobs, f->machines);
	for (int j = 0; j < f->jobs; j++) {
		for (int k = 0; k < f->machines; k++)
			fprintf(out, " %d %d", k, f->time[k * f->jobs + j]);
		fputc('\n', out);
	}
	assert_int_equal(fclose(out), 0);
}

static void written_files_can_be_read_back(void **state)
{
	static const char *const names[] = { "ta120", "random:1000x100:21474:3", "random:1x1:5",
					     "random:1x100:9", "random:1000x1:2000000" };
	struct err e = { 0 };
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/instance.txt", folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f = loaded_flowshop(names[i]), back;

		assert_int_equal(flowshop_write(&f, path, &e), 0);
		back = loaded_flowshop(path);
		assert_int_equal(flowshop_hash(&back), flowshop_hash(&f));
		flowshop_free(&back);
		write_vfr(&f, path);
		back = loaded_flowshop(path);
		assert_int_equal(flowshop_hash(&back), flowshop_hash(&f));
		flowshop_free(&back);
		assert_int_equal(flowshop_write(&f, "/dev/full", &e), ERR_IO);
		flowshop_free(&f);
	}
}

/* The reader must handle any bytes: a good file with random bytes changed, cut or inserted. */
static void damaged_files_are_read_or_refused(void **state)
{
	static const char good[] = "words\n3 2 5 9 9\nprocessing times :\n1 2 3\n4 5 6\n";
	static const char bytes[] = "0123456789 -.x\n\r\t\0\xff";
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged.txt", folder);
	assert_in_range(
		check_damaged_files(path, good, bytes, sizeof(bytes) - 1, 11, load_and_drop), 100,
		1900);
}

static void the_oracle_is_right_on_small_cases(void **state)
{
	/* by hand; two machines, so Johnson's rule has the best order: 1, 2, 0 */
	int32_t times[] = { 5, 1, 4, /* machine 0 */ 2, 3, 6 /* machine 1 */ };
	struct flowshop f = { .name = "hand", .jobs = 3, .machines = 2, .time = times };
	const int64_t best[] = { 1, 2, 0 }, given[] = { 0, 1, 2 }, twice[] = { 0, 1, 1 };
	const int64_t beyond[] = { 0, 1, 3 }, below[] = { 0, 1, -1 };
	int64_t optimum, order[3];
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_makespan(&f, best), 13);  /* 1 | 4: 4, 5 | 11, 10 | 13 */
	assert_int_equal(flowshop_makespan(&f, given), 16); /* 5 | 7, 6 | 10, 10 | 16 */
	assert_int_equal(flowshop_makespan(&f, twice), -1);
	assert_int_equal(flowshop_makespan(&f, beyond), -1);
	assert_int_equal(flowshop_makespan(&f, below), -1);
	assert_int_equal(flowshop_brute_force(&f, &optimum, order, &e), 0);
	assert_int_equal(optimum, 13);
	assert_int_equal(flowshop_makespan(&f, order), 13);
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	f.jobs = 11;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_give_the_same_instance),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(matrices_of_both_orders_give_the_same_instance),
		cmocka_unit_test(a_first_line_may_state_the_size_of_a_matrix),
		cmocka_unit_test(a_matrix_of_the_largest_size_may_have_a_header),
		cmocka_unit_test(bad_matrices_are_refused_with_their_line),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(generated_instances_are_taillards),
		cmocka_unit_test(all_known_instances_load),
		cmocka_unit_test(every_known_value_has_a_basis_and_a_source),
		cmocka_unit_test(random_instances_stay_in_range),
		cmocka_unit_test(written_files_can_be_read_back),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(the_oracle_is_right_on_small_cases),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
