#include "harness/compare/target.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/folders.h"
#include "harness/compare/rows.h"

static const char *const arm_files[GATE_ARMS] = { "old", "again", "new" };

static int leave_out(struct gate_target *t, const char *name, const char *reason, bool failed,
		     struct err *e)
{
	struct left_out *l;
	int status = array_grow((void **)&t->left, t->lefts, sizeof(*t->left), e);

	if (status)
		return status;
	l = &t->left[t->lefts++];
	*l = (struct left_out){ .failed = failed };
	status = text_copy(&l->name, name, e);
	return status ? status : text_copy(&l->reason, reason, e);
}

static int add_bench(struct gate_session *s, const char *name, struct err *e)
{
	int status = array_grow((void **)&s->bench, s->count, sizeof(*s->bench), e);

	if (status)
		return status;
	s->bench[s->count] = (struct gate_bench){ .now = GATE_UNTESTED };
	status = text_copy(&s->bench[s->count].name, name, e);
	s->count += status == 0;
	return status;
}

static bool has(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* old_failed, new_failed: what a build said of cases that failed, NULL where none did. */
static int match(struct gate_target *t, const struct arm *older, const char *old_failed,
		 const struct arm *newer, const char *new_failed, struct err *e)
{
	const char **olds = NULL, **news = NULL;
	size_t old_count = 0, new_count = 0;
	int status = arm_names(older, &olds, &old_count, e);

	if (status == 0)
		status = arm_names(newer, &news, &new_count, e);
	for (size_t i = 0; i < new_count && status == 0; i++)
		status = has(olds, old_count, news[i]) ?
				 add_bench(&t->session, news[i], e) :
				 leave_out(t, news[i],
					   old_failed ? old_failed : "the old build has it not",
					   false, e);
	for (size_t i = 0; i < old_count && status == 0; i++)
		if (!has(news, new_count, olds[i]))
			status = leave_out(t, olds[i],
					   new_failed ? new_failed : "the new build has it not",
					   new_failed != NULL, e);
	free(olds);
	free(news);
	return status;
}

static struct arm_launch launch_of(const struct gate_target *t, enum gate_arm arm,
				   const char *filter, int block)
{
	return (struct arm_launch){
		.launch = { .program = t->program[arm],
			    .filter = filter,
			    .parameters = t->parameters,
			    .stop = t->session.stop },
		.block = block,
	};
}

/* A first launch of each build, which warms the machine and is no sample. */
static int find_benchmarks(struct gate_target *t, struct err *e)
{
	bool old_runs = t->session.control == GATE_OLD_AGAIN;
	struct arm older = { 0 }, newer = { 0 };
	struct arm_launch of_old = launch_of(t, GATE_OLD, t->filter, -1);
	struct arm_launch of_new = launch_of(t, GATE_NEW, t->filter, -1);
	int status = old_runs ? arm_sample(&older, &of_old, e) : 0;

	if (status)
		err_prefix(e, "the old build");
	if (status == 0) {
		status = arm_sample(&newer, &of_new, e);
		if (status)
			err_prefix(e, "the new build");
	}
	if (status == 0)
		status = match(t, old_runs ? &older : &t->arm[GATE_OLD],
			       of_old.failed ? of_old.message : NULL, &newer,
			       of_new.failed ? of_new.message : NULL, e);
	arm_free(&older);
	arm_free(&newer);
	return status;
}

static void drop_bench(struct gate_session *s, size_t index)
{
	free(s->bench[index].name);
	gate_samples_free(&s->bench[index].samples);
	s->bench[index] = s->bench[--s->count];
}

int target_match(struct gate_target *t, const char *filter, struct err *e)
{
	regex_t regex;
	int status;

	if (filter && regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB))
		return err_set(e, ERR_USAGE, "'%s' is no regular expression", filter);
	status = match(t, &t->arm[GATE_OLD], NULL, &t->arm[GATE_NEW], NULL, e);
	for (size_t i = t->session.count; filter && i-- > 0;)
		if (regexec(&regex, t->session.bench[i].name, 0, NULL, 0))
			drop_bench(&t->session, i);
	if (filter)
		regfree(&regex);
	return status;
}

/* Rows of another time as samples of the old arm, all in one block. */
static int take_old_rows(struct gate_target *t, struct err *e)
{
	json_t *row;
	size_t k;
	int status = 0;

	json_array_foreach(t->arm[GATE_OLD].rows, k,
			   row) for (size_t i = 0; i < t->session.count && status == 0;
				     i++) if (!strcmp(t->session.bench[i].name, row_name(row)) &&
					      row_seconds(row) > 0) status =
		gate_samples_add(&t->session.bench[i].samples,
				 (struct gate_value){ row_seconds(row), 0, GATE_OLD }, e);
	return status;
}

struct finding {
	const struct gate_session *session;
	double *seconds;
};

static void found(void *ctx, const char *name, double seconds)
{
	struct finding *f = ctx;

	for (size_t i = 0; i < f->session->count; i++)
		if (!strcmp(f->session->bench[i].name, name))
			f->seconds[i] = seconds;
}

static bool is_left_out(const struct gate_target *t, const char *name)
{
	for (size_t i = 0; i < t->lefts; i++)
		if (!strcmp(t->left[i].name, name))
			return true;
	return false;
}

/* A new build that answers in one launch and fails in the next must not pass for what it still
 * times. */
static int note_failures(struct gate_target *t, const double *seconds, const char *message,
			 struct err *e)
{
	const struct gate_session *s = &t->session;
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++)
		if (!s->bench[i].settled && isnan(seconds[i]) && !is_left_out(t, s->bench[i].name))
			status = leave_out(t, s->bench[i].name, message, true, e);
	return status;
}

static char *filter_of_open(const struct gate_session *s)
{
	const char **names = calloc(s->count + 1, sizeof(*names));
	size_t count = 0;
	char *filter;

	for (size_t i = 0; names && i < s->count; i++)
		if (!s->bench[i].settled)
			names[count++] = s->bench[i].name;
	filter = names ? rows_filter(names, count) : NULL;
	free(names);
	return filter;
}

static int sample(void *ctx, const struct gate_session *s, enum gate_arm arm, int block,
		  double *seconds, struct err *e)
{
	struct gate_target *t = ctx;
	struct finding finding = { s, seconds };
	bool is_new = arm == GATE_NEW || (arm == GATE_AGAIN && s->control == GATE_NEW_AGAIN);
	struct arm_launch l;
	char *filter = filter_of_open(s);
	int status;

	if (!filter)
		return err_set(e, ERR_MEMORY, "no memory for the benchmarks' names");
	l = launch_of(t, arm, filter, block);
	l.found = found;
	l.ctx = &finding;
	status = arm_sample(&t->arm[arm], &l, e);
	free(filter);
	if (status)
		err_prefix(e, "the %s build", is_new ? "new" : "old");
	return status || !l.failed || !is_new ? status : note_failures(t, seconds, l.message, e);
}

static int save(const struct gate_target *t, struct err *e)
{
	int status = 0;

	for (int arm = 0; arm < GATE_ARMS && status == 0 && t->folder; arm++)
		status = arm_save(&t->arm[arm], t->folder, t->name, arm_files[arm], e);
	return status;
}

int target_remove(const char *folder, const char *name, struct err *e)
{
	char file[PATH_MAX];
	int status = 0;

	for (int arm = 0; arm < GATE_ARMS && status == 0; arm++) {
		status = text_path(file, e, "%s.%s.json", name, arm_files[arm]);
		if (status == 0)
			status = folder_remove_file(folder, file, e);
	}
	return status;
}

/* A full disk must not end the comparison: the last save, which counts, tells it. */
static void told(void *ctx, const struct gate_session *s, int block)
{
	struct gate_target *t = ctx;
	struct err ignored;

	(void)s;
	(void)block;
	save(t, &ignored);
	if (t->told)
		t->told(t->ctx, t);
}

int target_compare(struct gate_target *t, struct err *e)
{
	int status = find_benchmarks(t, e), saved;
	struct err later;

	if (status == 0 && t->session.control == GATE_NEW_AGAIN)
		status = take_old_rows(t, e);
	t->session.sample = sample;
	t->session.told = told;
	t->session.ctx = t;
	if (status == 0)
		status = gate_session_run(&t->session, e);
	saved = save(t, status ? &later : e);
	return status ? status : saved;
}

void target_free(struct gate_target *t)
{
	for (int arm = 0; arm < GATE_ARMS; arm++)
		arm_free(&t->arm[arm]);
	for (size_t i = 0; i < t->session.count; i++) {
		free(t->session.bench[i].name);
		gate_samples_free(&t->session.bench[i].samples);
	}
	free(t->session.bench);
	for (size_t i = 0; i < t->lefts; i++) {
		free(t->left[i].name);
		free(t->left[i].reason);
	}
	free(t->left);
}
