/* The control and status registers (csrs.def), as instructions see them. */
#ifndef CYCLOPS_CORE_ISA_CSR_H
#define CYCLOPS_CORE_ISA_CSR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/isa/regs.h"

enum {
#define CSR(number, id, ...) CSR_##id = number,
#define REPEAT(number, id, ...) CSR_##id = number, CSR_##id##_LAST = (number) + HPM_COUNT - 1,
#include "core/isa/csrs.def"
};

enum mcause_interrupt {
	IRQ_TIMER = 7,
	IRQ_INSTRUCTIONS = 16,
	IRQ_SAMPLER = 17,
	IRQ_COP = 18,
	IRQ_COUNT = 32
};

#define MCAUSE_INTERRUPT (UINT64_C(1) << 63)
#define MSTATUS_MIE (UINT64_C(1) << 3)
#define MSTATUS_MPIE (UINT64_C(1) << 7)
#define MSTATUS_MPP (UINT64_C(3) << 11)

/* False if the hart's mode has no such register, or (write) it is read-only; then nothing
 * changes. */
bool csr_read(const struct hart *h, unsigned csr, uint64_t *value);
bool csr_write(struct hart *h, unsigned csr, uint64_t value);

/* Counters depend on more than the hart: the caller that executes an instruction first fills in
 * pic_now, or hpm_value.
 */
static inline bool csr_is_pic(unsigned csr)
{
	return csr >= CSR_PIC && csr <= CSR_PIC1;
}

static inline bool csr_is_counter(unsigned csr)
{
	return (csr >= CSR_HPMCOUNTER3 && csr <= CSR_HPMCOUNTER3_LAST) || csr_is_pic(csr);
}

/* Bits 9:8 of a number are the mode (privileged architecture, 2.1). */
static inline bool csr_is_machine(unsigned csr)
{
	return (csr >> 8 & 3) == MODE_M;
}

/* Why a machine of this `isa`, with or without M-mode and Xprof, lacks this register, to follow
 * "pflags is "; NULL: it has it. */
const char *csr_lack(unsigned csr, unsigned isa, bool m_mode, bool xprof);

/* Name of a register ("fcsr"), static or in buf; NULL if the number is unknown. */
const char *csr_name(unsigned csr, char *buf, size_t n);
/* Number of a name, or -1. */
int csr_find(const char *name);

struct csr_info {
	const char *name; /* with %u in a row of several registers */
	const char *help;
	unsigned first, count;
	bool machine;     /* M-mode only */
	bool read_only;
};

extern const struct csr_info csr_info[];
extern const unsigned csr_info_count;

#endif
