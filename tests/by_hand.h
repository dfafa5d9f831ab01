/* Changes by hand, as `set` makes them: machine_change() of a register, pc, memory. */
#ifndef CYCLOPS_TESTS_BY_HAND_H
#define CYCLOPS_TESTS_BY_HAND_H

#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/os/journal.h"

static inline bool machine_set_reg(struct machine *m, unsigned reg, uint64_t value, struct err *err)
{
	return machine_change(m, &(struct change){.kind = JOURNAL_REG, .a = reg, .b = value}, err);
}

static inline bool machine_set_pc(struct machine *m, uint64_t pc, struct err *err)
{
	return machine_change(m, &(struct change){.kind = JOURNAL_PC, .a = pc}, err);
}

static inline bool machine_poke(struct machine *m, uint64_t addr, const void *buf, size_t n,
                                struct err *err)
{
	return machine_change(
		m, &(struct change){.kind = JOURNAL_MEMORY, .a = addr, .bytes = buf, .n = n}, err);
}

#endif
