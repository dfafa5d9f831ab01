/* Both stacks by instruction: each slot of each cycle of a region belongs to one address.
 *
 * Gathered with the profile of hwviews/why/hot.h, when the region is executed again, from the
 * machine's counters in each cycle: so the sum of a row over all addresses is exactly that row of
 * the region's statistics.
 *
 * - Slot stack: a slot belongs to the instruction that took it, if that retired or is in flight at
 *   the end; slots of instructions in flight at the beginning are subtracted. Slots of squashed
 *   instructions belong to the mispredicted branch or the replayed load, and so do those that fetch
 *   left empty until then. Empty ones: core/pipe/slot_owner.h.
 * - CPI stack: a slot belongs to the instruction that committed in it; an empty one to the next to
 *   commit (with out-of-order completion, to issue), and under bad speculation, again, to the
 *   branch or load that squashed. */
#ifndef CYCLOPS_HWVIEWS_WHY_CHARGES_H
#define CYCLOPS_HWVIEWS_WHY_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/pipe/slot_rows.h"

/* Rows, in the order of slots.* and cpi.* in core/defs/stats.def. */
enum {
	CHARGE_RETIRED,
	CHARGE_IN_FLIGHT,
	CHARGE_SLOT,                               /* + enum slot_row */
	/* + index among the statistics cpi.*; the first is cpi.base */
	CHARGE_CPI = CHARGE_SLOT + SLOT_COUNT,
	CHARGE_CPI_MOST = 24,
	CHARGE_ROWS = CHARGE_CPI + CHARGE_CPI_MOST
};

struct charge {
	uint64_t pc;
	uint32_t row;
	/* dispatch slots or commit slots; negative only in CHARGE_IN_FLIGHT, or in cpi.base with
	 * out-of-order completion */
	int64_t slots;
};

/* The statistic of a row, NULL if there is none. */
const struct stat_row *charge_stat(unsigned row);

struct charges;
/* NULL if memory is short. */
struct charges *charges_new(void);
void charges_free(struct charges *c);
/* The events that charges_on_event() needs. */
uint64_t charges_mask(void);
void charges_on_event(struct charges *c, const struct machine *m, const struct event *ev);
/* Call before the first cycle and after each. Pass anew=true before the first cycle of a later
 * region that is added. */
void charges_cycle(struct charges *c, const struct machine *m, bool anew);
/* The counters of the slot stack's rows, in order. */
const uint64_t *charges_slot_counters(const struct stats *s);
/* A copy of all charges until now, owned by the caller, [*count]; NULL if memory is or was short.
 * charges_restore() replaces c's charges by such a copy; the next cycle then belongs to a later
 * region. */
struct charge *charges_save(const struct charges *c, size_t *count);
bool charges_restore(struct charges *c, const struct charge *saved, size_t count);
/* Charges the instructions in flight at the end, in m's present state; call before
 * charges_sort(). */
void charges_end(struct charges *c, const struct machine *m);
/* Charges by address and row, without zeros; owned by c, valid until more is added. NULL if memory
 * is or was short. */
const struct charge *charges_sort(struct charges *c, size_t *count);

#endif
