/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Taillard's 120 instances: their seeds and what is known about their optima.
 *
 * Seeds: Taillard, "Benchmarks for basic scheduling problems", EJOR 64 (1993). The matrices that
 * they generate were compared with the published files: all 120 are equal.
 *
 * Upper bounds: the values that Timefold's FlowShopDataset took from zenodo record 17028980 (2025).
 * None is above the list in Helbecque's code of April 2025. The list that comes with Gmys' pbb is
 * not used: for ta053, ta055, ta059, ta088, ta089 and ta100 it has lower values than the others,
 * without a schedule.
 *
 * Basis. A value is called proved only if the search or the paper that proves it can be named:
 *   PROOFS   proved by copra: results/proofs/taillard.csv has the command, the revision and the
 *            number of nodes
 *   SOLVING  proved by copra, without a given bound: rows helbecque-pool/solving of the recorded
 *            results
 *   TA056    proved by copra: row gmys-ivm/ta056 of the recorded results is the search from 3679,
 *            and docs/targets/koester-recovery.md describes how the schedule was found. First
 *            solved by Mezmaz, Melab, Talbi (IPDPS 2007), in 25 days on 328 processors on average
 *   GMYS     ta058, Gmys 2022: 13 hours on 256 V100s, 339e12 nodes
 *   OPTIMA   in the list of 108 optima of P3D-DFS (tests/instances_pfsp.sh), which was taken from
 *            Gmys' data set zenodo 4542886 (2021). It cites no proof of the individual value. Some
 *            must be among the 11 instances solved by Gmys 2022, a paper that we could not obtain
 *   OPEN     the other twelve: an upper bound, although probably optimal
 *   TA081    open. Timefold's 6134 cannot be attained: results/proofs/bounds.csv proves that no
 *            schedule is shorter than 6135. The upper bound is the next one, in Helbecque's code.
 *            `lower` is the largest bound whose nodes were counted on one and on two devices
 * For OPTIMA and OPEN, `lower` is the bound in Taillard's files of 1993, which is certain but weak:
 * head + sum of times + tail of one machine (a test computes it). */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "datasets/flowshop/flowshop.h"

#define PROOFS FLOWSHOP_PROVED_HERE, "results/proofs/taillard.csv", 0, NULL
#define SOLVING FLOWSHOP_PROVED_HERE, "results/recorded/h200-x4, helbecque-pool/solving", 0, NULL
#define TA056 FLOWSHOP_PROVED_HERE, "results/recorded/h200-x2, gmys-ivm/ta056", 0, NULL
#define GMYS FLOWSHOP_PROVED_CITED, "Gmys, INFORMS Journal on Computing 34 (2022)", 0, NULL
#define OPTIMA FLOWSHOP_LIST, "P3D-DFS (zenodo 4542886)", 0, NULL
#define OPEN FLOWSHOP_OPEN, "Timefold (zenodo 17028980)", 0, NULL
#define TA081 FLOWSHOP_OPEN, "Helbecque's code (April 2025)", 6134, "Timefold (zenodo 17028980)"

static const struct flowshop_known known[] = {
	{ "ta001", 20, 5, 873654221, 1278, 1278, PROOFS },
	{ "ta002", 20, 5, 379008056, 1359, 1359, PROOFS },
	{ "ta003", 20, 5, 1866992158, 1081, 1081, PROOFS },
	{ "ta004", 20, 5, 216771124, 1293, 1293, PROOFS },
	{ "ta005", 20, 5, 495070989, 1235, 1235, PROOFS },
	{ "ta006", 20, 5, 402959317, 1195, 1195, PROOFS },
	{ "ta007", 20, 5, 1369363414, 1234, 1234, PROOFS },
	{ "ta008", 20, 5, 2021925980, 1206, 1206, PROOFS },
	{ "ta009", 20, 5, 573109518, 1230, 1230, PROOFS },
	{ "ta010", 20, 5, 88325120, 1108, 1108, PROOFS },
	{ "ta011", 20, 10, 587595453, 1582, 1582, PROOFS },
	{ "ta012", 20, 10, 1401007982, 1659, 1659, PROOFS },
	{ "ta013", 20, 10, 873136276, 1496, 1496, PROOFS },
	{ "ta014", 20, 10, 268827376, 1377, 1377, PROOFS },
	{ "ta015", 20, 10, 1634173168, 1419, 1419, PROOFS },
	{ "ta016", 20, 10, 691823909, 1397, 1397, PROOFS },
	{ "ta017", 20, 10, 73807235, 1484, 1484, PROOFS },
	{ "ta018", 20, 10, 1273398721, 1538, 1538, PROOFS },
	{ "ta019", 20, 10, 2065119309, 1593, 1593, PROOFS },
	{ "ta020", 20, 10, 1672900551, 1591, 1591, PROOFS },
	{ "ta021", 20, 20, 479340445, 2297, 2297, SOLVING },
	{ "ta022", 20, 20, 268827376, 2099, 2099, SOLVING },
	{ "ta023", 20, 20, 1958948863, 2326, 2326, SOLVING },
	{ "ta024", 20, 20, 918272953, 2223, 2223, SOLVING },
	{ "ta025", 20, 20, 555010963, 2291, 2291, SOLVING },
	{ "ta026", 20, 20, 2010851491, 2226, 2226, SOLVING },
	{ "ta027", 20, 20, 1519833303, 2273, 2273, SOLVING },
	{ "ta028", 20, 20, 1748670931, 2200, 2200, SOLVING },
	{ "ta029", 20, 20, 1923497586, 2237, 2237, SOLVING },
	{ "ta030", 20, 20, 1829909967, 2178, 2178, SOLVING },
	{ "ta031", 50, 5, 1328042058, 2724, 2724, PROOFS },
	{ "ta032", 50, 5, 200382020, 2834, 2834, PROOFS },
	{ "ta033", 50, 5, 496319842, 2621, 2621, PROOFS },
	{ "ta034", 50, 5, 1203030903, 2751, 2751, PROOFS },
	{ "ta035", 50, 5, 1730708564, 2863, 2863, PROOFS },
	{ "ta036", 50, 5, 450926852, 2829, 2829, PROOFS },
	{ "ta037", 50, 5, 1303135678, 2725, 2725, PROOFS },
	{ "ta038", 50, 5, 1273398721, 2683, 2683, PROOFS },
	{ "ta039", 50, 5, 587288402, 2552, 2552, PROOFS },
	{ "ta040", 50, 5, 248421594, 2782, 2782, PROOFS },
	{ "ta041", 50, 10, 1958948863, 2991, 2991, SOLVING },
	{ "ta042", 50, 10, 575633267, 2867, 2867, SOLVING },
	{ "ta043", 50, 10, 655816003, 2839, 2839, SOLVING },
	{ "ta044", 50, 10, 1977864101, 3063, 3063, SOLVING },
	{ "ta045", 50, 10, 93805469, 2976, 2976, SOLVING },
	{ "ta046", 50, 10, 1803345551, 3006, 3006, SOLVING },
	{ "ta047", 50, 10, 49612559, 3093, 3093, SOLVING },
	{ "ta048", 50, 10, 1899802599, 3037, 3037, SOLVING },
	{ "ta049", 50, 10, 2013025619, 2897, 2897, SOLVING },
	{ "ta050", 50, 10, 578962478, 3065, 3065, SOLVING },
	{ "ta051", 50, 20, 1539989115, 3480, 3846, OPEN },
	{ "ta052", 50, 20, 691823909, 3424, 3699, OPTIMA },
	{ "ta053", 50, 20, 655816003, 3351, 3640, OPTIMA },
	{ "ta054", 50, 20, 1315102446, 3336, 3719, OPEN },
	{ "ta055", 50, 20, 1949668355, 3313, 3610, OPEN },
	{ "ta056", 50, 20, 1923497586, 3679, 3679, TA056 },
	{ "ta057", 50, 20, 1805594913, 3427, 3704, OPTIMA },
	{ "ta058", 50, 20, 1861070898, 3691, 3691, GMYS },
	{ "ta059", 50, 20, 715643788, 3457, 3741, OPEN },
	{ "ta060", 50, 20, 464843328, 3438, 3755, OPEN },
	{ "ta061", 100, 5, 896678084, 5493, 5493, PROOFS },
	{ "ta062", 100, 5, 1179439976, 5268, 5268, PROOFS },
	{ "ta063", 100, 5, 1122278347, 5175, 5175, PROOFS },
	{ "ta064", 100, 5, 416756875, 5014, 5014, PROOFS },
	{ "ta065", 100, 5, 267829958, 5250, 5250, PROOFS },
	{ "ta066", 100, 5, 1835213917, 5135, 5135, PROOFS },
	{ "ta067", 100, 5, 1328833962, 5246, 5246, PROOFS },
	{ "ta068", 100, 5, 1418570761, 5094, 5094, PROOFS },
	{ "ta069", 100, 5, 161033112, 5448, 5448, PROOFS },
	{ "ta070", 100, 5, 304212574, 5322, 5322, PROOFS },
	{ "ta071", 100, 10, 1539989115, 5770, 5770, SOLVING },
	{ "ta072", 100, 10, 655816003, 5349, 5349, SOLVING },
	{ "ta073", 100, 10, 960914243, 5676, 5676, SOLVING },
	{ "ta074", 100, 10, 1915696806, 5781, 5781, SOLVING },
	{ "ta075", 100, 10, 2013025619, 5467, 5467, SOLVING },
	{ "ta076", 100, 10, 1168140026, 5303, 5303, SOLVING },
	{ "ta077", 100, 10, 1923497586, 5595, 5595, SOLVING },
	{ "ta078", 100, 10, 167698528, 5617, 5617, SOLVING },
	{ "ta079", 100, 10, 1528387973, 5871, 5871, SOLVING },
	{ "ta080", 100, 10, 993794175, 5845, 5845, SOLVING },
	{ "ta081", 100, 20, 450926852, 6134, 6173, TA081 },
	{ "ta082", 100, 20, 1462772409, 6099, 6183, OPTIMA },
	{ "ta083", 100, 20, 1021685265, 6099, 6252, OPTIMA },
	{ "ta084", 100, 20, 83696007, 6072, 6254, OPTIMA },
	{ "ta085", 100, 20, 508154254, 6009, 6270, OPEN },
	{ "ta086", 100, 20, 1861070898, 6144, 6311, OPEN },
	{ "ta087", 100, 20, 26482542, 5991, 6223, OPEN },
	{ "ta088", 100, 20, 444956424, 6084, 6367, OPEN },
	{ "ta089", 100, 20, 2115448041, 5979, 6246, OPEN },
	{ "ta090", 100, 20, 118254244, 6298, 6404, OPTIMA },
	{ "ta091", 200, 10, 471503978, 10862, 10862, PROOFS },
	{ "ta092", 200, 10, 1215892992, 10480, 10480, PROOFS },
	{ "ta093", 200, 10, 135346136, 10922, 10922, PROOFS },
	{ "ta094", 200, 10, 1602504050, 10889, 10889, PROOFS },
	{ "ta095", 200, 10, 160037322, 10524, 10524, PROOFS },
	{ "ta096", 200, 10, 551454346, 10329, 10329, PROOFS },
	{ "ta097", 200, 10, 519485142, 10854, 10854, PROOFS },
	{ "ta098", 200, 10, 383947510, 10730, 10730, PROOFS },
	{ "ta099", 200, 10, 1968171878, 10438, 10438, PROOFS },
	{ "ta100", 200, 10, 540872513, 10675, 10675, PROOFS },
	{ "ta101", 200, 20, 2013025619, 10979, 11158, OPTIMA },
	{ "ta102", 200, 20, 475051709, 10947, 11160, OPEN },
	{ "ta103", 200, 20, 914834335, 11150, 11281, OPTIMA },
	{ "ta104", 200, 20, 810642687, 11127, 11275, OPTIMA },
	{ "ta105", 200, 20, 1019331795, 11132, 11259, OPTIMA },
	{ "ta106", 200, 20, 2056065863, 11085, 11176, OPTIMA },
	{ "ta107", 200, 20, 1342855162, 11194, 11337, OPTIMA },
	{ "ta108", 200, 20, 1325809384, 11126, 11301, OPTIMA },
	{ "ta109", 200, 20, 1988803007, 10965, 11146, OPTIMA },
	{ "ta110", 200, 20, 765656702, 11122, 11284, OPTIMA },
	{ "ta111", 500, 20, 1368624604, 25922, 26040, OPTIMA },
	{ "ta112", 500, 20, 450181436, 26353, 26500, OPTIMA },
	{ "ta113", 500, 20, 1927888393, 26320, 26371, OPTIMA },
	{ "ta114", 500, 20, 1759567256, 26424, 26456, OPTIMA },
	{ "ta115", 500, 20, 606425239, 26334, 26334, PROOFS },
	{ "ta116", 500, 20, 19268348, 26401, 26469, OPTIMA },
	{ "ta117", 500, 20, 1298201670, 26300, 26389, OPTIMA },
	{ "ta118", 500, 20, 2041736264, 26560, 26560, PROOFS },
	{ "ta119", 500, 20, 379756761, 25891, 26005, OPTIMA },
	{ "ta120", 500, 20, 28837162, 26315, 26457, OPTIMA },
};

const char *flowshop_basis_name(enum flowshop_basis basis)
{
	static const char *const names[] = {
		[FLOWSHOP_PROVED_HERE] = "proved by copra",
		[FLOWSHOP_PROVED_CITED] = "proved in a paper",
		[FLOWSHOP_LIST] = "optimal according to a list",
		[FLOWSHOP_OPEN] = "upper bound of a list",
	};

	return names[basis];
}

bool flowshop_is_proved(const struct flowshop_known *k)
{
	return k->basis == FLOWSHOP_PROVED_HERE || k->basis == FLOWSHOP_PROVED_CITED;
}

/* The role of the value in its list. */
static const char *role_of(const struct flowshop_known *k)
{
	return k->basis == FLOWSHOP_LIST ? "as the optimum of" : "as an upper bound for";
}

/* Compares a result with a proved value. */
static enum flowshop_match compare_proved(const struct flowshop_known *k, int64_t makespan,
					  int64_t bound, char *why, size_t size)
{
	if (makespan >= k->lower && bound <= k->upper)
		return FLOWSHOP_AGREES;
	if (makespan < k->lower)
		snprintf(why, size,
			 "%s: this run holds a schedule of %" PRId64 ", but the optimum is %" PRId32
			 " (%s: %s)",
			 k->name, makespan, k->upper, flowshop_basis_name(k->basis), k->source);
	else
		snprintf(why, size,
			 "%s: this run proves that no schedule is shorter than %" PRId64
			 ", but the optimum is %" PRId32 " (%s: %s)",
			 k->name, bound, k->upper, flowshop_basis_name(k->basis), k->source);
	return FLOWSHOP_CONTRADICTS_PROOF;
}

/* A list has `value`, but the run proved the higher `bound`. */
static enum flowshop_match list_too_low(const struct flowshop_known *k, const char *list,
					int32_t value, int64_t bound, char *why, size_t size)
{
	snprintf(why, size,
		 "the list %s gives %" PRId32 " %s %s; this run proves that no schedule "
		 "is shorter than %" PRId64,
		 list, value, role_of(k), k->name, bound);
	return FLOWSHOP_DIFFERS_FROM_LIST;
}

enum flowshop_match flowshop_compare(const struct flowshop_known *k, int64_t makespan,
				     int64_t bound, char *why, size_t size)
{
	why[0] = '\0';
	if (flowshop_is_proved(k))
		return compare_proved(k, makespan, bound, why, size);
	if (makespan < k->lower) {
		snprintf(why, size,
			 "%s: this run holds a schedule of %" PRId64 ", but %" PRId32
			 " is proved to be a lower bound",
			 k->name, makespan, k->lower);
		return FLOWSHOP_CONTRADICTS_PROOF;
	}
	if (bound > k->upper)
		return list_too_low(k, k->source, k->upper, bound, why, size);
	if (k->refuted && bound > k->refuted)
		return list_too_low(k, k->refuted_source, k->refuted, bound, why, size);
	if (makespan < k->upper) {
		snprintf(why, size,
			 "the list %s gives %" PRId32 " %s %s; this run holds a "
			 "schedule of %" PRId64,
			 k->source, k->upper, role_of(k), k->name, makespan);
		return FLOWSHOP_DIFFERS_FROM_LIST;
	}
	return FLOWSHOP_AGREES;
}

const struct flowshop_known *flowshop_known_all(int *count)
{
	*count = (int)(sizeof(known) / sizeof(known[0]));
	return known;
}

const struct flowshop_known *flowshop_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}
