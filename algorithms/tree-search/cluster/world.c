/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/flags.h"
#include "harness/base/host.h"
#include "harness/base/team.h"
#include "harness/bench/bench.h"
#include "harness/device/device.h"
#include "harness/machine/nvml.h"

/* mpirun forwards what a rank prints, and may drop it when the rank aborts. */
#define FORWARD_SECONDS 0.3

enum { GIVEN_UP = 1 }; /* the only byte of a message; those of a search are longer */

static struct {
	const struct cluster_mpi *mpi;
	struct cluster_mpi_place place;
	bool finished, gave_up; /* the search is over; rank 0 has sent GIVEN_UP */
	int report, errors;     /* helpers: memory in place of stderr; stderr itself */
} world;

/* ---- the library ---- */

/* The number of ranks by the launcher's variables, and its MPI library; 0: no launcher. */
static int64_t launched(const char **library)
{
	static const struct {
		const char *variable, *library;
	} launchers[] = {
		{ "OMPI_COMM_WORLD_SIZE", "openmpi" },
		{ "PMI_SIZE", "mpich" },
		/* srun --mpi=pmix, and srun without MPI, which load() refuses */
		{ "SLURM_STEP_NUM_TASKS", "openmpi" },
	};

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const char *text = getenv(launchers[i].variable);
		int64_t ranks;

		*library = launchers[i].library;
		if (text && flag_parse_int(&ranks, text, NULL) == 0)
			return ranks;
	}
	return 0;
}

/* The shared object of an MPI library: beside the programs, in ../lib. */
static int load(const char *library, struct err *e)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;
	void *object;

	if (length < 0)
		return err_set(e, ERR_UNSUPPORTED, "/proc/self/exe: %m");
	path[length] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash, 64, "/../lib/copra-mpi-%s.so", library);
	object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!object) /* installed elsewhere: where the system looks for libraries */
		object = dlopen(strrchr(path, '/') + 1, RTLD_NOW | RTLD_GLOBAL);
	if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE") && !getenv("PMIX_RANK"))
		return err_set(e, ERR_USAGE,
			       "srun started several tasks without MPI: use srun --mpi=pmix");
	if (!object)
		return err_set(e, ERR_UNSUPPORTED,
			       "started by the mpirun of %s, but this build has no support for it "
			       "(make config; %s)",
			       library, dlerror());
	world.mpi = dlsym(object, "cluster_mpi");
	if (!world.mpi || world.mpi->version != CLUSTER_MPI_VERSION) {
		world.mpi = NULL;
		return err_set(e, ERR_UNSUPPORTED, "%s belongs to another version of copra", path);
	}
	return 0;
}

/* ---- flags ---- */

/* Removes --name and its value from the arguments. Returns the value, or NULL. `lone`: the flag is
 * also valid without a value. */
static const char *take_flag(int *argc, char **argv, const char *name, bool lone)
{
	size_t length = strlen(name);
	const char *value = NULL;
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		const char *flag = argv[i];

		if (strncmp(flag, "--", 2) != 0 || strncmp(flag + 2, name, length) != 0 ||
		    (flag[2 + length] && flag[2 + length] != '=')) {
			argv[kept++] = argv[i];
		} else if (flag[2 + length]) {
			value = flag + 3 + length;
		} else if (!lone && i + 1 < *argc) {
			value = argv[++i];
		}
	}
	*argc = kept;
	argv[kept] = NULL;
	return value;
}

/* A helper writes no files, and its search ends when that of rank 0 does. */
static void drop_flags(int *argc, char **argv)
{
	static const struct {
		const char *name;
		bool lone;
	} dropped[] = {
		{ "json", false },    { "log", false },           { "plot", false },
		{ "progress", true }, { "checkpoint", false },    { "checkpoint-period", false },
		{ "resume", false },  { "time-limit", false },    { "node-limit", false },
		{ "start", false },   { "start-seconds", false }, { "start-command", false },
	};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		take_flag(argc, argv, dropped[i].name, dropped[i].lone);
}

/* ---- the share of the node ---- */

/* The number of GPUs of this node. Not by the CUDA runtime, which reads CUDA_VISIBLE_DEVICES once,
 * when it is first called. */
static int gpus_of_node(void)
{
	struct nvml *n;
	int count = 0;

	if (nvml_open(&n, NULL))
		return 0;
	if (nvml_count(n, &count, NULL))
		count = 0;
	nvml_close(n);
	return count < DEV_MAX ? count : DEV_MAX;
}

static int share_gpus(const char *text, struct err *e)
{
	const struct cluster_mpi_place *p = &world.place;
	char list[16 * DEV_MAX] = "";
	int count = gpus_of_node(), first;
	int64_t each = count / p->locals;
	size_t used = 0;

	if (text && (flag_parse_int(&each, text, NULL) || each < 1))
		return err_set(e, ERR_USAGE, "--gpus-per-rank: '%s' is not a number of at least 1",
			       text);
	if (getenv("CUDA_VISIBLE_DEVICES")) {
		if (!text)
			return 0;
		return err_set(e, ERR_USAGE,
			       "--gpus-per-rank: CUDA_VISIBLE_DEVICES has chosen the GPUs");
	}
	if (text && each > count / p->locals)
		return err_set(e, ERR_DEVICE, "--gpus-per-rank %s: %s has %d ranks and %d GPUs",
			       text, p->host, p->locals, count);
	if (count == 0 || (!text && p->locals == 1))
		return 0;
	/* fewer GPUs than ranks: they share them */
	first = each ? (int)each * p->local : p->local % count;
	for (int i = 0; i < (each ? each : 1); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d", i ? "," : "",
					 first + i);
	setenv("CUDA_VISIBLE_DEVICES", list, 1);
	return 0;
}

/* Without a binding by the launcher each rank would use all cores. */
static void share_cores(void)
{
	const struct cluster_mpi_place *p = &world.place;
	int all = (int)sysconf(_SC_NPROCESSORS_ONLN), usable = team_cores(), share;
	char text[16];

	if (usable < all || p->locals == 1 || getenv("COPRA_THREADS"))
		return;
	share = usable / p->locals;
	snprintf(text, sizeof(text), "%d", share < 1 ? 1 : share);
	setenv("COPRA_THREADS", text, 1);
}

/* ---- output ---- */

/* What a helper prints is kept in memory. */
static int be_silent(struct err *e)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	world.errors = dup(STDERR_FILENO);
	world.report = memfd_create("stderr", MFD_CLOEXEC);
	if (nowhere < 0 || world.errors < 0 || world.report < 0 ||
	    dup2(nowhere, STDOUT_FILENO) < 0 || dup2(world.report, STDERR_FILENO) < 0)
		return err_set(e, ERR_FAILED, "cannot redirect the output: %m");
	return 0;
}

/* Prints the last line that a helper wrote to stderr. */
static void print_fault(void)
{
	char text[1024];
	ssize_t length = pread(world.report, text, sizeof(text) - 1,
			       lseek(world.report, 0, SEEK_END) > (off_t)sizeof(text) - 1 ?
				       lseek(world.report, 0, SEEK_END) - (off_t)sizeof(text) + 1 :
				       0);
	char *line = text;

	if (length <= 0)
		return;
	text[length] = '\0';
	if (text[length - 1] == '\n')
		text[length - 1] = '\0';
	if (strrchr(text, '\n'))
		line = strrchr(text, '\n') + 1;
	dprintf(world.errors, "rank %d on %s: %s\n", world.place.rank, world.place.host, line);
}

/* ---- messages ---- */

const struct cluster_mpi_place *world_place(void)
{
	return world.mpi ? &world.place : NULL;
}

bool world_is_helper(void)
{
	return world.mpi && world.place.rank > 0;
}

void world_finished(void)
{
	world.finished = true;
}

int world_send(int to, unsigned char *bytes, size_t size, struct err *e)
{
	char text[CLUSTER_MPI_TEXT] = "";

	return world.mpi->send(to, bytes, size, text) ?
		       err_set(e, ERR_FAILED, "message to rank %d: %s", to, text) :
		       0;
}

int world_take_message(int *from, unsigned char **bytes, size_t *size, struct err *e)
{
	char text[CLUSTER_MPI_TEXT] = "";

	if (world.mpi->receive(from, bytes, size, text))
		return err_set(e, ERR_FAILED, "messages of other ranks: %s", text);
	if (*bytes && *size == GIVEN_UP) {
		free(*bytes);
		*bytes = NULL;
		world.gave_up = true;
		return err_set(e, ERR_FAILED, "rank 0 has given up");
	}
	return 0;
}

/* Rank 0 failed: tells the others, most of which failed in the same way. */
static int give_up(struct err *e)
{
	int status = 0;

	for (int to = 1; to < world.place.ranks && !status; to++) {
		unsigned char *byte = calloc(1, GIVEN_UP);

		status = byte ? world_send(to, byte, GIVEN_UP, e) :
				err_set(e, ERR_MEMORY, "no memory for a message");
	}
	return status;
}

/* A helper failed: waits whether rank 0 did, too. Messages of the search are dropped. */
static void hear_of_rank_0(void)
{
	enum { PATIENCE = 2 };
	double until = clock_wall() + PATIENCE;

	while (!world.gave_up && clock_wall() < until) {
		struct err e = { 0 };
		unsigned char *bytes;
		size_t size;
		int from;

		if (world_take_message(&from, &bytes, &size, &e))
			return;
		free(bytes);
		usleep(1000);
	}
}

/* ---- main ---- */

static int fail(const struct target *t, int status, const struct err *e)
{
	fprintf(stderr, "%s: %s\n", t->name, e->text);
	return err_exit_code(status);
}

/* The end of a rank, with the exit code of its command. */
static int end(const struct target *t, int code)
{
	char text[CLUSTER_MPI_TEXT] = "";
	struct err e = { 0 };
	bool helper = world_is_helper();

	fflush(NULL);
	if (!world.finished && code != 0 && !helper && give_up(&e))
		world.mpi->abort(code);
	if (!world.finished && code != 0 && helper && !world.gave_up)
		hear_of_rank_0();
	if (!world.finished && code != 0 && helper && !world.gave_up) {
		print_fault();
		usleep((useconds_t)(FORWARD_SECONDS * 1e6));
		world.mpi->abort(code);
	}
	if (world.mpi->stop(text) && !helper)
		return fail(t, err_set(&e, ERR_FAILED, "%s", text), &e);
	return helper ? 0 : code;
}

static int begin(int *argc, char **argv, struct err *e)
{
	const char *gpus = take_flag(argc, argv, "gpus-per-rank", false);
	char text[CLUSTER_MPI_TEXT] = "";
	const char *library;
	int status;

	launched(&library);
	status = load(library, e);
	if (status)
		return status;
	if (world.mpi->start(&world.place, text)) {
		world.mpi = NULL;
		return err_set(e, ERR_FAILED, "MPI of %s does not start: %s", library, text);
	}
	/* programs that a rank runs are not ranks */
	unsetenv("OMPI_COMM_WORLD_SIZE");
	unsetenv("PMI_SIZE");
	unsetenv("SLURM_STEP_NUM_TASKS");
	if (world.place.rank > 0) {
		status = be_silent(e);
		drop_flags(argc, argv);
	}
	if (!status)
		status = share_gpus(gpus, e);
	share_cores();
	return status;
}

int world_main(int argc, char **argv, const struct target *t)
{
	const char *library;
	struct err e = { 0 };
	int status;

	if (launched(&library) < 2 || argc < 2 || strcmp(argv[1], "solve") != 0)
		return copra_main(argc, argv, t);
	status = begin(&argc, argv, &e);
	if (!world.mpi) /* each rank fails in the same way */
		return host_rank() > 0 ? err_exit_code(status) : fail(t, status, &e);
	status = status ? fail(t, status, &e) : copra_main(argc, argv, t);
	return end(t, status);
}
