#include "core/pipe/interrupt/next_inst.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/isa/csr.h"
#include "core/isa/profile_inst.h"
#include "core/mem/mem.h"
#include "core/pipe/interrupt/handler.h"
#include "core/prof/values/vsample.h"

/* Replaces the prefix in *c by the instruction after it. False: that instruction is not executed,
 * as its flag is off or it takes no prefix, and h->pc moves past it. */
static bool next_inst_skip_prefix(struct pipe *p, struct next_inst *c)
{
	struct hart *h = p->hart;
	const uint64_t types = profile_types(&c->in);
	const struct inst *next = mem_fetch(p->ram, h->pc + c->in.len);
	if (next && !inst_is_xprof(next) && (h->pflags & types)) {
		c->prefix = c->in.len;
		c->in = *next;
		return true;
	}
	h->pc += c->in.len + (next && !inst_is_xprof(next) ? next->len : 0u);
	return false;
}

/* Finds the program's next instruction. As at decode, profile control before it acts, dropped
 * instructions are skipped, and marks of either have no effect. False: nothing may be executed
 * there. */
static bool next_inst_find_in_program(struct pipe *p, struct next_inst *c)
{
	struct hart *h = p->hart;
	struct exec done;
	const struct inst *at;
	while ((at = mem_fetch(p->ram, h->pc))) {
		const uint64_t pc = h->pc;
		*c = (struct next_inst){.in = *at};
		if (!inst_is_xprof(at) || !h->xprof)
			return true;
		p->st->xprof_seen = 1;
		if (at->op == OP_PI ? next_inst_skip_prefix(p, c) : inst_counts(h, at))
			return true;
		if (h->marked == pc)
			h->marked = 0;
		if (c->in.op != OP_PI)
			isa_exec(h, p->ram, &c->in, &done); /* control never traps */
	}
	return false;
}

/* True for pushpf and poppf, which never trap or fault. */
static bool saves_flags(const struct hart *h, const struct inst *in)
{
	return in->op >= OP_PUSHPF && in->op <= OP_POPPF_ALL && h->xprof;
}

static void find_access(const struct pipe *p, struct next_inst *c)
{
	const struct hart *h = p->hart;
	const unsigned op = c->in.op;
	c->flags = inst_flags(&c->in);
	c->size = op_info[op].mem_bytes;
	c->addr = h->r[c->in.rs1] + (uint64_t)(int64_t)c->in.imm;
	if (!saves_flags(h, &c->in))
		return;
	const bool push = op == OP_PUSHPF || op == OP_PUSHPF_ALL;
	c->flags |= push ? OPF_STORE : OPF_LOAD;
	c->size = flags_bytes(&c->in);
	c->addr = flags_addr(h, &c->in);
}

/* True if executing it would trap. An instruction that writes no memory is tried on a copy of the
 * hart. */
static bool next_inst_would_trap(struct pipe *p, const struct next_inst *c)
{
	struct hart trial = *p->hart;
	struct exec done;
	if (saves_flags(p->hart, &c->in))
		return false;
	if (c->flags & OPF_STORE)
		return ((c->flags & OPF_ATOMIC) && (c->addr & (c->size - 1))) ||
		       !handler_may_write(p, c->addr, c->size) ||
		       ((c->flags & OPF_LOAD) && !mem_load(p->ram, c->addr, c->size, &done.addr));
	trial.pc += c->prefix;
	return isa_exec(&trial, p->ram, &c->in, &done) != TRAP_NONE;
}

static bool holds_only_zeros(const struct pipe *p, uint64_t addr)
{
	uint8_t page[PAGE_BYTES];
	const uint64_t start = addr & ~(uint64_t)(PAGE_BYTES - 1);
	return mem_peek(p->ram, start, page, sizeof page) && !page[0] &&
	       !memcmp(page, page + 1, sizeof page - 1);
}

bool next_inst_meets_page_fault(const struct pipe *p, const struct next_inst *c)
{
	return p->cfg->vsample_fault_cycles && (c->flags & OPF_STORE) &&
	       !saves_flags(p->hart, &c->in) &&
	       (holds_only_zeros(p, c->addr) || holds_only_zeros(p, c->addr + c->size - 1));
}

static bool depends_on_time(const struct inst *in)
{
	const unsigned csr = (unsigned)in->imm;
	return (inst_flags(in) & OPF_CSR) &&
	       (csr == CSR_CYCLE || csr == CSR_TIME || csr == CSR_INSTRET || csr_is_counter(csr));
}

static bool next_inst_touches_protected(const struct pipe *p, uint64_t addr, uint64_t size)
{
	return addr < (uint64_t)p->cfg->vsample_protect_to &&
	       addr + size > (uint64_t)p->cfg->vsample_protect_from;
}

enum vsample_stop next_inst_obstacle(struct pipe *p, struct next_inst *c)
{
	if (!next_inst_find_in_program(p, c))
		return VSAMPLE_STOP_TRAP;
	find_access(p, c);
	if (next_inst_touches_protected(p, p->hart->pc, c->prefix + c->in.len) ||
	    (c->size && next_inst_touches_protected(p, c->addr, c->size)))
		return VSAMPLE_STOP_PROTECTED;
	if (c->in.op == OP_ECALL)
		return VSAMPLE_STOP_SYSCALL;
	if (c->in.op == OP_FENCE_I)
		return VSAMPLE_STOP_FENCE;
	if (depends_on_time(&c->in))
		return VSAMPLE_STOP_TIME;
	if (next_inst_would_trap(p, c) ||
	    (p->cfg->vsample_method != VSAMPLE_BY_UPCALL && next_inst_meets_page_fault(p, c)))
		return VSAMPLE_STOP_TRAP;
	return VSAMPLE_GOES_ON;
}
