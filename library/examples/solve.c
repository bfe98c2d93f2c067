/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Solves a file or a known instance, with a time limit and Ctrl-C. usage: solve FILE|NAME
 * [SECONDS] */
#include <copra.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static void print(const copra_instance *instance, const copra_result *r)
{
	printf("%s %s: %s", copra_instance_problem(instance), copra_instance_name(instance),
	       copra_status_name(copra_result_status(r)));
	if (copra_result_has_objective(r))
		printf(", objective %" PRId64, copra_result_objective(r));
	if (copra_result_has_bound(r))
		printf(", bound %" PRId64, copra_result_bound(r));
	printf(", %s, %.3f s\n", copra_result_verified(r) ? "verified" : "not verified",
	       copra_result_seconds(r));
}

int main(int argc, char **argv)
{
	copra_error error = { 0 };
	copra_instance *instance = NULL;
	copra_settings *settings = NULL;
	copra_result *result = NULL;
	int status;

	if (argc < 2)
		return fprintf(stderr, "usage: solve FILE|NAME [SECONDS]\n"), 2;
	signal(SIGINT, on_signal);
	status = copra_instance_load(&instance, NULL, argv[1], &error);
	if (!status)
		status = copra_settings_create(&settings, &error);
	if (!status && argc > 2)
		status = copra_settings_set(settings, "time-limit", argv[2], &error);
	if (!status) {
		copra_settings_stop(settings, &stop);
		status = copra_solve(&result, instance, settings, &error);
	}
	if (result)
		print(instance, result);
	if (status)
		fprintf(stderr, "%s\n", error.text);
	copra_result_destroy(result);
	copra_settings_destroy(settings);
	copra_instance_destroy(instance);
	return status ? 1 : 0;
}
