/* The two ways to learn decision graphs on the host: private to hboa_learn*.c. */
#ifndef COPRA_GBOA_HBOA_LEARN_H
#define COPRA_GBOA_HBOA_LEARN_H

#include "algorithms/gboa/hboa_grow.h"
#include "algorithms/gboa/limit.h"

struct hboa_plain;
int hboa_plain_create(struct hboa_plain **out, int32_t n, int32_t count,
		      const struct hboa_rules *rules, struct err *e);
void hboa_plain_destroy(struct hboa_plain *p);
void hboa_plain_limit(struct hboa_plain *p, const struct boa_limit *limit);
void hboa_plain_learn(struct hboa_plain *p, const struct boa_data *d, struct hboa_model *m);

struct hboa_packed;
int hboa_packed_create(struct hboa_packed **out, int32_t n, int32_t count,
		       const struct hboa_rules *rules, struct team *w, struct err *e);
void hboa_packed_destroy(struct hboa_packed *p);
void hboa_packed_limit(struct hboa_packed *p, const struct boa_limit *limit);
void hboa_packed_learn(struct hboa_packed *p, const struct boa_data *d, struct hboa_model *m);

#endif
