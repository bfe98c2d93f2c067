#include "harness/compare/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/capture.h"

enum { MOST_ARGUMENTS = 64 };
static const double longest = 1800; /* seconds of one launch; beyond, the program hangs */

struct words {
	char *word[MOST_ARGUMENTS];
	int count;
	bool failed;
};

__attribute__((format(printf, 2, 3))) static void add_word(struct words *w, const char *format, ...)
{
	va_list values;
	char *text = NULL;

	va_start(values, format);
	if (w->count + 1 >= MOST_ARGUMENTS || vasprintf(&text, format, values) < 0)
		w->failed = true;
	else
		w->word[w->count++] = text;
	va_end(values);
	w->word[w->count] = NULL;
}

static void free_words(struct words *w)
{
	for (int i = 0; i < w->count; i++)
		free(w->word[i]);
}

static void add_arguments(struct words *w, const char *arguments)
{
	char *copy = strdup(arguments), *rest = copy;

	w->failed = w->failed || !copy;
	for (char *one; copy && (one = strsep(&rest, " \t")) != NULL;)
		if (*one)
			add_word(w, "%s", one);
	free(copy);
}

static void command_line(struct words *w, const struct launch *l)
{
	const struct launch_parameters *p = l->parameters;

	*w = (struct words){ 0 };
	add_word(w, "%s", l->program);
	add_word(w, "bench");
	if (l->filter)
		add_word(w, "--benchmark_filter=%s", l->filter);
	add_word(w, "--copra_scale=%s", p->scale);
	add_word(w, "--device=%s", p->device);
	add_word(w, "--threads=%lld", p->threads);
	add_word(w, "--benchmark_min_time=%s", p->min_time);
	add_word(w, "--benchmark_repetitions=%lld", p->repetitions);
	add_word(w, "--benchmark_enable_random_interleaving=false");
	add_arguments(w, p->arguments);
	add_word(w, "--benchmark_format=json");
}

/* The last line of a text that has more than blanks. */
static void last_line(const char *text, char *line, size_t size)
{
	line[0] = '\0';
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length)
			snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1),
				 text);
		text += length + (text[length] == '\n');
	}
}

static int parse(const struct capture *c, const char *program, json_t **document, struct err *e)
{
	json_error_t error;

	*document = json_loadb(text_get(&c->out), c->out.length, JSON_REJECT_DUPLICATES, &error);
	if (!*document)
		return err_set(e, ERR_FAILED, "%s wrote no results: %s", program, error.text);
	if (json_is_array(json_object_get(*document, "benchmarks")) &&
	    json_is_object(json_object_get(*document, "context")))
		return 0;
	json_decref(*document);
	*document = NULL;
	return err_set(e, ERR_FAILED, "%s wrote no results: no context or benchmarks", program);
}

static int understand(const struct capture *c, const char *program, json_t **document, bool *failed,
		      char *message, struct err *e)
{
	int status;

	last_line(text_get(&c->err), message, 512);
	if (c->exit == 2 || c->exit == 4)
		return err_set(e, c->exit == 2 ? ERR_USAGE : ERR_DEVICE, "%s", message);
	if (c->exit == 3) /* the same signal came to both */
		return err_set(e, ERR_LIMIT, "interrupted");
	*failed = c->exit != 0;
	if (c->exit > 1)
		return err_set(e, ERR_FAILED, "%s ended with %s %d%s%s", program,
			       c->exit > 128 ? "signal" : "exit code",
			       c->exit > 128 ? c->exit - 128 : c->exit, *message ? ": " : "",
			       message);
	status = parse(c, program, document, e);
	if (status && *failed)
		err_set(e, ERR_FAILED, "%s", message);
	return status;
}

int launch_matches(const struct launch *l, bool *any, struct err *e)
{
	struct capture c = { 0 };
	struct words w;
	char message[512];
	int status = 0;

	*any = true;
	command_line(&w, l);
	add_word(&w, "--benchmark_list_tests=true");
	if (w.failed)
		status = err_set(e, ERR_USAGE, "too many arguments for %s", l->program);
	if (status == 0)
		status = capture_run(&c, w.word, l->setting, longest, l->stop, e);
	last_line(text_get(&c.err), message, sizeof(message));
	/* the exit code alone could be any other bad flag */
	if (status == 0 && c.exit == 2 && strstr(message, "no case matches"))
		*any = false;
	else if (status == 0 && c.exit != 0)
		status = err_set(e, c.exit == 2 ? ERR_USAGE : ERR_FAILED, "%s", message);
	capture_free(&c);
	free_words(&w);
	return status;
}

int launch_run(const struct launch *l, json_t **document, bool *failed, char *message,
	       struct err *e)
{
	struct capture c = { 0 };
	struct words w;
	int status = 0;

	*document = NULL;
	*failed = false;
	command_line(&w, l);
	if (w.failed)
		status = err_set(e, ERR_USAGE, "too many arguments for %s", l->program);
	if (status == 0)
		status = capture_run(&c, w.word, l->setting, longest, l->stop, e);
	if (status == 0)
		status = understand(&c, l->program, document, failed, message, e);
	capture_free(&c);
	free_words(&w);
	return status;
}
