/* Firmware's timers, a device: one counts cycles, the other committed instructions.
 *
 * Registers, at DEVICE_BASE, 64 bits each:
 *
 *   0x00  mtime      read only: guest cycles
 *   0x08  mtimecmp   interrupt 7 is pending while mtime >= mtimecmp
 *   0x10  minst      read only: guest instructions committed; firmware's own don't count
 *   0x18  minstcmp   interrupt 16 is pending while minst >= minstcmp; it is taken exactly after
 *         that instruction
 *
 * Both compare registers start at all ones: never. */
#ifndef CYCLOPS_CORE_PROF_COMMON_FIRMWARE_H
#define CYCLOPS_CORE_PROF_COMMON_FIRMWARE_H

#include <stdint.h>

#include "core/base/state_ranges.h"

enum firmware_register { FW_MTIME = 0x00, FW_MTIMECMP = 0x08, FW_MINST = 0x10, FW_MINSTCMP = 0x18 };

struct firmware_state {
#define STATE STATE_FIELD
#include "core/prof/common/firmware_state.def"
#undef STATE
};

struct firmware {
	struct firmware_state *st; /* in the arena */
};

#endif
