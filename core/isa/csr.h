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

/* False if there is no such register in the hart's mode, or (write) it cannot be written; then
 * nothing changes. */
bool csr_read(const struct hart *h, unsigned csr, uint64_t *value);
bool csr_write(struct hart *h, unsigned csr, uint64_t value);

/* Whether this register's value depends on more than the hart: whoever executes fills it in before.
 */
static inline bool csr_is_pic(unsigned csr)
{
	return csr >= CSR_PIC && csr <= CSR_PIC1;
}

static inline bool csr_is_counter(unsigned csr)
{
	return (csr >= CSR_HPMCOUNTER3 && csr <= CSR_HPMCOUNTER3_LAST) || csr_is_pic(csr);
}

/* Bits 9:8 of a number say the mode (privileged architecture, 2.1). */
static inline bool csr_is_machine(unsigned csr)
{
	return (csr >> 8 & 3) == MODE_M;
}

/* Why a machine with M-mode or without, with Xprof or without, has no such register: "pflags is
 * ..."; NULL: it has. */
const char *csr_lack(unsigned csr, bool firmware, bool xprof);

/* "fcsr"; NULL for a number that has no name here. Returns buf, or NULL. */
const char *csr_name(unsigned csr, char *buf, size_t n);
/* Number of a name, or -1. */
int csr_find(const char *name);

struct csr_info {
	const char *name; /* of a row that stands for several: with %u */
	const char *help;
	unsigned first, count;
	bool machine;     /* M-mode only */
	bool read_only;
};

extern const struct csr_info csr_info[];
extern const unsigned csr_info_count;

#endif
