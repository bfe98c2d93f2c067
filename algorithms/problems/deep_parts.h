/* The pieces of deep_search. */
#ifndef COPRA_PROBLEMS_DEEP_PARTS_H
#define COPRA_PROBLEMS_DEEP_PARTS_H

#include <pthread.h>

#include "../../kernels/flowshop/deep.h"
#include "interrupt.h"

/* ---- the search's plan on the host: deep_job.c ---- */

/* What all devices need to know. */
struct deep_job {
	const struct search_request *request;
	struct fsp_tables tables;
	int64_t ub;           /* to start from, see search_start */
	int64_t *start;       /* schedule of value ub, or NULL */
	int32_t root_bound;   /* LB1 of the root */
	bool pair;            /* kernel: pair, else wide */
	bool lb2;
	bool narrow;          /* all values are below 2^15 */
	bool orders;          /* kept in the rows */

	int mask_words, order_at, row_words; /* see struct deep_world */
	uint32_t *packet;     /* the root */
	uint32_t *pair_time;  /* tables as the kernels take them */
	int32_t *time, *pair_uv, *johnson;
	size_t pair_time_bytes, time_bytes, pair_uv_bytes, johnson_bytes;
};

int deep_job_make(struct deep_job *j, const struct search_request *r, bool orders, struct err *e);
void deep_job_free(struct deep_job *j);

/* ---- one device: deep_device.c ---- */

struct deep_device {
	const struct deep_job *job;
	struct dev *dev;
	struct dev_stream *stream;
	const struct deep_kernels *kernels;
	struct deep_world world;
	struct deep_round round;
	void *block;                 /* device memory */
	struct deep_control *seen;   /* pinned: the control after the last round */
	uint64_t memory_peak;
};

/* Allocates stacks and copies tables. `mail`: of all `devices`, this is `self`. */
int deep_device_open(struct deep_device *d, struct dev *dev, const struct deep_job *job,
		     struct deep_mail *mail, int devices, int self, struct err *e);
void deep_device_close(struct deep_device *d);
/* Puts the root on the stacks. */
int deep_device_root(struct deep_device *d, struct err *e);
/* One round from an incumbent of `best` at most, stacks dealt again; then d->seen tells. */
int deep_device_round(struct deep_device *d, int32_t best, struct err *e);
/* Moves up to `amount` open nodes from one device to another that is not working. */
int deep_device_give(struct deep_device *from, struct deep_device *to, int64_t amount,
		     int64_t *moved, struct err *e);
/* Empties the stacks; *bound: the least bound that was on them, INT32_MAX where none was. */
int deep_device_survey(struct deep_device *d, int32_t *bound, struct err *e);

struct deep_findings {
	struct deep_tally tally;
	int32_t best;        /* best leaf met; INT32_MAX without */
	uint16_t *order;     /* its order (jobs entries), to be freed; NULL where none is kept */
};
int deep_device_findings(struct deep_device *d, struct deep_findings *f, struct err *e);

/* ---- several devices: deep_team.c ---- */

struct deep_team {
	const struct search_request *request;
	struct deep_device device[DEV_MAX];
	struct deep_mail *mail;      /* pinned */
	int count;
	struct interrupt interrupt;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	int32_t best;
	bool stopped;                /* by limit or signal */
	bool done;                   /* no open node anywhere, or an error */
	int status;
	struct err error;
	int hungry_count;
	struct {
		bool hungry;
		int asked_by;        /* device that waits for our nodes, -1: none */
		int64_t received;    /* what the one we asked has sent; -1: not yet answered */
		int64_t entries;
		int feeds;           /* times that it was given nodes */
	} state[DEV_MAX];
	uint64_t steals_tried, steals_done, nodes_stolen, rounds;
};

/* Runs the search on all devices, opened and with the root on the first. */
int deep_team_run(struct deep_team *t, struct err *e);

#endif
