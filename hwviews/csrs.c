#include "hwviews/csrs.h"

#include <stdio.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/pipe/pipe.h"
#include "hwviews/tell.h"

struct hart csrs_committed(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct hart h = *p->hart;
	/* An instruction that writes such a register is alone in the window; what it found there is its result. */
	const struct uop *u = p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
	if (u && (u->op_flags & OPF_CSR) && (u->flags & UF_EXECUTED) && u->trap == TRAP_NONE)
		csr_write(&h, (unsigned)u->inst.imm, u->result);
	h.mip = prof_pending(p->prof);
	return h;
}

bool csrs_read(const struct session *s, unsigned csr, uint64_t *value)
{
	if (!machine_config(s->machine)->firmware)
		return false;
	for (unsigned i = 0; i < csr_info_count; i++) {
		if (!csr_info[i].machine || csr < csr_info[i].first || csr - csr_info[i].first >= csr_info[i].count)
			continue;
		struct hart h = csrs_committed(s);
		h.mode = MODE_M;
		return csr_read(&h, csr, value);
	}
	return false;
}

static const char *cause_name(unsigned cause)
{
	return cause == IRQ_TIMER ? "timer" : cause == IRQ_INSTRUCTIONS ? "instructions" : "device";
}

static void tell_causes(uint64_t bits, char *buf, size_t n)
{
	for (unsigned cause = 0; cause < IRQ_COUNT; cause++) {
		size_t used = strlen(buf);
		if (bits >> cause & 1)
			snprintf(buf + used, n - used, "%s%u %s", used ? ", " : "", cause, cause_name(cause));
	}
}

char *csrs_meaning(const struct session *s, unsigned csr, uint64_t value, char *buf, size_t n)
{
	*buf = '\0';
	switch (csr) {
	case CSR_MSTATUS:
		snprintf(buf, n, "interrupts in M-mode %s; before the last: mode %s, interrupts %s",
		         value & MSTATUS_MIE ? "on" : "off", value & MSTATUS_MPP ? "M" : "U", value & MSTATUS_MPIE ? "on" : "off");
		break;
	case CSR_MIE:
	case CSR_MIP:
		tell_causes(value, buf, n);
		break;
	case CSR_MCAUSE:
		if (value & MCAUSE_INTERRUPT)
			snprintf(buf, n, "interrupt %u, %s", (unsigned)(value & (IRQ_COUNT - 1)), cause_name(value & (IRQ_COUNT - 1)));
		break;
	case CSR_MTVEC:
	case CSR_MEPC:
	case CSR_MSCRATCH:
		tell_place(s, value & ~UINT64_C(1), buf, n);
		break;
	default:
		break;
	}
	return buf;
}
