/* History by events, and readers of the views that show it. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_PROFILING_CELLS_H
#define CYCLOPS_TESTS_UNIT_CELLS_PROFILING_CELLS_H

#include "tests/unit/cells/view_cells.h"
#include "core/machine/machine.h"
#include "hwviews/why/hot.h"

enum { SEQS = 1 << 18, PLACES = 1 << 15, TEXT_AT = 0x10000, LAST = 16 };

enum by { BY_BIMODAL, BY_TWO_LEVEL, BY_RAS, BY_BTB, BY_NOBODY, BY_COUNT };

struct place {
	uint64_t pc, executed, lost, l2, memory, forwards, times, taken, wrong, resolving,
		by[BY_COUNT], now;
	char took[LAST + 1], said[LAST + 1]; /* the newest last */
};

struct happened {
	struct place at[PLACES]; /* by (pc - TEXT_AT) / 2 */
	uint8_t level[SEQS];     /* of instructions, by seq */
	struct {
		bool known, taken, said, wrong;
		uint8_t by;
		uint32_t resolving;
	} outcome[SEQS];
	uint64_t committed, waiting; /* in this cycle; lost slots that are not charged yet */
};

enum { CHARGED = 128 }; /* rows of both stacks */

void profiling_hear(void *ctx, const struct machine *m, const struct event *ev);
void step_cycle(struct session *s, struct happened *h);
/* Executed places, and those of waiting instructions, in the order of `more`; the caller's. */
struct place *ranked(const struct session *s, const struct happened *h,
                     int (*more)(const void *, const void *), size_t *n);
int hotter(const void *a, const void *b);
int more_often(const void *a, const void *b);
/* Checks slots given as cycles: "1,234.25". */
void says_slots(struct cells *c, const char *column, uint64_t slots, uint64_t width);
void says_some(struct cells *c, const char *column, uint64_t n);
void says_code(struct cells *c, const char *column, const struct session *s, uint64_t pc);
struct hot_profile charged(const struct session *s);
/* Adds the charges of an address, in the order of statistics. */
void add_charges(const struct hot_profile *p, uint64_t pc, int64_t rows[CHARGED]);
/* Name of the largest row of the cause that lost most, "" if none did, its slots, and the cause's.
 */
const char *largest_cause(const int64_t rows[CHARGED], int64_t *cause, int64_t *largest);
/* All of slots.*; a branch has the cost of its wrong predictions. */
uint64_t spent_time(const int64_t rows[CHARGED]);
/* Name of the largest loss of a place with so many slots, and the slots lost; "base" and "" mean
 * that it commits, and *lost is 0. */
const char *spent_on(const int64_t rows[CHARGED], uint64_t slots, int64_t *lost);
uint64_t charged_row(const int64_t rows[CHARGED], const char *name);
void read_stats(const struct session *s);
void read_cpi(const struct session *s);
void read_slots(const struct session *s);
void read_places(const struct session *s, bool cpi);
/* A part's stack is the sum of its addresses' stacks. */
void read_part(const struct session *s);

#endif
