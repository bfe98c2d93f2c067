#include "algorithms/helbecque-pool/node.h"

void node_root(const struct node_format *f, unsigned char *node)
{
	memset(node, 0, f->bytes);
	for (int i = 0; i < f->n; i++) {
		uint16_t id = (uint16_t)i;

		if (f->wide)
			memcpy(node + NODE_IDS + 2 * i, &id, sizeof(id));
		else
			node[NODE_IDS + i] = (unsigned char)i;
	}
}

/* ids `i` and `j` of `parent`, exchanged in its copy `child`. */
static inline void exchange(unsigned char *child, const unsigned char *parent, int i, int j,
			    bool wide)
{
	if (wide) {
		memcpy(child + NODE_IDS + 2 * i, parent + NODE_IDS + 2 * j, 2);
		memcpy(child + NODE_IDS + 2 * j, parent + NODE_IDS + 2 * i, 2);
	} else {
		child[NODE_IDS + i] = parent[NODE_IDS + j];
		child[NODE_IDS + j] = parent[NODE_IDS + i];
	}
}

/* Inlined with constant sizes: a child of up to 32 bytes is a few moves, and at tens of millions of
 * nodes a second that decides. */
static inline __attribute__((always_inline)) size_t
branch(const unsigned char *restrict parent, const uint32_t *restrict masks, size_t count,
       unsigned char *restrict out, size_t bytes, int words, bool wide)
{
	const unsigned char *begin = out;

	for (size_t p = 0; p < count; p++, parent += bytes, masks += words) {
		int depth = node_depth(parent);
		uint16_t below = (uint16_t)(depth + 1);

		for (int w = 0; w < words; w++) {
			for (uint32_t set = masks[w]; set; set &= set - 1) {
				memcpy(out, parent, bytes);
				memcpy(out, &below, sizeof(below));
				exchange(out, parent, depth, 32 * w + __builtin_ctz(set), wide);
				out += bytes;
			}
		}
	}
	return (size_t)(out - begin) / bytes;
}

size_t node_branch(const struct node_format *f, const unsigned char *parents, const uint32_t *masks,
		   size_t count, unsigned char *out)
{
	switch (f->bytes) {
	case 8:
		return branch(parents, masks, count, out, 8, 1, false);
	case 16:
		return branch(parents, masks, count, out, 16, 1, false);
	case 24:
		return branch(parents, masks, count, out, 24, 1, false);
	case 32:
		return branch(parents, masks, count, out, 32, 1, false);
	default:
		return branch(parents, masks, count, out, f->bytes, f->words, f->wide);
	}
}
