#include "core/isa/csr.h"

#include <stddef.h>

enum { FFLAGS_MASK = 0x1f, FRM_SHIFT = 5, FRM_MASK = 7, FCSR_MASK = 0xff };

bool csr_read(const struct hart *h, unsigned csr, uint64_t *value)
{
	switch (csr) {
	case CSR_FFLAGS:
		*value = h->fcsr & FFLAGS_MASK;
		return true;
	case CSR_FRM:
		*value = h->fcsr >> FRM_SHIFT & FRM_MASK;
		return true;
	case CSR_FCSR:
		*value = h->fcsr & FCSR_MASK;
		return true;
	case CSR_CYCLE:
		*value = h->cycle;
		return true;
	case CSR_TIME:
		*value = h->time;
		return true;
	case CSR_INSTRET:
		*value = h->instret;
		return true;
	default:
		return false;
	}
}

bool csr_write(struct hart *h, unsigned csr, uint64_t value)
{
	switch (csr) {
	case CSR_FFLAGS:
		h->fcsr = (h->fcsr & ~(uint64_t)FFLAGS_MASK) | (value & FFLAGS_MASK);
		return true;
	case CSR_FRM:
		h->fcsr = (h->fcsr & FFLAGS_MASK) | (value & FRM_MASK) << FRM_SHIFT;
		return true;
	case CSR_FCSR:
		h->fcsr = value & FCSR_MASK;
		return true;
	default:
		return false;
	}
}

const char *csr_name(unsigned csr)
{
	switch (csr) {
	case CSR_FFLAGS:
		return "fflags";
	case CSR_FRM:
		return "frm";
	case CSR_FCSR:
		return "fcsr";
	case CSR_CYCLE:
		return "cycle";
	case CSR_TIME:
		return "time";
	case CSR_INSTRET:
		return "instret";
	default:
		return NULL;
	}
}
