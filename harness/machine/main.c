/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-peaks: measures the peak rates of this machine, or shows those measured before. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/base/host.h"
#include "harness/machine/peaks.h"

static const char help[] =
	"usage: copra-peaks [--force] [--json FILE] [--device DEVICES] [--threads N] [--machine]\n"
	"       copra-peaks --version\n"
	"Measures the peak rates of this machine (memory, caches, arithmetic, transfers) and\n"
	"stores them in results/local/<machine>/ceilings.json, or in the file that COPRA_CEILINGS\n"
	"names. The benchmarks compute lower bounds on time from them. Rates that were measured\n"
	"before with the same machine, driver and build are shown, not measured again.\n"
	"  --force           measure again\n"
	"  --json=FILE       also write the rates to FILE\n"
	"  --device=DEVICES  auto (default), cpu, cuda[:0,1], hip[:0,1]; the first GPU is "
	"measured,\n"
	"                    the second is its peer\n"
	"  --threads=N       number of cores for the rates of all cores (default: all usable)\n"
	"  --machine         print the name of this machine's results folder and exit\n"
	"exit codes: 0 measured or shown; 1 failed; 2 bad usage; 4 device not available\n";

struct options {
	bool force, machine, help;
	const char *json, *device;
	int threads;
};

static int parse_threads(const char *text, int *threads, struct err *e)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > 1024)
		return err_set(e, ERR_USAGE, "--threads=%s: expected 1 to 1024", text);
	*threads = (int)value;
	return 0;
}

/* If the default device is the simulator, the processor is measured. */
static const char *default_device(void)
{
	const char *given = getenv("COPRA_DEVICE");

	return given && strncmp(given, "sim", 3) == 0 ? "cpu" : given;
}

static int parse(struct options *o, int argc, char **argv, struct err *e)
{
	static const struct option flags[] = {
		{ "force", no_argument, NULL, 'f' },
		{ "json", required_argument, NULL, 'j' },
		{ "device", required_argument, NULL, 'd' },
		{ "threads", required_argument, NULL, 't' },
		{ "machine", no_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int flag, status = 0;

	*o = (struct options){ .device = default_device() };
	opterr = 0;
	while (!status && (flag = getopt_long(argc, argv, "h", flags, NULL)) != -1) {
		switch (flag) {
		case 'f':
			o->force = true;
			break;
		case 'j':
			o->json = optarg;
			break;
		case 'd':
			o->device = optarg;
			break;
		case 't':
			status = parse_threads(optarg, &o->threads, e);
			break;
		case 'm':
			o->machine = true;
			break;
		case 'h':
			o->help = true;
			break;
		default:
			return err_set(e, ERR_USAGE, "unknown flag, or missing value: %s",
				       argv[optind - 1]);
		}
	}
	if (!status && optind < argc)
		return err_set(e, ERR_USAGE, "unexpected argument \"%s\"", argv[optind]);
	return status;
}

/* "auto" without a GPU means only the processor; a GPU given by name must exist. */
static int open_devices(struct dev_set *set, const char *text, struct err *e)
{
	bool choose = !text || !*text || strcmp(text, "auto") == 0;

	if (choose && dev_gpu_unavailable())
		text = "cpu";
	else if (choose)
		text = "auto";
	return dev_set_open(set, text, 0, e);
}

/* Whether the rates include everything that can be measured with these devices. */
static bool cover(const struct peaks *p, const struct dev_set *set)
{
	return peaks_known(p, PEAK_CPU_COPY_1) &&
	       (set->count == 0 || peaks_known(p, PEAK_GPU_LAUNCH));
}

/* Keeps earlier rates that only another set of devices can measure. */
static void keep_known(struct peaks *p, const struct peaks *before)
{
	for (enum peak id = 0; id < PEAKS; id++)
		if (!peaks_known(p, id) && peaks_known(before, id))
			p->value[id] = before->value[id];
}

static int measure(struct peaks *p, const struct environment *env, const struct dev_set *set,
		   const struct options *o, struct err *e)
{
	struct peaks before;
	char path[1024];
	bool known = peaks_load(&before, env, NULL) == 0;
	int status;

	if (known && !o->force && cover(&before, set)) {
		*p = before;
		peaks_print(p, stdout);
		return 0;
	}
	status = peaks_measure(p, env, set, o->threads ? o->threads : env->cpus_usable, stdout, e);
	if (status)
		return status;
	if (known)
		keep_known(p, &before);
	peaks_path(env, path, sizeof(path));
	status = peaks_save(p, path, e);
	if (!status)
		printf("kept in %s\n", path);
	return status;
}

static int run(const struct options *o, struct err *e)
{
	struct environment env;
	struct peaks p;
	struct dev_set set;
	int status = open_devices(&set, o->device, e);

	if (status)
		return status;
	env_capture(&env);
	status = measure(&p, &env, &set, o, e);
	if (!status && o->json)
		status = peaks_save(&p, o->json, e);
	dev_set_close(&set);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to the standard output");
	return status;
}

static int print_machine(void)
{
	struct environment env;

	env_capture(&env);
	return puts(env.machine) == EOF;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-peaks");
	status = parse(&o, argc, argv, &e);
	if (!status && o.help)
		return fputs(help, stdout) < 0;
	if (!status && o.machine)
		return print_machine();
	if (!status)
		status = run(&o, &e);
	if (status)
		fprintf(stderr, "copra-peaks: %s\n", e.text);
	return err_exit_code(status);
}
