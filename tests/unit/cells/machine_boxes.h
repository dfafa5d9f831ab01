/* A box of the picture of the machine: what its row must show. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_MACHINE_BOXES_H
#define CYCLOPS_TESTS_UNIT_CELLS_MACHINE_BOXES_H

#include "tests/unit/cells/view_cells.h"
#include "core/defs/config_fields.h"
#include "core/pipe/slot_rows.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"

/* A row's expected text. */
struct told {
	bool counted, device;
	uint64_t held, size, busy;
	int64_t latency; /* -1: none */
	const char *about, *stalled;
	const struct uop *oldest;
};

/* The box that each row of the slot stack charges. */
extern const char *const blamed[SLOT_COUNT + 1];
extern unsigned lost_told;
extern uint64_t lost_slots;         /* of the last cycle */
extern uint64_t wait_for_registers; /* misses, in all checked cycles */
extern uint64_t lost_to_l2;         /* slots, likewise */
void read_box(struct cells *c, const struct session *s, const char *name, const char *view,
              struct told t);
struct told queue(const struct pipe *p, uint64_t held, uint64_t size, uint64_t busy,
                  const struct uop *oldest);
CELLS_FORMAT(1) const char *text_of(const char *fmt, ...);

#endif
