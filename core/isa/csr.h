/* The control and status registers a user-mode program may name. */
#ifndef CYCLOPS_CORE_ISA_CSR_H
#define CYCLOPS_CORE_ISA_CSR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/regs.h"

enum {
	CSR_FFLAGS = 0x001,
	CSR_FRM = 0x002,
	CSR_FCSR = 0x003,
	CSR_CYCLE = 0xc00,
	CSR_TIME = 0xc01,
	CSR_INSTRET = 0xc02
};

/* False if there is no such register, or (write) it cannot be written; then nothing changes. */
bool csr_read(const struct hart *h, unsigned csr, uint64_t *value);
bool csr_write(struct hart *h, unsigned csr, uint64_t value);

/* "fcsr"; NULL for a number that has no name here. */
const char *csr_name(unsigned csr);

#endif
