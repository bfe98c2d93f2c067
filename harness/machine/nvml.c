/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of NVML's binary interface that is used here, from its reference manual. */
enum { OK = 0, P2P_NVLINK = 2, REMOTE_SWITCH = 2, FEATURE_ENABLED = 1, NVLINKS = 18 };

struct memory_info {
	unsigned long long total, free, used;
};

struct pci_info {
	char bus_id_legacy[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char bus_id[32];
};

/* member, symbol, arguments */
#define NVML_FUNCTIONS(X)                                                                          \
	X(init, "nvmlInit_v2", (void))                                                             \
	X(shutdown, "nvmlShutdown", (void))                                                        \
	X(driver, "nvmlSystemGetDriverVersion", (char *, unsigned))                                \
	X(cuda, "nvmlSystemGetCudaDriverVersion_v2", (int *))                                      \
	X(count, "nvmlDeviceGetCount_v2", (unsigned *))                                            \
	X(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned, nvml_gpu *))                       \
	X(by_uuid, "nvmlDeviceGetHandleByUUID", (const char *, nvml_gpu *))                        \
	X(name, "nvmlDeviceGetName", (nvml_gpu, char *, unsigned))                                 \
	X(uuid, "nvmlDeviceGetUUID", (nvml_gpu, char *, unsigned))                                 \
	X(vbios, "nvmlDeviceGetVbiosVersion", (nvml_gpu, char *, unsigned))                        \
	X(memory, "nvmlDeviceGetMemoryInfo", (nvml_gpu, struct memory_info *))                     \
	X(ecc, "nvmlDeviceGetEccMode", (nvml_gpu, unsigned *, unsigned *))                         \
	X(persistence, "nvmlDeviceGetPersistenceMode", (nvml_gpu, unsigned *))                     \
	X(pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration", (nvml_gpu, unsigned *))           \
	X(pcie_width, "nvmlDeviceGetMaxPcieLinkWidth", (nvml_gpu, unsigned *))                     \
	X(clock, "nvmlDeviceGetClockInfo", (nvml_gpu, int, unsigned *))                            \
	X(clock_max, "nvmlDeviceGetMaxClockInfo", (nvml_gpu, int, unsigned *))                     \
	X(power, "nvmlDeviceGetPowerUsage", (nvml_gpu, unsigned *))                                \
	X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (nvml_gpu, unsigned *))                  \
	X(energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_gpu, unsigned long long *))         \
	X(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons", (nvml_gpu, unsigned long long *)) \
	X(ancestor, "nvmlDeviceGetTopologyCommonAncestor", (nvml_gpu, nvml_gpu, int *))            \
	X(p2p, "nvmlDeviceGetP2PStatus", (nvml_gpu, nvml_gpu, int, int *))                         \
	X(pci, "nvmlDeviceGetPciInfo_v3", (nvml_gpu, struct pci_info *))                           \
	X(link_state, "nvmlDeviceGetNvLinkState", (nvml_gpu, unsigned, unsigned *))                \
	X(link_type, "nvmlDeviceGetNvLinkRemoteDeviceType", (nvml_gpu, unsigned, int *))           \
	X(link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2",                                      \
	  (nvml_gpu, unsigned, struct pci_info *))

struct nvml {
	void *library;
	const char *(*error_text)(int);
#define NVML_MEMBER(member, symbol, arguments) int(*member) arguments;
	NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

/* dlsym returns an object pointer; POSIX guarantees that it converts to a function pointer. */
static void find(void *library, const char *symbol, void *function)
{
	void *address = dlsym(library, symbol);

	memcpy(function, &address, sizeof(address));
}

int nvml_open(struct nvml **out, struct err *e)
{
	return nvml_open_library(out, "libnvidia-ml.so.1", e);
}

int nvml_open_library(struct nvml **out, const char *file, struct err *e)
{
	struct nvml *n = calloc(1, sizeof(*n));
	int code;

	*out = NULL;
	if (!n)
		return err_set(e, ERR_MEMORY, "no memory for NVML");
	n->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!n->library) {
		free(n);
		return err_set(e, ERR_UNSUPPORTED, "no NVML library (%s)", file);
	}
#define NVML_FIND(member, symbol, arguments) find(n->library, symbol, &n->member);
	NVML_FUNCTIONS(NVML_FIND)
#undef NVML_FIND
	find(n->library, "nvmlErrorString", &n->error_text);
	code = n->init && n->shutdown ? n->init() : -1;
	if (code != OK) {
		err_set(e, ERR_UNSUPPORTED, "NVML cannot be initialised: %s",
			n->error_text && code > 0 ? n->error_text(code) : "unknown library");
		dlclose(n->library);
		free(n);
		return ERR_UNSUPPORTED;
	}
	*out = n;
	return 0;
}

void nvml_close(struct nvml *n)
{
	if (!n)
		return;
	n->shutdown();
	dlclose(n->library);
	free(n);
}

static int refused(struct nvml *n, const char *what, int code, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "NVML does not report %s: %s", what,
		       n->error_text ? n->error_text(code) : "unknown error");
}

/* Calls a function that the library may lack. */
#define CALL(n, member, what, e, ...)                                                              \
	(!(n)->member ? err_set(e, ERR_UNSUPPORTED, "this NVML gives no " what) :                  \
			call_status(n, what, (n)->member(__VA_ARGS__), e))

static int call_status(struct nvml *n, const char *what, int code, struct err *e)
{
	return code == OK ? 0 : refused(n, what, code, e);
}

int nvml_count(struct nvml *n, int *count, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, count, "number of GPUs", e, &value);

	*count = (int)value;
	return status;
}

int nvml_by_index(struct nvml *n, int index, nvml_gpu *gpu, struct err *e)
{
	return CALL(n, by_index, "GPU of that index", e, (unsigned)index, gpu);
}

int nvml_by_uuid(struct nvml *n, const char *uuid, nvml_gpu *gpu, struct err *e)
{
	return CALL(n, by_uuid, "GPU of that UUID", e, uuid, gpu);
}

int nvml_driver(struct nvml *n, char *text, size_t size, struct err *e)
{
	return CALL(n, driver, "driver version", e, text, (unsigned)size);
}

int nvml_cuda_version(struct nvml *n, int *version, struct err *e)
{
	return CALL(n, cuda, "CUDA version", e, version);
}

int nvml_name(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e)
{
	return CALL(n, name, "name", e, gpu, text, (unsigned)size);
}

int nvml_uuid(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e)
{
	return CALL(n, uuid, "UUID", e, gpu, text, (unsigned)size);
}

int nvml_vbios(struct nvml *n, nvml_gpu gpu, char *text, size_t size, struct err *e)
{
	return CALL(n, vbios, "VBIOS version", e, gpu, text, (unsigned)size);
}

int nvml_memory(struct nvml *n, nvml_gpu gpu, int64_t *total_bytes, struct err *e)
{
	struct memory_info info = { 0, 0, 0 };
	int status = CALL(n, memory, "memory size", e, gpu, &info);

	*total_bytes = (int64_t)info.total;
	return status;
}

int nvml_ecc(struct nvml *n, nvml_gpu gpu, bool *enabled, struct err *e)
{
	unsigned current = 0, pending = 0;
	int status = CALL(n, ecc, "ECC mode", e, gpu, &current, &pending);

	*enabled = current == FEATURE_ENABLED;
	return status;
}

int nvml_persistence(struct nvml *n, nvml_gpu gpu, bool *enabled, struct err *e)
{
	unsigned mode = 0;
	int status = CALL(n, persistence, "persistence mode", e, gpu, &mode);

	*enabled = mode == FEATURE_ENABLED;
	return status;
}

int nvml_pcie(struct nvml *n, nvml_gpu gpu, int *generation, int *width, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, pcie_generation, "PCIe generation", e, gpu, &value);

	*generation = (int)value;
	if (status)
		return status;
	status = CALL(n, pcie_width, "PCIe width", e, gpu, &value);
	*width = (int)value;
	return status;
}

int nvml_clock_mhz(struct nvml *n, nvml_gpu gpu, enum nvml_clock kind, int *mhz, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, clock, "clock", e, gpu, (int)kind, &value);

	*mhz = (int)value;
	return status;
}

int nvml_clock_max_mhz(struct nvml *n, nvml_gpu gpu, enum nvml_clock kind, int *mhz, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, clock_max, "highest clock", e, gpu, (int)kind, &value);

	*mhz = (int)value;
	return status;
}

int nvml_power_mw(struct nvml *n, nvml_gpu gpu, int *milliwatt, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, power, "power", e, gpu, &value);

	*milliwatt = (int)value;
	return status;
}

int nvml_power_limit_mw(struct nvml *n, nvml_gpu gpu, int *milliwatt, struct err *e)
{
	unsigned value = 0;
	int status = CALL(n, power_limit, "power limit", e, gpu, &value);

	*milliwatt = (int)value;
	return status;
}

int nvml_energy_mj(struct nvml *n, nvml_gpu gpu, uint64_t *millijoule, struct err *e)
{
	unsigned long long value = 0;
	int status = CALL(n, energy, "energy counter", e, gpu, &value);

	*millijoule = value;
	return status;
}

int nvml_throttle(struct nvml *n, nvml_gpu gpu, uint64_t *reasons, struct err *e)
{
	unsigned long long value = 0;
	int status = CALL(n, throttle, "throttle reasons", e, gpu, &value);

	*reasons = value;
	return status;
}

/* Active NVLinks of a that lead to b directly or through a switch. */
static int links_between(struct nvml *n, nvml_gpu a, nvml_gpu b)
{
	struct pci_info of_b = { .bus = 0 }, remote = { .bus = 0 };
	int count = 0;

	if (!n->link_state || !n->link_remote || !n->pci || n->pci(b, &of_b) != OK)
		return 0;
	for (unsigned link = 0; link < NVLINKS; link++) {
		unsigned active = 0;
		int type = 0;

		if (n->link_state(a, link, &active) != OK || active != FEATURE_ENABLED)
			continue;
		if (n->link_type && n->link_type(a, link, &type) == OK && type == REMOTE_SWITCH)
			count++;
		else if (n->link_remote(a, link, &remote) == OK &&
			 strcmp(remote.bus_id, of_b.bus_id) == 0)
			count++;
	}
	return count;
}

static const char *ancestor_name(int level)
{
	return level < 10 ? "SAME" :
	       level < 20 ? "PIX" :
	       level < 30 ? "PXB" :
	       level < 40 ? "PHB" :
	       level < 50 ? "NODE" :
			    "SYS";
}

int nvml_link(struct nvml *n, nvml_gpu a, nvml_gpu b, char *text, size_t size, struct err *e)
{
	int usable = -1, level = 0, links, status;

	if (n->p2p && n->p2p(a, b, P2P_NVLINK, &usable) == OK && usable == OK) {
		links = links_between(n, a, b);
		if (links > 0) {
			snprintf(text, size, "NV%d", links);
			return 0;
		}
	}
	status = CALL(n, ancestor, "topology", e, a, b, &level);
	if (!status)
		snprintf(text, size, "%s", ancestor_name(level));
	return status;
}
