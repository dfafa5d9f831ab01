#include "scripting/c/pending_writes.h"

#include <string.h>

#include "core/pipe/pipe.h"

static uint64_t pending_writes_value_bytes(const struct c_value *v)
{
	return v->bit_size ? (v->bit_offset + v->bit_size + 7) / 8 : v->type.size;
}

/* *v with bytes of its own. */
static struct c_value with_bytes(const struct c_value *v, uint64_t bytes)
{
	struct c_value w = *v;
	w.where = C_BYTES;
	memcpy(w.bytes, &bytes, sizeof bytes);
	w.known = place_bytes(0, sizeof bytes);
	return w;
}

static struct c_coming pending_writes_of_register(const struct pipe *p, const struct c_value *v)
{
	struct c_coming c = {.by = NULL};
	const uint16_t slot = p->st->rename[v->reg];
	if (slot == NO_SLOT)
		return c;
	c.by = pipe_uop(p, slot);
	c.known = c.by->state == UOP_DONE && pending_writes_value_bytes(v) <= sizeof c.by->result;
	if (c.known)
		c.value = with_bytes(v, c.by->result);
	return c;
}

static struct c_coming to_memory(const struct pipe *p, const struct c_value *v)
{
	struct c_coming c = {.by = NULL};
	const uint64_t size = pending_writes_value_bytes(v);
	for (uint32_t i = p->st->lsq_count; i-- > 0;) {
		const struct uop *u = pipe_lsq_at(p, i);
		const struct exec *x = &u->exec;
		if (!(u->op_flags & OPF_STORE) || !(u->flags & UF_ADDR_KNOWN) || !x->size)
			continue;
		if (x->addr - v->addr >= size && v->addr - x->addr >= x->size)
			continue;
		c.by = u;
		c.known = u->state == UOP_DONE && x->stored && v->addr - x->addr < x->size &&
		          v->addr - x->addr + size <= x->size;
		if (c.known)
			c.value = with_bytes(v, x->store_new >> 8 * (v->addr - x->addr));
		return c;
	}
	return c;
}

struct c_coming c_coming(const struct c_calls *calls, const struct c_value *v, bool innermost)
{
	const struct pipe *p = machine_pipe(calls->machine);
	if (v->where == C_MEMORY && v->type.kind != CTYPE_FUNCTION)
		return to_memory(p, v);
	if (v->where == C_BYTES && innermost && v->reg > REG_ZERO && v->reg < REG_SINK &&
	    !machine_parked(calls->machine))
		return pending_writes_of_register(p, v);
	return (struct c_coming){.by = NULL};
}

uint64_t c_coming_behind(const struct c_coming *c, const struct c_value *v)
{
	return c->by && v->where == C_BYTES ? c->by->pc + uop_len(c->by) : 0;
}

bool c_stays(const struct c_value *v, const struct c_value *behind)
{
	return behind->where == C_BYTES && behind->reg == v->reg;
}
