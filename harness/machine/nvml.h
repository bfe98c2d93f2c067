/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA's management library, loaded at run time: needs neither its header nor linking, and the
 * program works without it.
 *
 * Only the functions that measurements need. They return ERR_UNSUPPORTED for a figure that a GPU or
 * driver does not report. All functions may be called from any thread. */
#ifndef COPRA_MACHINE_NVML_H
#define COPRA_MACHINE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

struct nvml;
typedef void *nvml_gpu; /* handle of one GPU, valid while the library is open */

/* ERR_UNSUPPORTED with the reason if there is no library or no driver. */
int nvml_open(struct nvml **out, struct err *e);
int nvml_open_library(struct nvml **out, const char *file, struct err *e);
void nvml_close(struct nvml *n);

int nvml_count(struct nvml *n, int *count, struct err *e);
int nvml_by_index(struct nvml *n, int index, nvml_gpu *gpu, struct err *e);
int nvml_by_uuid(struct nvml *n, const char *uuid, nvml_gpu *gpu, struct err *e); /* "GPU-..." */

int nvml_driver(struct nvml *n, char *text, size_t size, struct err *e);
int nvml_cuda_version(struct nvml *n, int *version, struct err *e); /* 13000: 13.0 */
int nvml_name(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e);
int nvml_uuid(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e);
int nvml_vbios(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e);
int nvml_memory(struct nvml *n, nvml_gpu gpu, int64_t *total_bytes, struct err *e);
int nvml_ecc(struct nvml *n, nvml_gpu gpu, bool *enabled, struct err *e);
int nvml_persistence(struct nvml *n, nvml_gpu gpu, bool *enabled, struct err *e);
int nvml_pcie(struct nvml *n, nvml_gpu gpu, int *generation, int *width, struct err *e);

enum nvml_clock { NVML_SM = 1, NVML_MEMORY = 2 };
int nvml_clock_mhz(struct nvml *n, nvml_gpu gpu, enum nvml_clock kind, int *mhz, struct err *e);
int nvml_clock_max_mhz(struct nvml *n, nvml_gpu gpu, enum nvml_clock kind, int *mhz, struct err *e);
int nvml_power_mw(struct nvml *n, nvml_gpu gpu, int *milliwatt, struct err *e);
int nvml_power_limit_mw(struct nvml *n, nvml_gpu gpu, int *milliwatt, struct err *e);
/* Energy since the driver was loaded, in millijoules; GPUs since Volta. */
int nvml_energy_mj(struct nvml *n, nvml_gpu gpu, uint64_t *millijoule, struct err *e);
int nvml_throttle(struct nvml *n, nvml_gpu gpu, uint64_t *reasons, struct err *e);

/* The connection from a to b: "NV<links>" over NVLink, otherwise the PCIe ancestor as in
 * nvidia-smi: PIX, PXB, PHB, NODE, SYS; "SAME" on one board. */
int nvml_link(struct nvml *n, nvml_gpu a, nvml_gpu b, char *text, size_t size, struct err *e);

#endif
