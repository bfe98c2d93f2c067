/* Algorithm 1 for N-Queens, depth first. A node is the permutation of the published code; the
 * clashes on diagonals, which that code looks up row by row, are kept as bits along the path. */
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/interrupt.h"
#include "algorithms/helbecque-pool/serial_parts.h"

enum { NODES_BETWEEN_CHECKS = 1 << 16 };

struct queens {
	struct search_outcome *o;
	struct interrupt interrupt;
	int n, until_check;
	bool stopped;
	uint64_t left; /* nodes entered, not done when it was stopped */
	uint8_t board[QUEENS_MAX];
};

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t t = *a;

	*a = *b;
	*b = t;
}

static void decompose(struct queens *q, int depth, struct queens_masks masks)
{
	uint32_t attacked = masks.up | masks.down;

	if (--q->until_check == 0) {
		q->until_check = NODES_BETWEEN_CHECKS;
		q->stopped |= interrupt_due(&q->interrupt);
	}
	for (int j = depth; j < q->n && !q->stopped; j++) {
		uint32_t bit = UINT32_C(1) << q->board[j];

		if (attacked & bit)
			continue;
		q->o->explored++;
		if (depth + 1 == q->n) {
			q->o->solutions++;
			continue;
		}
		swap(&q->board[j], &q->board[depth]);
		decompose(q, depth + 1, queens_put(masks, bit));
		swap(&q->board[j], &q->board[depth]);
	}
	q->o->decomposed += !q->stopped;
	q->left += q->stopped;
}

/* Nodes entered are nodes left, complete boards alone are not entered. */
int serial_queens(const struct search_request *r, struct search_outcome *o, struct balance *b,
		  struct err *e)
{
	struct queens q = { .o = o,
			    .interrupt = interrupt_from(r),
			    .n = r->queens,
			    .until_check = NODES_BETWEEN_CHECKS };

	if (r->queens < 1 || r->queens > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: 1 to %d are taken", r->queens,
			       QUEENS_MAX);
	for (int i = 0; i < q.n; i++)
		q.board[i] = (uint8_t)i;
	q.stopped = interrupt_due(&q.interrupt);
	if (!q.stopped)
		decompose(&q, 0, (struct queens_masks){ 0, 0, 0 });
	else
		q.left = 1;
	*b = (struct balance){ .initial = 1,
			       .pushed = o->explored - o->solutions,
			       .popped = o->decomposed,
			       .left = q.left };
	o->complete = !q.stopped;
	return q.stopped ? interrupt_status(&q.interrupt, e) : 0;
}
