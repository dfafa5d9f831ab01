#include "core/isa/csr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/inst.h"

#define FFLAGS_MASK UINT64_C(0x1f)
#define FCSR_MASK UINT64_C(0xff)
enum { FRM_SHIFT = 5, FRM_MASK = 7 };

/* MXL and a bit for each extension's letter; B is Zba, Zbb and Zbs. */
#define LETTER(c) (UINT64_C(1) << ((c) - 'A'))
#define MISA_VALUE(h)                                                                              \
	(((h)->isa == ISA_RV32GC ? UINT64_C(1) << 30 : UINT64_C(2) << 62) | LETTER('A') |          \
	 LETTER('C') | LETTER('D') | LETTER('F') | LETTER('I') | LETTER('M') | LETTER('U') |       \
	 ((h)->isa ? 0 : LETTER('B')))
#define MIP_MASK ((UINT64_C(1) << IRQ_COUNT) - 1)

/* MPP holds one of two modes: any value but M becomes U. */
static uint64_t csr_legal_mstatus(uint64_t v)
{
	uint64_t mpp = (v & MSTATUS_MPP) == MSTATUS_MPP ? MSTATUS_MPP : 0;
	return (v & (MSTATUS_MIE | MSTATUS_MPIE)) | mpp;
}

/* Counter `which`; it continues from the value written. Undoing a write works since pic_now is the
 * same as at the write. */
static uint64_t csr_pic(const struct hart *h, unsigned which)
{
	return (uint32_t)(h->pic_now[which] - h->pic_base[which]);
}

static void csr_set_pic(struct hart *h, unsigned which, uint64_t value)
{
	h->pic_base[which] = h->pic_now[which] - (uint32_t)value;
}

enum { NEEDS_U = MODE_U, NEEDS_M = MODE_M, NEEDS_X, NEEDS_32, NEEDS_64 };

static bool csr_is_accessible(const struct hart *h, unsigned needs)
{
	switch (needs) {
	case NEEDS_X: return h->xprof;
	case NEEDS_32: return h->isa == ISA_RV32GC;
	case NEEDS_64: return h->isa != ISA_RV32GC;
	default: return h->mode >= needs || h->privilege >= needs;
	}
}

/* A register's value as instructions read and write it. */
static uint64_t csr_read_width(const struct hart *h, uint64_t value)
{
	return h->isa == ISA_RV32GC ? (uint64_t)(int64_t)(int32_t)value : value;
}

static uint64_t csr_written_width(const struct hart *h, uint64_t value)
{
	return h->isa == ISA_RV32GC ? (uint32_t)value : value;
}

#define H h
#define V value
#define N (csr - first)

bool csr_read(const struct hart *h, unsigned csr, uint64_t *out)
{
	switch (csr) {
#define CSR(number, id, name, needs, read, write, help) \
	case number: \
		if (!csr_is_accessible(h, NEEDS_##needs)) \
			return false; \
		*out = csr_read_width(h, read); \
		return true;
#define REPEAT(number, id, name, needs, read, write, help) \
	case number ... (number) + HPM_COUNT - 1: { \
		const unsigned first = number; \
		(void)first; \
		if (!csr_is_accessible(h, NEEDS_##needs)) \
			return false; \
		*out = csr_read_width(h, read); \
		return true; \
	}
#include "core/isa/csrs.def"
	default:
		return false;
	}
}

#define READ_ONLY return false

bool csr_write(struct hart *h, unsigned csr, uint64_t value)
{
	value = csr_written_width(h, value);
	switch (csr) {
#define CSR(number, id, name, needs, read, write, help) \
	case number: \
		if (!csr_is_accessible(h, NEEDS_##needs)) \
			return false; \
		write; \
		return true;
#define REPEAT(number, id, name, needs, read, write, help) \
	case number ... (number) + HPM_COUNT - 1: { \
		const unsigned first = number; \
		(void)first; \
		if (!csr_is_accessible(h, NEEDS_##needs)) \
			return false; \
		write; \
		return true; \
	}
#include "core/isa/csrs.def"
	default:
		return false;
	}
}


const char *csr_lack(unsigned csr, unsigned isa, bool m_mode, bool xprof)
{
	if (csr >= CSR_CYCLEH && csr <= CSR_INSTRETH && isa != ISA_RV32GC)
		return "RV32's, and this machine is RV64";
	if (csr >= CSR_PICSELECT && csr <= CSR_PIC1 && isa == ISA_RV32GC)
		return "RV64's, and this machine is RV32";
	if (csr_is_machine(csr) && !m_mode)
		return "M-mode's, and this machine has no M-mode: start with --firmware FILE, or "
		       "a bare-metal program (--abi htif)";
	if ((csr == CSR_PFBASE || csr == CSR_PFLAGS) && !xprof)
		return "Xprof's, and this machine has none: xprof.enable = false";
	return NULL;
}

const struct csr_info csr_info[] = {
#define CSR(number, id, name, needs, read, write, help) \
	{name, help, number, 1, NEEDS_##needs == NEEDS_M, (number) >> 10 == 3},
#define REPEAT(number, id, name, needs, read, write, help) \
	{name, help, number, HPM_COUNT, NEEDS_##needs == NEEDS_M, (number) >> 10 == 3},
#include "core/isa/csrs.def"
};

const unsigned csr_info_count = sizeof csr_info / sizeof *csr_info;

const char *csr_name(unsigned csr, char *buf, size_t n)
{
	for (unsigned i = 0; i < csr_info_count; i++) {
		const struct csr_info *c = &csr_info[i];
		if (csr - c->first >= c->count)
			continue;
		if (c->count == 1)
			return c->name;
		int stem = (int)strcspn(c->name, "%");
		snprintf(buf, n, "%.*s%u", stem, c->name, csr - c->first + HPM_FIRST);
		return buf;
	}
	return NULL;
}

int csr_find(const char *name)
{
	for (unsigned i = 0; i < csr_info_count; i++) {
		const struct csr_info *c = &csr_info[i];
		size_t stem = strcspn(c->name, "%");
		char *end;
		if (c->count == 1 && !strcmp(c->name, name))
			return (int)c->first;
		if (c->count == 1 || strncmp(c->name, name, stem) != 0)
			continue;
		unsigned long which = strtoul(name + stem, &end, 10);
		if (end > name + stem && !*end && which >= HPM_FIRST &&
		    which < HPM_FIRST + c->count)
			return (int)(c->first + which - HPM_FIRST);
	}
	return -1;
}
