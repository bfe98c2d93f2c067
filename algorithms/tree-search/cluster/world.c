/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
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
#include "harness/bench/ranks.h"
#include "harness/device/device.h"
#include "harness/machine/nvml.h"

/* mpirun forwards what a rank prints, and may drop it when the rank aborts. */
#define FORWARD_SECONDS 0.3

enum { AWAIT_MICROSECONDS = 200 };

/* The mpirun of OpenMPI sends SIGTERM a second after the death of a rank, and SIGKILL after another
 * one. */
#define HURRY_SECONDS 0.5

enum kind {
	SEARCH, /* of cluster.h */
	PART,   /* of a result that all ranks share */
	ORDER,  /* of rank 0 (ranks.h) */
	ANSWER, /* to an order */
	PING,   /* of rank 0, which awaits a PONG with the name of the node */
	PONG,
	ABANDON, /* rank 0 has given up the searches that an order began */
	GIVE_UP, /* rank 0 has failed */
};

/* Behind the bytes of each message. The round is the number of the sender's search. */
struct stamp {
	uint32_t kind, round;
};

/* A message that has arrived. */
struct letter {
	struct letter *next;
	int from;
	struct stamp stamp;
	unsigned char *bytes;
	size_t size; /* without the stamp */
};

/* What rank 0 knows of another rank. */
struct peer {
	int unanswered; /* PINGs since its last message; -1: it has sent none yet */
	char host[CLUSTER_MPI_HOST];
};

static struct {
	const struct cluster_mpi *mpi;
	const char *program;
	struct cluster_mpi_place place;
	struct letter *letters; /* in the order of arrival */
	uint32_t round;
	bool finished;           /* the search is over */
	bool abandoned, gave_up; /* rank 0 has sent ABANDON since the last order, or GIVE_UP */
	bool running;            /* the last order was BENCH_RUN */
	struct peer *peers;      /* rank 0: [ranks] */
	double ping_due;
	bool hurried;       /* ranks were named after a signal */
	int report, errors; /* helpers: memory in place of stderr; stderr itself */
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

/* A helper writes no files, and its search ends when that of rank 0 does. Independent runs, which
 * each rank stops by itself, need the time limit. */
static void drop_flags(int *argc, char **argv)
{
	static const struct {
		const char *name;
		bool lone;
	} dropped[] = {
		{ "json", false },
		{ "log", false },
		{ "plot", false },
		{ "progress", true },
		{ "checkpoint", false },
		{ "checkpoint-period", false },
		{ "resume", false },
		{ "node-limit", false },
		{ "start", false },
		{ "start-seconds", false },
		{ "start-command", false },
		/* of bench */
		{ "benchmark_out", false },
		{ "benchmark_filter", false },
		{ "copra_also", false },
		{ "copra_resume", true },
		{ "copra_progress", true },
		{ "copra_rows", false },
		{ "copra_rank", false },
		{ "copra_died", false },
		{ "copra_part", false },
		{ "perf", false },
	};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		take_flag(argc, argv, dropped[i].name, dropped[i].lone);
	unsetenv("BENCHMARK_FILTER");
	unsetenv("BENCHMARK_OUT");
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

void world_size(int *ranks, int *machines)
{
	*ranks = world.mpi ? world.place.ranks : 0;
	*machines = world.mpi ? world.place.nodes : 0;
}

bool world_is_helper(void)
{
	return world.mpi && world.place.rank > 0;
}

void world_begin(void)
{
	world.round++;
	world.finished = false;
}

void world_finished(void)
{
	world.finished = true;
}

void world_ignore_signals(void)
{
	if (!world_is_helper())
		return;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static void drop(struct letter *l)
{
	free(l->bytes);
	free(l);
}

/* Sends bytes that were allocated by malloc, which are freed. */
static int post(int to, enum kind kind, unsigned char *bytes, size_t size, struct err *e)
{
	const struct stamp stamp = { kind, world.round };
	char text[CLUSTER_MPI_TEXT] = "";
	unsigned char *stamped = realloc(bytes, size + sizeof(stamp));

	if (!stamped) {
		free(bytes);
		return err_set(e, ERR_MEMORY, "no memory for a message of %zu bytes", size);
	}
	memcpy(stamped + size, &stamp, sizeof(stamp));
	return world.mpi->send(to, stamped, size + sizeof(stamp), text) ?
		       err_set(e, ERR_FAILED, "message to rank %d: %s", to, text) :
		       0;
}

/* Sends a copy of the bytes to all other ranks. */
static int post_to_all(enum kind kind, const void *bytes, size_t size, struct err *e)
{
	int status = 0;

	for (int to = 0; to < world.place.ranks && !status; to++) {
		unsigned char *copy = to == world.place.rank ? NULL : malloc(size + 1);

		if (to == world.place.rank)
			continue;
		if (!copy)
			return err_set(e, ERR_MEMORY, "no memory for a message");
		if (size)
			memcpy(copy, bytes, size);
		status = post(to, kind, copy, size, e);
	}
	return status;
}

static void note_life(int from)
{
	if (world.peers)
		world.peers[from].unanswered = 0;
}

/* Answers a PING, or takes the answer to one. */
static int live(int from, enum kind kind, unsigned char *bytes, size_t size, struct err *e)
{
	char *host;

	if (kind == PONG && world.peers && size == CLUSTER_MPI_HOST) {
		memcpy(world.peers[from].host, bytes, size - 1);
		note_life(from);
	}
	free(bytes);
	if (kind == PONG)
		return 0;
	host = calloc(1, CLUSTER_MPI_HOST);
	if (!host)
		return err_set(e, ERR_MEMORY, "no memory for a message");
	snprintf(host, CLUSTER_MPI_HOST, "%s", world.place.host);
	return post(from, PONG, (unsigned char *)host, CLUSTER_MPI_HOST, e);
}

/* Keeps a message until somebody asks for its kind. */
static int keep(int from, unsigned char *bytes, size_t size, struct err *e)
{
	struct letter **at = &world.letters, *l = NULL;
	struct stamp stamp;

	if (size >= sizeof(stamp))
		l = calloc(1, sizeof(*l));
	if (!l) {
		free(bytes);
		return size < sizeof(stamp) ?
			       err_set(e, ERR_FAILED, "message from rank %d: %zu bytes", from,
				       size) :
			       err_set(e, ERR_MEMORY, "no memory for a message");
	}
	size -= sizeof(stamp);
	memcpy(&stamp, bytes + size, sizeof(stamp));
	if (stamp.kind == PING || stamp.kind == PONG) {
		free(l);
		return live(from, stamp.kind, bytes, size, e);
	}
	note_life(from);
	*l = (struct letter){ NULL, from, stamp, bytes, size };
	while (*at)
		at = &(*at)->next;
	*at = l;
	return 0;
}

/* Receives what has arrived. */
static int collect(struct err *e)
{
	char text[CLUSTER_MPI_TEXT] = "";
	int status = 0;

	while (!status) {
		unsigned char *bytes;
		size_t size;
		int from;

		if (world.mpi->receive(&from, &bytes, &size, text))
			return err_set(e, ERR_FAILED, "messages of other ranks: %s", text);
		if (!bytes)
			break;
		status = keep(from, bytes, size, e);
	}
	return status;
}

static bool is_of_search(enum kind kind)
{
	return kind == SEARCH || kind == PART;
}

/* Takes the first message of a kind. Messages of searches that are over are dropped; before an
 * order, also the end of what an earlier one began. */
static struct letter *take(enum kind kind)
{
	struct letter **at = &world.letters;

	while (*at) {
		struct letter *l = *at;
		bool round = !is_of_search(l->stamp.kind) || l->stamp.round == world.round;

		if (l->stamp.kind == kind && round) {
			*at = l->next;
			return l;
		}
		if ((is_of_search(l->stamp.kind) && l->stamp.round < world.round) ||
		    (kind == ORDER && l->stamp.kind == ABANDON)) {
			*at = l->next;
			drop(l);
		} else {
			at = &l->next;
		}
	}
	return NULL;
}

/* Whether rank 0 has said that a search, or everything, is given up. */
static bool heard(enum kind kind, bool *known)
{
	struct letter *l = take(kind);

	if (l) {
		*known = true;
		drop(l);
	}
	return *known;
}

/* Takes the next message of a kind. *l is NULL: none has arrived. */
static int receive(enum kind kind, struct letter **l, struct err *e)
{
	int status = collect(e);

	*l = NULL;
	if (status)
		return status;
	if (heard(GIVE_UP, &world.gave_up) ||
	    (is_of_search(kind) && heard(ABANDON, &world.abandoned)))
		return err_set(e, ERR_FAILED, "rank 0 has given up");
	*l = take(kind);
	return 0;
}

/* Waits for a message of a kind, of at least `size` bytes. */
static int await(enum kind kind, size_t size, struct letter **l, struct err *e)
{
	int status;

	while ((status = receive(kind, l, e)) == 0 && !*l)
		usleep(AWAIT_MICROSECONDS);
	if (!status && (*l)->size < size) {
		status = err_set(e, ERR_FAILED, "message from rank %d: %zu bytes", (*l)->from,
				 (*l)->size);
		drop(*l);
		*l = NULL;
	}
	return status;
}

int world_send(int to, unsigned char *bytes, size_t size, struct err *e)
{
	return post(to, SEARCH, bytes, size, e);
}

int world_take_message(int *from, unsigned char **bytes, size_t *size, struct err *e)
{
	struct letter *l;
	int status = receive(SEARCH, &l, e);

	*bytes = NULL;
	if (!l)
		return status;
	*from = l->from;
	*bytes = l->bytes;
	*size = l->size;
	free(l);
	return 0;
}

/* ---- ranks that are lost ---- */

enum { PINGS = 10 }; /* unanswered, that mean a loss */

static bool any_lost(void)
{
	for (int r = 1; r < world.place.ranks; r++)
		if (world.peers[r].unanswered >= PINGS)
			return true;
	return false;
}

/* One line that names the ranks which are silent. A rank that waits for a message of a lost one may
 * have become silent a little earlier. */
static void name_silent(double seconds)
{
	enum { NAMED = 4 };
	char text[512];
	size_t used = 0;
	int count = 0;

	for (int r = 1; r < world.place.ranks; r++) {
		const struct peer *p = &world.peers[r];

		if (p->unanswered < PINGS / 2 || count++ >= NAMED)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%srank %d on %.80s",
					 count > 1 ? ", " : "", r, *p->host ? p->host : "?");
	}
	fprintf(stderr, "%s: no answer for %.3g s from %s%s\n", world.program, seconds, text,
		count > NAMED ? ", ..." : "");
}

static void count_pings_anew(void)
{
	for (int r = 1; r < world.place.ranks; r++)
		if (world.peers[r].unanswered > 0)
			world.peers[r].unanswered = 0;
}

static int ping(double now, double period, struct err *e)
{
	world.ping_due = now + period;
	for (int r = 1; r < world.place.ranks; r++)
		if (world.peers[r].unanswered >= 0)
			world.peers[r].unanswered++;
	return post_to_all(PING, NULL, 0, e);
}

/* Seconds without a sign of life after which a rank is lost. */
static double lost_seconds(void)
{
	const char *text = getenv("COPRA_LOST_SECONDS");
	double seconds = text ? atof(text) : 0;

	return seconds > 0 ? seconds : 30;
}

int world_find_lost(bool hurry, struct err *e)
{
	enum { RANKS_A_SECOND = 1000 };
	bool brief = hurry && !world.hurried;
	double now = clock_wall(), patience = brief ? HURRY_SECONDS : lost_seconds();
	double least = (double)world.place.ranks / RANKS_A_SECOND;
	double period = patience / PINGS > least ? patience / PINGS : least;

	if (!world.peers) {
		world.peers = calloc((size_t)world.place.ranks, sizeof(*world.peers));
		if (!world.peers)
			return err_set(e, ERR_MEMORY, "no memory for %d ranks", world.place.ranks);
		for (int r = 0; r < world.place.ranks; r++)
			world.peers[r].unanswered = -1;
	}
	if (brief && world.ping_due > now + period)
		world.ping_due = now;
	if (now < world.ping_due)
		return 0;
	/* pings are counted, and not the seconds, in which this process may have been stopped */
	if (any_lost()) {
		name_silent(patience);
		if (!brief) {
			usleep((useconds_t)(FORWARD_SECONDS * 1e6));
			world.mpi->abort(1);
		}
		world.hurried = true;
		count_pings_anew();
	}
	return ping(now, period, e);
}

/* A helper failed: waits whether rank 0 did, too. */
static void hear_of_rank_0(const bool *known)
{
	enum { PATIENCE = 2 };
	double until = clock_wall() + PATIENCE;

	while (!*known && !world.gave_up && clock_wall() < until) {
		struct letter *l;

		if (receive(SEARCH, &l, NULL))
			return;
		if (l)
			drop(l);
		usleep(1000);
	}
}

/* ---- results that all ranks share ---- */

struct answer {
	int32_t status;
	uint64_t identity; /* of a result that all ranks share */
	char host[CLUSTER_MPI_HOST];
	char text[sizeof(((struct err *)0)->text)];
};

/* A message of an answer and the records that follow it. */
static unsigned char *pack_part(const struct world_result *r, size_t from, size_t size, int status,
				const struct err *problem)
{
	struct answer a = { .status = status, .identity = r->identity };
	unsigned char *bytes = malloc(sizeof(a) + size);

	if (!bytes)
		return NULL;
	snprintf(a.host, sizeof(a.host), "%s", world.place.host);
	if (status)
		snprintf(a.text, sizeof(a.text), "%s", problem->text);
	memcpy(bytes, &a, sizeof(a));
	if (size)
		memcpy(bytes + sizeof(a), r->all + from, size);
	return bytes;
}

/* Takes a part of the records. *other: the status that it has. */
static int take_part(const struct world_result *r, int *other, struct err *problem, struct err *e)
{
	bool helper = world_is_helper();
	struct answer a;
	struct letter *l;
	int status = await(PART, sizeof(a), &l, e), from, to;
	size_t size;

	if (status)
		return status;
	memcpy(&a, l->bytes, sizeof(a));
	from = helper ? 0 : r->first[l->from];
	to = r->first[helper ? world.place.ranks : l->from + 1];
	size = (size_t)(to - from) * r->unit;
	*other = a.status;
	if (a.status)
		err_set(problem, a.status, "%.*s", (int)sizeof(a.text) - 1, a.text);
	if (a.identity != r->identity)
		status = err_set(e, ERR_INPUT,
				 "rank %d on %.*s: it has another instance, other flags or "
				 "another build",
				 l->from, CLUSTER_MPI_HOST - 1, a.host);
	else if (l->size != sizeof(a) + size)
		status = err_set(e, ERR_FAILED, "message from rank %d: %zu bytes, not %zu", l->from,
				 l->size, sizeof(a) + size);
	else if (size)
		memcpy(r->all + (size_t)from * r->unit, l->bytes + sizeof(a), size);
	drop(l);
	return status;
}

/* *status: of this rank's part, then of the result. Returns whether messages failed. */
static int share_as_helper(const struct world_result *r, int *status, struct err *e)
{
	const int *first = r->first + world.place.rank;
	size_t size = (size_t)(first[1] - first[0]) * r->unit;
	unsigned char *part;
	int failed;

	if (*status && *status != ERR_LIMIT)
		err_prefix(e, "rank %d on %s", world.place.rank, world.place.host);
	part = pack_part(r, (size_t)first[0] * r->unit, size, *status, e);
	if (!part)
		return err_set(e, ERR_MEMORY, "no memory for a message");
	failed = post(0, PART, part, sizeof(struct answer) + size, e);
	return failed ? failed : take_part(r, status, e, e);
}

static int share_as_rank_0(const struct world_result *r, int *status, struct err *e)
{
	size_t size = (size_t)r->first[world.place.ranks] * r->unit;
	unsigned char *everything;
	int failed = 0;

	for (int i = 1; i < world.place.ranks && !failed; i++) {
		struct err problem = { 0 };
		int other = 0;

		failed = take_part(r, &other, &problem, e);
		if (!failed)
			*status = err_merge(*status, other, &problem, e);
	}
	everything = failed ? NULL : pack_part(r, 0, size, *status, e);
	if (!failed && !everything)
		failed = err_set(e, ERR_MEMORY, "no memory for a message");
	if (!failed)
		failed = post_to_all(PART, everything, sizeof(struct answer) + size, e);
	free(everything);
	return failed;
}

int world_share(const struct world_result *r, int status, struct err *e)
{
	int failed;

	world_begin();
	failed =
		world_is_helper() ? share_as_helper(r, &status, e) : share_as_rank_0(r, &status, e);
	/* all ranks end with the same failure, or at a limit */
	if (!failed && status)
		world_finished();
	return failed ? failed : status;
}

/* ---- bench: orders of rank 0 ---- */

struct order {
	uint32_t order, round;
	char name[BENCH_ORDER_NAME];
};

static int give_order(enum bench_order order, const char *name, struct err *e)
{
	struct order o = { .order = order, .round = world.round };

	snprintf(o.name, sizeof(o.name), "%s", name);
	if (order == BENCH_END)
		world.finished = true;
	return post_to_all(ORDER, &o, sizeof(o), e);
}

static int take_answers(struct err *e)
{
	int status = 0;

	for (int i = 1; i < world.place.ranks; i++) {
		struct answer a;
		struct letter *l;
		int failed = await(ANSWER, sizeof(a), &l, e);

		if (failed)
			return failed;
		memcpy(&a, l->bytes, sizeof(a));
		drop(l);
		if (a.status && !status)
			status = err_set(e, a.status, "%.*s", (int)sizeof(a.text) - 1, a.text);
	}
	return status;
}

/* Rank 0 may have failed before it began the round in which the others are. */
static int abandon(struct err *e)
{
	world.round++;
	return post_to_all(ABANDON, NULL, 0, e);
}

static int next_order(enum bench_order *order, char name[BENCH_ORDER_NAME], struct err *e)
{
	struct letter *l;
	struct order o;
	int status;

	status = await(ORDER, sizeof(o), &l, e);
	if (status)
		return status;
	memcpy(&o, l->bytes, sizeof(o));
	drop(l);
	world.round = o.round;
	world.abandoned = false;
	world.running = o.order == BENCH_RUN;
	world.finished = o.order == BENCH_END;
	*order = (enum bench_order)o.order;
	snprintf(name, BENCH_ORDER_NAME, "%.*s", BENCH_ORDER_NAME - 1, o.name);
	return 0;
}

static int give_answer(int status, const struct err *problem, struct err *e)
{
	struct err named;
	struct answer *a;

	if (status && world.running)
		hear_of_rank_0(&world.abandoned);
	if (status && world.running && !world.abandoned) {
		world.finished = false;
		return err_set(e, status, "%s", problem->text);
	}
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_set(e, ERR_MEMORY, "no memory for a message");
	a->status = status;
	if (status) {
		named = *problem;
		err_prefix(&named, "rank %d on %s", world.place.rank, world.place.host);
		memcpy(a->text, named.text, sizeof(a->text));
	}
	return post(0, ANSWER, (unsigned char *)a, sizeof(*a), e);
}

static struct bench_ranks ranks_of_bench(void)
{
	return (struct bench_ranks){
		.rank = world.place.rank,
		.ranks = world.place.ranks,
		.nodes = world.place.nodes,
		.order = give_order,
		.answers = take_answers,
		.abandon = abandon,
		.next = next_order,
		.answer = give_answer,
	};
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
	/* most of the others failed in the same way */
	if (!world.finished && code != 0 && !helper && post_to_all(GIVE_UP, NULL, 0, &e))
		world.mpi->abort(code);
	if (!world.finished && code != 0 && helper)
		hear_of_rank_0(&world.gave_up);
	if (!world.finished && code != 0 && helper && !world.gave_up) {
		print_fault();
		usleep((useconds_t)(FORWARD_SECONDS * 1e6));
		world.mpi->abort(code);
	}
	free(world.peers);
	world.peers = NULL;
	while (world.letters) {
		struct letter *l = world.letters;

		world.letters = l->next;
		drop(l);
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

/* Whether the ranks do the command together. */
static bool is_shared(const struct target *t, int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "bench";

	for (const struct subcommand *c = t->commands; c && c->name; c++)
		if (strcmp(command, c->name) == 0)
			return true;

	if (strcmp(command, "--help") == 0 || strcmp(command, "--version") == 0)
		return false;
	return *command == '-' || strcmp(command, "bench") == 0 || strcmp(command, "solve") == 0;
}

int world_main(int argc, char **argv, const struct target *t)
{
	struct solve_spec solve = *t->solve;
	struct target own = *t;
	struct bench_ranks ranks;
	const char *library;
	struct err e = { 0 };
	int status;

	if (launched(&library) < 2 || !is_shared(t, argc, argv))
		return copra_main(argc, argv, t);
	status = begin(&argc, argv, &e);
	if (!world.mpi) /* each rank fails in the same way */
		return host_rank() > 0 ? err_exit_code(status) : fail(t, status, &e);
	ranks = ranks_of_bench();
	solve.begins_on_cores = false;
	own.solve = &solve;
	own.ranks = &ranks;
	world.program = t->name;
	status = status ? fail(t, status, &e) : copra_main(argc, argv, &own);
	return end(t, status);
}
