/* What the writer and the reader of checkpoints agree on. The file is text, a field a line in this
 * order, then a line a unit of work, then the hash of all lines before:
 *
 *   copra-checkpoint 1
 *   problem flowshop
 *   instance ta056
 *   hash 0123456789abcdef
 *   items 50
 *   rule lb1-minbranch
 *   first-ub 3680
 *   best 3679
 *   order 14 37 ...             or: order none
 *   solutions, explored, decomposed, leaves, evaluated: a number each
 *   seconds 12.25
 *   intervals 2                 or: nodes 2
 *   (first) (last)              or: prefix, suffix, open children, place, jobs (checkpoint.h)
 *   end fedcba9876543210 */
#ifndef COPRA_TREE_SEARCH_CHECKPOINT_TEXT_H
#define COPRA_TREE_SEARCH_CHECKPOINT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_TITLE "copra-checkpoint 1"
/* Of a line: 2000 digits of at most 3 figures and a blank each, with room. */
enum { CHECKPOINT_LINE = 16384 };

/* FNV-1a over the line and its end. */
#define CHECKPOINT_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t checkpoint_hash_line(uint64_t hash, const char *line, size_t length)
{
	for (size_t i = 0; i <= length; i++) {
		hash ^= i < length ? (unsigned char)line[i] : '\n';
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}

#endif
