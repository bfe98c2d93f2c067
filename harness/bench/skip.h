/* Why a benchmark case was skipped: a reason from a fixed list, with its two numbers.
 *
 * The runner writes it to *.skipped.json as `skip_reason`, and, for reasons that have numbers,
 * `skip_needed`, `skip_available` and `skip_unit`. The message beside it is for people only; no
 * program reads it. */
#ifndef COPRA_BENCH_SKIP_H
#define COPRA_BENCH_SKIP_H

enum skip_reason {
	SKIP_UNSUPPORTED,  /* see the message */
	SKIP_NEEDS_GPUS,   /* needed, available: GPUs */
	SKIP_NEEDS_MEMORY, /* needed, available: bytes, of one device or of the host */
	SKIP_TOO_LONG,     /* needed: predicted seconds; available: --copra_longest */
	SKIP_TAKES_HOURS,  /* needed: predicted seconds; available: the experiment's own limit */
	SKIP_TOO_LARGE_TO_SIMULATE,
	SKIP_SIMULATED,  /* ran on `sim` with a correct answer; its time means nothing */
	SKIP_FEWER_GPUS, /* needed, available: GPUs; the experiment uses more of them here */
	SKIP_DEVICE,     /* a device failed or is missing */
	SKIP_NOT_KEPT,   /* measured, but the measurement was rejected afterwards */
	SKIP_REASONS
};

struct skip {
	enum skip_reason reason;
	double needed, available; /* 0 for a reason without numbers */
};

/* "needs_gpus": the value of `skip_reason`. */
const char *skip_reason_name(enum skip_reason r);
/* SKIP_UNSUPPORTED for an unknown name, as files of other versions may have. */
enum skip_reason skip_reason_from(const char *name);
/* "GPUs", "bytes", "s"; NULL for a reason without numbers. */
const char *skip_reason_unit(enum skip_reason r);

#endif
