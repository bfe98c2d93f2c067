#include "harness/machine/environment_parts.h"

#include <stdio.h>

#include "harness/machine/nvml.h"

/* What a GPU does not give stays 0 or empty, hence the statuses that nobody looks at. */
static void capture_gpu(struct nvml *n, nvml_gpu gpu, struct env_gpu *g)
{
	if (nvml_name(n, gpu, g->name, sizeof(g->name), NULL) != 0)
		snprintf(g->name, sizeof(g->name), "unknown GPU");
	nvml_uuid(n, gpu, g->uuid, sizeof(g->uuid), NULL);
	nvml_vbios(n, gpu, g->vbios, sizeof(g->vbios), NULL);
	nvml_memory(n, gpu, &g->memory_bytes, NULL);
	nvml_clock_mhz(n, gpu, NVML_SM, &g->sm_clock_mhz, NULL);
	nvml_clock_max_mhz(n, gpu, NVML_SM, &g->sm_clock_max_mhz, NULL);
	nvml_clock_mhz(n, gpu, NVML_MEMORY, &g->memory_clock_mhz, NULL);
	nvml_power_limit_mw(n, gpu, &g->power_limit_mw, NULL);
	nvml_pcie(n, gpu, &g->pcie_generation, &g->pcie_width, NULL);
	nvml_persistence(n, gpu, &g->persistence, NULL);
	g->ecc_known = nvml_ecc(n, gpu, &g->ecc, NULL) == 0;
}

static void capture_links(struct nvml *n, const nvml_gpu *gpus, struct environment *env)
{
	for (int i = 0; i < env->gpu_count; i++)
		for (int j = 0; j < env->gpu_count; j++) {
			char *link = env->gpus[i].link[j];
			size_t size = sizeof(env->gpus[i].link[j]);

			if (i == j)
				snprintf(link, size, "self");
			else if (nvml_link(n, gpus[i], gpus[j], link, size, NULL) != 0)
				snprintf(link, size, "?");
		}
}

void env_capture_gpus(struct environment *env)
{
	nvml_gpu handles[ENV_GPUS];
	struct nvml *n;
	int count = 0;

	if (nvml_open(&n, NULL) != 0)
		return;
	nvml_driver(n, env->gpu_driver, sizeof(env->gpu_driver), NULL);
	nvml_cuda_version(n, &env->cuda_driver_version, NULL);
	if (nvml_count(n, &count, NULL) != 0)
		count = 0;
	for (int i = 0; i < count && env->gpu_count < ENV_GPUS; i++) {
		if (nvml_by_index(n, i, &handles[env->gpu_count], NULL) != 0)
			continue; /* listed, but not for this user */
		capture_gpu(n, handles[env->gpu_count], &env->gpus[env->gpu_count]);
		env->gpu_count++;
	}
	capture_links(n, handles, env);
	nvml_close(n);
}
