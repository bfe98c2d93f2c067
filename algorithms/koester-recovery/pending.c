/* Weak stand-ins for what is not written yet. */
#include "problem_search.h"
#include "recovery.h"
#include "solve.h"
#include "track_pool.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define WEAK __attribute__((weak))

WEAK const char *track_recovery_name(enum track_recovery r) { return NULL; }
WEAK int archive_create(struct archive **out, const struct archive_options *o, struct track_place *p, struct track_layout layout, struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK void archive_destroy(struct archive *a) { }
WEAK int archive_offer(struct archive *a, uint32_t layer, const void *states, uint32_t slots, uint32_t count, struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK int archive_settle(struct archive *a, struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK void archive_cut(struct archive *a, uint32_t layer) { }
WEAK bool archive_has(const struct archive *a, uint32_t layer) { return 0; }
WEAK bool archive_wants(const struct archive *a, uint32_t from_layer, uint32_t layer, uint32_t *half_way) { return 0; }
WEAK int archive_load(struct archive *a, uint32_t layer, const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot, struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK const void *archive_states(const struct archive *a, uint32_t layer, uint32_t *slots) { return NULL; }
WEAK void archive_learn_step(struct archive *a, double seconds, uint64_t states) { }
WEAK void archive_learn_copy(struct archive *a, enum track_tier t, double seconds, uint64_t states) { }
WEAK void archive_figures(const struct archive *a, struct archive_figures *f) { }
WEAK void track_outcome_free(struct track_outcome *o) { }
WEAK int pfsp_search(const struct flowshop *f, const struct pfsp_options *p, const struct track_request *r, struct track_outcome *o, struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK int track_list(struct err *e) { return err_set(e, ERR_UNSUPPORTED, "not written yet"); }
WEAK const struct solve_spec track_solve_spec = { 0 };
