#include "hwviews/program/csrs.h"

#include <stdio.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"
#include "hwviews/session/view_text.h"
#include "loader/instrument/instrument.h"

struct hart csrs_committed(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct hart h = *p->hart;
	/* An instruction that writes such a register is alone in the window; its result is the old
	 * value. */
	const struct uop *u = p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
	if (u && (u->op_flags & OPF_CSR) && (u->flags & UF_EXECUTED) && u->trap == TRAP_NONE)
		csr_write(&h, (unsigned)u->inst.imm, u->result);
	h.mip = prof_pending(p->prof);
	h.fcsr = machine_seen_fcsr(s->machine);
	h.pflags = xprof_committed_flags(p);
	return h;
}

const char *csrs_lack(const struct session *s, unsigned csr)
{
	const struct config *cfg = machine_config(s->machine);
	return csr_lack(csr, (unsigned)CONFIG(cfg, isa),
	                CONFIG(cfg, firmware) || program_abi(s->program) == OS_HTIF,
	                CONFIG(cfg, xprof));
}

bool csrs_read(const struct session *s, unsigned csr, uint64_t *value)
{
	const struct machine *m = s->machine;
	const struct stats *st = machine_stats(m);
	if (csrs_lack(s, csr))
		return false;
	struct hart h = csrs_committed(s);
	h.mode = MODE_M;
	h.cycle = stats_guest_cycle(st, machine_cycle(m));
	h.time = h.cycle / config_time_div(machine_config(m));
	h.instret = STAT(st, functional_insts) + STAT(st, insts);
	if (csr_is_counter(csr))
		stat_fill_counter(st, &h, csr, &(struct stat_memo){0});
	return csr_read(&h, csr, value);
}

bool csrs_may_set(const struct session *s, unsigned csr, uint64_t value, struct err *err)
{
	struct counters c;
	if (csr != CSR_PFLAGS && csr != CSR_PFBASE)
		return true;
	const uint64_t changed = csr == CSR_PFLAGS ? csrs_committed(s).pflags ^ value
	                         : value == csrs_committed(s).pfbase ? 0 : UINT64_MAX;
	for (unsigned i = 0; program_counters(s->program, i, &c); i++)
		if (c.whole && (changed >> c.type & 1))
			return err_set(
				err,
				"%s: flag %d would change in the middle of what %s counts, "
				"which would then write to a random address; switch it where "
				"the program does "
				"(`view pflag`, x:on() of cyclops.xprof), or instrument "
				"with --steady",
				csr == CSR_PFLAGS ? "pflags" : "pfbase", c.type,
				instrument_name[c.kind]);
	return true;
}

static const char *cause_name(unsigned cause)
{
	return cause == IRQ_TIMER          ? "timer"
	       : cause == IRQ_INSTRUCTIONS ? "instructions"
	       : cause == IRQ_SAMPLER ? "sampler" : cause == IRQ_COP ? "co-processor" : "device";
}

static void tell_causes(uint64_t bits, char *buf, size_t n)
{
	for (unsigned cause = 0; cause < IRQ_COUNT; cause++) {
		size_t used = strlen(buf);
		if (bits >> cause & 1)
			snprintf(buf + used, n - used, "%s%u %s", used ? ", " : "", cause,
			         cause_name(cause));
	}
}

char *csrs_meaning(const struct session *s, unsigned csr, uint64_t value, char *buf, size_t n)
{
	*buf = '\0';
	switch (csr) {
	case CSR_MSTATUS:
		snprintf(buf, n, "interrupts in M-mode %s; before the last: mode %s, interrupts %s",
		         value & MSTATUS_MIE ? "on" : "off", value & MSTATUS_MPP ? "M" : "U",
		         value & MSTATUS_MPIE ? "on" : "off");
		break;
	case CSR_MIE:
	case CSR_MIP:
		tell_causes(value, buf, n);
		break;
	case CSR_MCAUSE:
		if (value & MCAUSE_INTERRUPT)
			snprintf(buf, n, "interrupt %u, %s", (unsigned)(value & (IRQ_COUNT - 1)),
			         cause_name(value & (IRQ_COUNT - 1)));
		break;
	case CSR_MTVEC:
	case CSR_MEPC:
	case CSR_MSCRATCH:
		format_place(s, value & ~UINT64_C(1), buf, n);
		break;
	default:
		break;
	}
	return buf;
}
