/* Taillard's 120 instances: their seeds and what is known of their optima.
 *
 * Seeds: Taillard, "Benchmarks for basic scheduling problems", EJOR 64 (1993); the matrices that
 * they give were compared with the published files, 120 of 120 are equal.
 *
 * Upper bounds: the best schedules in public lists by 2025 (ScheduleOpt, which cites zenodo
 * 17028980; none is above the list in Helbecque's code of April 2025). The list that comes with
 * Gmys' pbb is not used: for ta053, ta055, ta059, ta088, ta089 and ta100 it is below the others,
 * with no schedule shown.
 *
 * Proved, where upper is the optimum:
 *   20 jobs, ta001..ta030       certain; the searches here can prove ta021..ta030 again
 *   5 and 10 machines, ta031..ta050, ta061..ta080, ta091..ta100
 *                               closed in the literature; not proved again here
 *   ta056                       solved exactly by Mezmaz, Melab, Talbi, 25 days on 328 processors
 *   ta058                       solved exactly by Gmys 2022, 13 hours on 256 V100
 * Taken for open, although upper is probably optimal:
 *   ta082..ta084, ta090, ta103..ta108, ta110..ta120
 *                               a lower bound equal to upper is said to be in Taillard's summary
 *                               file, which was not at hand: from memory only
 *   ta051..ta055, ta057, ta059, ta060, ta081, ta085..ta089, ta101, ta102, ta109
 *                               ScheduleOpt's list marks them as solved; no proof was found
 * For all that are taken for open, `lower` is the bound in Taillard's files of 1993, which is
 * certain but weak: head + sum of times + tail of one machine (a test computes it). */
#include <stddef.h>
#include <string.h>

#include "flowshop.h"

static const struct flowshop_known known[] = {
	{ "ta001", 20, 5, 873654221, 1278, 1278, true },
	{ "ta002", 20, 5, 379008056, 1359, 1359, true },
	{ "ta003", 20, 5, 1866992158, 1081, 1081, true },
	{ "ta004", 20, 5, 216771124, 1293, 1293, true },
	{ "ta005", 20, 5, 495070989, 1235, 1235, true },
	{ "ta006", 20, 5, 402959317, 1195, 1195, true },
	{ "ta007", 20, 5, 1369363414, 1234, 1234, true },
	{ "ta008", 20, 5, 2021925980, 1206, 1206, true },
	{ "ta009", 20, 5, 573109518, 1230, 1230, true },
	{ "ta010", 20, 5, 88325120, 1108, 1108, true },
	{ "ta011", 20, 10, 587595453, 1582, 1582, true },
	{ "ta012", 20, 10, 1401007982, 1659, 1659, true },
	{ "ta013", 20, 10, 873136276, 1496, 1496, true },
	{ "ta014", 20, 10, 268827376, 1377, 1377, true },
	{ "ta015", 20, 10, 1634173168, 1419, 1419, true },
	{ "ta016", 20, 10, 691823909, 1397, 1397, true },
	{ "ta017", 20, 10, 73807235, 1484, 1484, true },
	{ "ta018", 20, 10, 1273398721, 1538, 1538, true },
	{ "ta019", 20, 10, 2065119309, 1593, 1593, true },
	{ "ta020", 20, 10, 1672900551, 1591, 1591, true },
	{ "ta021", 20, 20, 479340445, 2297, 2297, true },
	{ "ta022", 20, 20, 268827376, 2099, 2099, true },
	{ "ta023", 20, 20, 1958948863, 2326, 2326, true },
	{ "ta024", 20, 20, 918272953, 2223, 2223, true },
	{ "ta025", 20, 20, 555010963, 2291, 2291, true },
	{ "ta026", 20, 20, 2010851491, 2226, 2226, true },
	{ "ta027", 20, 20, 1519833303, 2273, 2273, true },
	{ "ta028", 20, 20, 1748670931, 2200, 2200, true },
	{ "ta029", 20, 20, 1923497586, 2237, 2237, true },
	{ "ta030", 20, 20, 1829909967, 2178, 2178, true },
	{ "ta031", 50, 5, 1328042058, 2724, 2724, true },
	{ "ta032", 50, 5, 200382020, 2834, 2834, true },
	{ "ta033", 50, 5, 496319842, 2621, 2621, true },
	{ "ta034", 50, 5, 1203030903, 2751, 2751, true },
	{ "ta035", 50, 5, 1730708564, 2863, 2863, true },
	{ "ta036", 50, 5, 450926852, 2829, 2829, true },
	{ "ta037", 50, 5, 1303135678, 2725, 2725, true },
	{ "ta038", 50, 5, 1273398721, 2683, 2683, true },
	{ "ta039", 50, 5, 587288402, 2552, 2552, true },
	{ "ta040", 50, 5, 248421594, 2782, 2782, true },
	{ "ta041", 50, 10, 1958948863, 2991, 2991, true },
	{ "ta042", 50, 10, 575633267, 2867, 2867, true },
	{ "ta043", 50, 10, 655816003, 2839, 2839, true },
	{ "ta044", 50, 10, 1977864101, 3063, 3063, true },
	{ "ta045", 50, 10, 93805469, 2976, 2976, true },
	{ "ta046", 50, 10, 1803345551, 3006, 3006, true },
	{ "ta047", 50, 10, 49612559, 3093, 3093, true },
	{ "ta048", 50, 10, 1899802599, 3037, 3037, true },
	{ "ta049", 50, 10, 2013025619, 2897, 2897, true },
	{ "ta050", 50, 10, 578962478, 3065, 3065, true },
	{ "ta051", 50, 20, 1539989115, 3480, 3846, false },
	{ "ta052", 50, 20, 691823909, 3424, 3699, false },
	{ "ta053", 50, 20, 655816003, 3351, 3640, false },
	{ "ta054", 50, 20, 1315102446, 3336, 3719, false },
	{ "ta055", 50, 20, 1949668355, 3313, 3610, false },
	{ "ta056", 50, 20, 1923497586, 3679, 3679, true },
	{ "ta057", 50, 20, 1805594913, 3427, 3704, false },
	{ "ta058", 50, 20, 1861070898, 3691, 3691, true },
	{ "ta059", 50, 20, 715643788, 3457, 3741, false },
	{ "ta060", 50, 20, 464843328, 3438, 3755, false },
	{ "ta061", 100, 5, 896678084, 5493, 5493, true },
	{ "ta062", 100, 5, 1179439976, 5268, 5268, true },
	{ "ta063", 100, 5, 1122278347, 5175, 5175, true },
	{ "ta064", 100, 5, 416756875, 5014, 5014, true },
	{ "ta065", 100, 5, 267829958, 5250, 5250, true },
	{ "ta066", 100, 5, 1835213917, 5135, 5135, true },
	{ "ta067", 100, 5, 1328833962, 5246, 5246, true },
	{ "ta068", 100, 5, 1418570761, 5094, 5094, true },
	{ "ta069", 100, 5, 161033112, 5448, 5448, true },
	{ "ta070", 100, 5, 304212574, 5322, 5322, true },
	{ "ta071", 100, 10, 1539989115, 5770, 5770, true },
	{ "ta072", 100, 10, 655816003, 5349, 5349, true },
	{ "ta073", 100, 10, 960914243, 5676, 5676, true },
	{ "ta074", 100, 10, 1915696806, 5781, 5781, true },
	{ "ta075", 100, 10, 2013025619, 5467, 5467, true },
	{ "ta076", 100, 10, 1168140026, 5303, 5303, true },
	{ "ta077", 100, 10, 1923497586, 5595, 5595, true },
	{ "ta078", 100, 10, 167698528, 5617, 5617, true },
	{ "ta079", 100, 10, 1528387973, 5871, 5871, true },
	{ "ta080", 100, 10, 993794175, 5845, 5845, true },
	{ "ta081", 100, 20, 450926852, 5851, 6134, false },
	{ "ta082", 100, 20, 1462772409, 6099, 6183, false },
	{ "ta083", 100, 20, 1021685265, 6099, 6252, false },
	{ "ta084", 100, 20, 83696007, 6072, 6254, false },
	{ "ta085", 100, 20, 508154254, 6009, 6270, false },
	{ "ta086", 100, 20, 1861070898, 6144, 6311, false },
	{ "ta087", 100, 20, 26482542, 5991, 6223, false },
	{ "ta088", 100, 20, 444956424, 6084, 6367, false },
	{ "ta089", 100, 20, 2115448041, 5979, 6246, false },
	{ "ta090", 100, 20, 118254244, 6298, 6404, false },
	{ "ta091", 200, 10, 471503978, 10862, 10862, true },
	{ "ta092", 200, 10, 1215892992, 10480, 10480, true },
	{ "ta093", 200, 10, 135346136, 10922, 10922, true },
	{ "ta094", 200, 10, 1602504050, 10889, 10889, true },
	{ "ta095", 200, 10, 160037322, 10524, 10524, true },
	{ "ta096", 200, 10, 551454346, 10329, 10329, true },
	{ "ta097", 200, 10, 519485142, 10854, 10854, true },
	{ "ta098", 200, 10, 383947510, 10730, 10730, true },
	{ "ta099", 200, 10, 1968171878, 10438, 10438, true },
	{ "ta100", 200, 10, 540872513, 10675, 10675, true },
	{ "ta101", 200, 20, 2013025619, 10979, 11158, false },
	{ "ta102", 200, 20, 475051709, 10947, 11160, false },
	{ "ta103", 200, 20, 914834335, 11150, 11281, false },
	{ "ta104", 200, 20, 810642687, 11127, 11275, false },
	{ "ta105", 200, 20, 1019331795, 11132, 11259, false },
	{ "ta106", 200, 20, 2056065863, 11085, 11176, false },
	{ "ta107", 200, 20, 1342855162, 11194, 11337, false },
	{ "ta108", 200, 20, 1325809384, 11126, 11301, false },
	{ "ta109", 200, 20, 1988803007, 10965, 11146, false },
	{ "ta110", 200, 20, 765656702, 11122, 11284, false },
	{ "ta111", 500, 20, 1368624604, 25922, 26040, false },
	{ "ta112", 500, 20, 450181436, 26353, 26500, false },
	{ "ta113", 500, 20, 1927888393, 26320, 26371, false },
	{ "ta114", 500, 20, 1759567256, 26424, 26456, false },
	{ "ta115", 500, 20, 606425239, 26181, 26334, false },
	{ "ta116", 500, 20, 19268348, 26401, 26469, false },
	{ "ta117", 500, 20, 1298201670, 26300, 26389, false },
	{ "ta118", 500, 20, 2041736264, 26429, 26560, false },
	{ "ta119", 500, 20, 379756761, 25891, 26005, false },
	{ "ta120", 500, 20, 28837162, 26315, 26457, false },
};

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

const struct flowshop_known *flowshop_known_of(const struct flowshop *f)
{
	const struct flowshop_known *k = flowshop_known(f->name);
	struct flowshop made;
	bool same;

	if (!k || flowshop_taillard(&made, k->jobs, k->machines, k->seed, NULL))
		return NULL;
	same = made.jobs == f->jobs && made.machines == f->machines &&
	       memcmp(made.time, f->time, sizeof(*f->time) * (size_t)f->jobs *
		      (size_t)f->machines) == 0;
	flowshop_free(&made);
	return same ? k : NULL;
}
