/* copra-ceilings: measures what this machine can do at most, or shows what was measured. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/machine/ceilings.h"
#include "harness/base/std_streams.h"
#include "harness/base/build.h"

static const char help[] =
	"usage: copra-ceilings [--force] [--json FILE] [--device DEVICES] [--threads N] "
	"[--machine]\n"
	"       copra-ceilings --version\n"
	"Measures the ceilings of this machine (memory, caches, arithmetic, transfers) and\n"
	"keeps them in results/local/<machine>/ceilings.json, or the file that COPRA_CEILINGS\n"
	"names, for the floors of the benchmarks. Shows those measured before, if machine,\n"
	"driver and build are the same.\n"
	"  --force          measure again\n"
	"  --json FILE      write them to FILE too\n"
	"  --device DEVICES auto (default), cpu, cuda, cuda:0,1; the first GPU is measured,\n"
	"                   the second is its peer\n"
	"  --threads N      cores for the rates of all cores (default: all usable)\n"
	"  --machine        print the name of this machine's results folder; measure nothing\n"
	"Exit codes: 0 measured or shown, 1 failed, 2 bad usage, 4 the device is not there.\n";

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

/* Who simulates by default still has a processor to measure. */
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
			return err_set(e, ERR_USAGE, "%s: unknown, or without its value",
				       argv[optind - 1]);
		}
	}
	if (!status && optind < argc)
		return err_set(e, ERR_USAGE, "unexpected argument \"%s\"", argv[optind]);
	return status;
}

/* "auto" without a GPU means the processor alone; a GPU that was named must be there. */
static int open_devices(struct dev_set *set, const char *text, struct err *e)
{
	bool choose = !text || !*text || strcmp(text, "auto") == 0;

	if (choose && dev_cuda_unavailable())
		text = "cpu";
	else if (choose)
		text = "auto";
	return dev_set_open(set, text, 0, e);
}

/* Do the ceilings cover what these devices let measure? */
static bool cover(const struct ceilings *c, const struct dev_set *set)
{
	return ceilings_known(c, CEILING_CPU_COPY_1) &&
	       (set->count == 0 || ceilings_known(c, CEILING_GPU_LAUNCH));
}

/* What only another set of devices can measure is kept from before. */
static void keep_known(struct ceilings *c, const struct ceilings *before)
{
	for (enum ceiling id = 0; id < CEILINGS; id++)
		if (!ceilings_known(c, id) && ceilings_known(before, id))
			c->value[id] = before->value[id];
}

static int measure(struct ceilings *c, const struct environment *env, const struct dev_set *set,
		   const struct options *o, struct err *e)
{
	struct ceilings before;
	char path[1024];
	bool known = ceilings_load(&before, env, NULL) == 0;
	int status;

	if (known && !o->force && cover(&before, set)) {
		*c = before;
		ceilings_print(c, stdout);
		return 0;
	}
	status = ceilings_measure(c, env, set, o->threads ? o->threads : env->cpus_usable, stdout,
				  e);
	if (status)
		return status;
	if (known)
		keep_known(c, &before);
	ceilings_path(env, path, sizeof(path));
	status = ceilings_save(c, path, e);
	if (!status)
		printf("kept in %s\n", path);
	return status;
}

static int run(const struct options *o, struct err *e)
{
	struct environment env;
	struct ceilings c;
	struct dev_set set;
	int status = open_devices(&set, o->device, e);

	if (status)
		return status;
	env_capture(&env);
	status = measure(&c, &env, &set, o, e);
	if (!status && o->json)
		status = ceilings_save(&c, o->json, e);
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

	std_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-ceilings");
	status = parse(&o, argc, argv, &e);
	if (!status && o.help)
		return fputs(help, stdout) < 0;
	if (!status && o.machine)
		return print_machine();
	if (!status)
		status = run(&o, &e);
	if (status)
		fprintf(stderr, "copra-ceilings: %s\n", e.text);
	return err_exit_code(status);
}
