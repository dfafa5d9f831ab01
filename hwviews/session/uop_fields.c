#include "hwviews/session/uop_fields.h"

#include <stdio.h>
#include <string.h>

#include "core/pipe/why.h"

const char *const uop_moment_help[UOP_MOMENT_COUNT] = {
#define M(id, help) help,
	UOP_MOMENTS(M)
#undef M
};

const struct uop_field_info uop_field_info[UOP_FIELD_COUNT] = {
#define UOP_FIELD(name, type, moment, has, value, help)                                            \
	{#name, FIELD_##type, UOP_AT_##moment, help},
#include "hwviews/session/uop_fields.def"
#undef UOP_FIELD
};

int uop_field_find(const char *name)
{
	for (int i = 0; i < UOP_FIELD_COUNT; i++)
		if (!strcmp(uop_field_info[i].name, name))
			return i;
	return -1;
}

struct inst uop_inst(const struct uop *u)
{
	struct inst in = u->inst;
	if (u->trap != TRAP_NONE && in.raw)
		inst_decode_as(in.op > op_count ? ISA_RV32GC : ISA_ALL, in.raw, &in);
	return in;
}

unsigned uop_prefix(const struct uop *u, char *buf, unsigned n)
{
	*buf = '\0';
	int used = u->prefix_len ? snprintf(buf, n, "pi.%u ", u->profile_type) : 0;
	return used < (int)n ? (unsigned)used : n - 1;
}

char *uop_disasm(const struct uop *u, char *buf, unsigned n)
{
	struct inst in = uop_inst(u);
	unsigned used = uop_prefix(u, buf, n);
	inst_disasm(&in, u->pc + u->prefix_len, buf + used, n - used);
	return buf;
}

uint64_t uop_store_data(const struct uop *u)
{
	return u->exec.size < 8 ? u->exec.store_new & ((UINT64_C(1) << 8 * u->exec.size) - 1)
	                        : u->exec.store_new;
}

static bool uop_fields_is_store(const struct uop *u)
{
	return (u->op_flags & (OPF_STORE | OPF_ATOMIC)) == OPF_STORE;
}

/* `done` is stamped in advance, but a store's when it completes. In the cycle of its squash an
 * instruction doesn't complete any more: the squashing instruction is older, and older ones are
 * handled first. */
static bool is_complete(const struct uop *u)
{
	if (u->state != UOP_SQUASHED)
		return u->state == UOP_DONE || u->state == UOP_RETIRED;
	return u->when.done != NO_CYCLE && (uop_fields_is_store(u) || u->when.done < u->when.end);
}

/* True if u has reached this moment. */
static bool uop_reached(const struct uop *u, enum uop_moment moment)
{
	switch (moment) {
	case UOP_AT_DISPATCH:
		return u->flags & UF_EXECUTED;
	case UOP_AT_READY:
		return u->when.ready != NO_CYCLE;
	case UOP_AT_ISSUE:
		return u->when.issue != NO_CYCLE;
	case UOP_AT_ADDRESS:
		return u->flags & UF_ADDR_KNOWN;
	case UOP_AT_DATA:
		return uop_fields_is_store(u) && (u->flags & UF_DATA_READY);
	case UOP_AT_MEMORY:
		return u->when.mem != NO_CYCLE;
	case UOP_AT_COMPLETE:
		return is_complete(u);
	case UOP_AT_LEAVE:
		return u->state >= UOP_RETIRED;
	default:
		return true;
	}
}

bool uop_field(const struct pipe *p, const struct uop *u, enum uop_field f, uint64_t *word)
{
	if (!uop_reached(u, uop_field_info[f].moment))
		return false;
	switch (f) {
#define UOP_FIELD(name, type, moment, has, value, help) \
	case UOP_FIELD_##name: \
		*word = (uint64_t)(value); \
		return (has);
#include "hwviews/session/uop_fields.def"
#undef UOP_FIELD
	default:
		return false;
	}
}
