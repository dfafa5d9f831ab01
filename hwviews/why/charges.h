/* Both stacks by instruction: each slot of each cycle of a region belongs to one address.
 *
 * Gathered with the profile of hwviews/why/hot.h, when the region is executed again, from what the
 * machine counted in each cycle: so what all addresses have of a row is that row of the region's
 * statistics, exactly.
 *
 * - Slot stack: a slot that an instruction took is its own if it retired or is in flight at the
 *   end; those that were in flight at the beginning are taken off. Slots of what was squashed are
 *   the mispredicted branch's, or the replayed load's, and so are those that fetch left empty until
 *   then. Empty ones: core/pipe/slot_owner.h.
 * - CPI stack: a slot that committed something is that instruction's; an empty one is what commits
 *   next's (completing out of order, issues next's), and under bad speculation, again, the branch's
 *   or load's that squashed. */
#ifndef CYCLOPS_HWVIEWS_WHY_CHARGES_H
#define CYCLOPS_HWVIEWS_WHY_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/pipe/pipe.h"

/* Rows, in the order of slots.* and cpi.* in core/defs/stats.def. */
enum {
	CHARGE_RETIRED,
	CHARGE_IN_FLIGHT,
	CHARGE_SLOT,                               /* + enum slot_row */
	/* + place among the statistics cpi.*; the first is cpi.base */
	CHARGE_CPI = CHARGE_SLOT + SLOT_COUNT,
	CHARGE_CPI_MOST = 24,
	CHARGE_ROWS = CHARGE_CPI + CHARGE_CPI_MOST
};

struct charge {
	uint64_t pc;
	uint32_t row;
	/* dispatch slots or commit slots; negative only where CHARGE_IN_FLIGHT is, or cpi.base
	 * completing out of order */
	int64_t slots;
};

/* Statistics of a row, NULL if there is none. */
const struct stat_row *charge_stat(unsigned row);

struct charges;
/* NULL if memory is short. */
struct charges *charges_new(void);
void charges_free(struct charges *c);
/* What charges_on_event() asks for. */
uint64_t charges_mask(void);
void charges_on_event(struct charges *c, const struct machine *m, const struct event *ev);
/* Once before the first cycle, then behind each. Again before the first of those that are added
 * later: `anew`. */
void charges_cycle(struct charges *c, const struct machine *m, bool anew);
/* What is in flight at the end, as it is in m; before charges_sort(). */
void charges_end(struct charges *c, const struct machine *m);
/* By address and row, without those that are 0; owned by c, until more is added. NULL if memory was
 * or is short. */
const struct charge *charges_sort(struct charges *c, size_t *count);

#endif
