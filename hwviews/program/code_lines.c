#include "hwviews/program/code_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/isa/op.h"
#include "hwviews/session/view_text.h"

static bool inst_at(const struct session *s, uint64_t pc, struct inst *in)
{
	uint16_t parcel[2] = {0, 0};
	if ((pc & 1) || !machine_peek(s->machine, pc, &parcel[0], 2))
		return false;
	if ((parcel[0] & 3) == 3 && !machine_peek(s->machine, pc + 2, &parcel[1], 2))
		return false;
	inst_decode_as(machine_isa(s->machine), parcel[0] | (uint32_t)parcel[1] << 16, in);
	return true;
}

bool code_at(const struct session *s, uint64_t pc, struct code *out)
{
	struct inst behind;
	*out = (struct code){.pc = pc};
	if (!inst_at(s, pc, &out->inst))
		return false;
	if (out->inst.op == OP_PI && machine_pipe(s->machine)->xprof.enabled &&
	    inst_at(s, pc + out->inst.len, &behind) && !inst_is_xprof(&behind)) {
		out->prefix = out->inst.len;
		out->type = (unsigned)out->inst.imm;
		out->inst = behind;
	}
	out->len = out->prefix + out->inst.len;
	return true;
}

char *code_text(const struct session *s, const struct code *c, char *buf, size_t n)
{
	size_t used = c->prefix ? (size_t)snprintf(buf, n, "pi.%u ", c->type) : 0;
	if (used < n)
		format_inst(s, &c->inst, c->pc + c->prefix, buf + used, n - used);
	return buf;
}

char *code_bytes(const struct session *s, const struct code *c, char *buf, size_t n)
{
	uint32_t prefix = 0, raw = 0;
	machine_peek(s->machine, c->pc, &prefix, c->prefix);
	machine_peek(s->machine, c->pc + c->prefix, &raw, c->inst.len);
	size_t used =
		c->prefix ? (size_t)snprintf(buf, n, "%0*" PRIx32 " ", 2 * (int)c->prefix, prefix)
			  : 0;
	if (used < n)
		snprintf(buf + used, n - used, "%0*" PRIx32, 2 * (int)c->inst.len, raw);
	return buf;
}

unsigned code_count(const struct session *s, uint64_t from, uint64_t to)
{
	struct code c;
	unsigned n = 0;
	for (; from < to && code_at(s, from, &c); from += c.len)
		n++;
	return n;
}

/* An address from which decoding reaches pc: lengths vary, so only a known start is safe. */
static uint64_t known_start(const struct session *s, uint64_t pc, size_t before)
{
	uint64_t want = pc > 4 * before ? pc - 4 * before : 0;
	const struct symbol *sym = program_symbol_at(s->program, pc);
	if (!sym)
		return pc;
	/* Include functions that directly precede this one. */
	uint64_t start = sym->addr;
	while (start > want) {
		const struct symbol *prev = program_symbol_at(s->program, start - 2);
		if (!prev || !prev->code || prev->addr >= start)
			break;
		start = prev->addr;
	}
	return start;
}

size_t code_around(const struct session *s, uint64_t pc, size_t before, size_t n, uint64_t *at,
                   size_t *index)
{
	struct code in;
	uint64_t start = known_start(s, pc, before), at_pc = start;
	size_t steps = 0;
	while (at_pc < pc && code_at(s, at_pc, &in)) {
		at_pc += in.len;
		steps++;
	}
	/* Decoding is out of step (data between functions): begin at pc itself. */
	if (at_pc != pc) {
		start = pc;
		steps = 0;
	}
	size_t skip = steps > before ? steps - before : 0, filled = 0;
	*index = steps - skip;
	for (uint64_t a = start; filled < n && code_at(s, a, &in); a += in.len) {
		if (skip)
			skip--;
		else
			at[filled++] = a;
	}
	return filled;
}

size_t code_ordinal(const struct session *s, uint64_t pc)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	struct code in;
	size_t n = 0;
	for (uint64_t a = sym ? sym->addr : pc; a < pc && code_at(s, a, &in); a += in.len)
		n++;
	return n;
}

char *code_in_flight(const struct session *s, uint64_t lo, uint64_t hi, uint64_t *first_seq,
                     char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	uint32_t window = p->st->rob_count, total = window + p->st->fetchq_count;
	size_t used = 0, more = 0;
	char seq[32];
	buf[0] = '\0';
	*first_seq = 0;
	for (uint32_t i = 0; i < total; i++) {
		const struct uop *u =
			i < window ? pipe_rob_at(p, i) : pipe_fetchq_at(p, i - window);
		if (u->pc < lo || u->pc >= hi)
			continue;
		if (!*first_seq)
			*first_seq = u->seq;
		if (used + 40 > n) {
			more++;
			continue;
		}
		used += (size_t)snprintf(buf + used, n - used, "%s%s %s", used ? ", " : "",
		                         format_seq(p, u, seq, sizeof seq), format_state(u));
	}
	if (more && used < n)
		snprintf(buf + used, n - used, " and %zu more", more);
	return buf;
}

int code_breakpoint(const struct session *s, uint64_t lo, uint64_t hi)
{
	const struct stop_point *sp;
	for (unsigned i = 0; s->run && (sp = run_stop_at(s->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->enabled && sp->addr >= lo && sp->addr < hi)
			return sp->id;
	return 0;
}
