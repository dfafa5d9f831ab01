#include "hwviews/session/place_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem/mem.h"
#include "hwviews/session/uop_fields.h"

/* Stack offsets up to a page are in decimal, in which slots are counted. */
static bool stack_place(const struct session *s, uint64_t addr, char *buf, size_t n)
{
	uint64_t sp = machine_seen_reg(s->machine, REG_SP);
	if (addr == sp)
		snprintf(buf, n, "sp");
	else if (addr > sp && addr - sp <= 4096)
		snprintf(buf, n, "sp+%" PRIu64, addr - sp);
	else if (addr < sp && sp - addr <= 4096)
		snprintf(buf, n, "sp-%" PRIu64, sp - addr);
	else
		return false;
	return true;
}

char *format_place(const struct session *s, uint64_t addr, char *buf, size_t n)
{
	buf[0] = '\0';
	if (program_symbol_at(s->program, addr) || program_library_at(s->program, addr))
		return program_addr_text(s->program, addr, buf, n);
	struct mem_region r;
	if (!mem_next_region(machine_mem_const(s->machine), addr, &r) || addr < r.start)
		return buf;
	bool stack = strcmp(r.name, "stack") == 0;
	if (stack && stack_place(s, addr, buf, n))
		return buf;
	if (stack)
		snprintf(buf, n, "stack-0x%" PRIx64, r.end - addr);
	else
		snprintf(buf, n, "%s+0x%" PRIx64, r.name, addr - r.start);
	return buf;
}

char *format_addr(const struct session *s, uint64_t addr, char *buf, size_t n)
{
	if (!*format_place(s, addr, buf, n))
		snprintf(buf, n, "0x%" PRIx64, addr);
	return buf;
}

char *format_inst(const struct session *s, const struct inst *in, uint64_t pc, char *buf, size_t n)
{
	inst_disasm(in, pc, buf, (unsigned)n);
	unsigned flags = inst_flags(in);
	if (!(flags & (OPF_BRANCH | OPF_JUMP)) || (flags & OPF_INDIRECT))
		return buf;
	/* The target is the last operand. */
	char *last = NULL;
	for (char *at = strstr(buf, "0x"); at; at = strstr(at + 1, "0x"))
		last = at;
	if (last)
		format_addr(s, pc + (uint64_t)(int64_t)in->imm, last, n - (size_t)(last - buf));
	return buf;
}

char *format_uop(const struct session *s, const struct uop *u, char *buf, size_t n)
{
	struct inst in = uop_inst(u);
	unsigned used = uop_prefix(u, buf, (unsigned)n);
	format_inst(s, &in, u->pc + u->prefix_len, buf + used, n - used);
	return buf;
}

bool uop_on_wrong_path(const struct pipe *p, const struct uop *u)
{
	return (u->flags & UF_WRONG_PATH) ||
	       (u->state == UOP_FETCHED && p->st->spec_slot != NO_SLOT);
}

char *format_seq(const struct pipe *p, const struct uop *u, char *buf, size_t n)
{
	snprintf(buf, n, "#%" PRIu64 "%s", u->seq, uop_on_wrong_path(p, u) ? "?" : "");
	return buf;
}

const char *format_state(const struct uop *u)
{
	return uop_state_info[u->state].name;
}

const char *format_level(enum mem_level level)
{
	static const char *const words[LEVEL_COUNT] = {"",        "forwarded", "write buffer",
	                                               "L1D hit", "L2",        "memory"};
	return words[level];
}

enum role uop_state_role(const struct uop *u)
{
	switch ((enum uop_state)u->state) {
	case UOP_WAITING:
	case UOP_ADDRESS:
		return ROLE_WAITING;
	case UOP_READY:
		return ROLE_READY;
	case UOP_EXECUTING:
		return ROLE_RUNNING;
	case UOP_MEMORY:
		return u->mem.level >= LEVEL_L2 || (u->flags & UF_TLB_MISS) ? ROLE_MISS
		                                                            : ROLE_RUNNING;
	case UOP_DONE:
	case UOP_RETIRED:
		return ROLE_DONE;
	case UOP_SQUASHED:
		return ROLE_SQUASHED;
	case UOP_DROPPED:
		return ROLE_DROPPED;
	default:
		return ROLE_PLAIN;
	}
}

enum role uop_row_role(const struct session *s, const struct uop *u)
{
	if (u->seq == s->selected_seq)
		return ROLE_SELECTED;
	if (u->state == UOP_SQUASHED)
		return ROLE_SQUASHED;
	if (u->state == UOP_DROPPED)
		return ROLE_DROPPED;
	if (uop_on_wrong_path(machine_pipe(s->machine), u))
		return ROLE_WRONG_PATH;
	return uop_is_profile(u) ? ROLE_PROFILE : ROLE_PLAIN;
}

const char *file_base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}
