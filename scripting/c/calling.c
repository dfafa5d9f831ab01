#include "scripting/c/calling.h"

#include <inttypes.h>
#include <string.h>

#include "core/isa/regs.h"

enum { ARGUMENT_REGS = 8, REG_FA0 = REG_F0 + 10, STACK_ALIGN = 16, MEMBERS_DEPTH = 8 };

/* A part of a value, which travels in a register of its own. */
struct calling_part {
	bool is_float;
	uint64_t at;   /* bytes from the value's beginning */
	unsigned size; /* bytes */
};

/* The parts of a type that may use floating-point registers. */
struct calling_parts {
	unsigned n;
	struct calling_part part[2];
	bool whole; /* the type has no other parts */
};

static unsigned calling_word(const struct ctype *t)
{
	return t->is_32bit ? 4 : 8;
}

static void calling_add_part(struct calling_parts *p, bool is_float, uint64_t at, uint64_t size)
{
	if (p->n == 2)
		p->whole = false;
	else
		p->part[p->n++] = (struct calling_part){is_float, at, (unsigned)size};
}

/* Flattens a type into scalars; `whole` becomes false if there are more than two, or some that use
 * integer registers in their own way. */
static void calling_flatten(const struct ctype *t, uint64_t at, unsigned depth,
                            struct dwarf_walk *walk, struct calling_parts *p)
{
	struct cmember m;
	if (!p->whole || depth == MEMBERS_DEPTH) {
		p->whole = false;
	} else if (t->kind == CTYPE_FLOAT && t->size <= 8) {
		calling_add_part(p, true, at, t->size);
	} else if (t->kind == CTYPE_COMPLEX && t->size <= 16) {
		calling_add_part(p, true, at, t->size / 2);
		calling_add_part(p, true, at + t->size / 2, t->size / 2);
	} else if (ctype_is_integer(t) || t->kind == CTYPE_POINTER) {
		p->whole &= t->size <= calling_word(t);
		calling_add_part(p, false, at, t->size);
	} else if (t->kind == CTYPE_ARRAY && t->count <= 2) {
		const struct ctype element = ctype_target(t);
		for (uint64_t i = 0; i < t->count; i++)
			calling_flatten(&element, at + i * element.size, depth + 1, walk, p);
	} else if (t->kind == CTYPE_STRUCT) {
		struct cmembers all = ctype_members(t, walk);
		all.virtuals = true;
		while (cmember_next(&all, &m)) {
			const bool empty = m.type.kind == CTYPE_STRUCT && m.is_base &&
			                   m.type.size <= 1;
			p->whole &= !m.is_virtual && !m.bit_size;
			if (!empty)
				calling_flatten(&m.type, at + m.offset, depth + 1, walk, p);
		}
	} else {
		p->whole = false;
	}
}

/* The parts of a type, if one is in a floating-point register; else n is 0. */
static struct calling_parts calling_parts_of(const struct ctype *t)
{
	struct calling_parts p = {.whole = true};
	struct dwarf_walk walk = walk_of_type();
	calling_flatten(t, 0, 0, &walk, &p);
	const bool floats = (p.n && p.part[0].is_float) || (p.n == 2 && p.part[1].is_float);
	if (!p.whole || !floats)
		p.n = 0;
	return p;
}

static bool calling_in_memory(const struct ctype *t)
{
	return t->size > 2 * calling_word(t) || ctype_by_reference(t);
}

/* ---- the stack ---- */
static void *calling_bytes(struct c_invocation *call, uint64_t addr)
{
	return call->stack + (addr - (call->top - sizeof call->stack));
}

/* Takes n bytes of the stack; false with *err. */
static bool calling_take(struct c_invocation *call, uint64_t n, uint64_t *addr, struct err *err)
{
	if (n > sizeof call->stack || call->top - call->sp + n + STACK_ALIGN > sizeof call->stack)
		return err_set(err, "the arguments have more than %zu bytes", sizeof call->stack);
	call->sp = (call->sp - n) & ~(uint64_t)(STACK_ALIGN - 1);
	*addr = call->sp;
	return true;
}

static void calling_set(struct c_invocation *call, unsigned reg, uint64_t value)
{
	call->set |= UINT64_C(1) << reg;
	call->reg[reg] = value;
}

void calling_begin(struct c_invocation *call, uint64_t function, uint64_t sp,
                   const struct ctype *result)
{
	struct err err; /* an empty stack has room for any result's address */
	memset(call, 0, sizeof *call);
	call->function = function;
	call->top = call->sp = sp & ~(uint64_t)(STACK_ALIGN - 1);
	call->word = calling_word(result);
	calling_take(call, STACK_ALIGN, &call->back, &err);
	calling_set(call, REG_RA, call->back);
	if (result->kind == CTYPE_VOID || !calling_in_memory(result))
		return;
	call->too_large = !calling_take(call, result->size, &call->result, &err);
	calling_set(call, REG_A0 + call->ints++, call->result);
}

bool calling_copy(struct c_invocation *call, const void *bytes, uint64_t n, uint64_t *addr,
                  struct err *err)
{
	if (!calling_take(call, n, addr, err))
		return false;
	memcpy(calling_bytes(call, *addr), bytes, n);
	return true;
}

/* ---- arguments ---- */
static bool calling_push(struct c_invocation *call, uint64_t word, bool aligned, struct err *err)
{
	enum { WORDS = sizeof call->pushed / sizeof *call->pushed };
	const unsigned pair = aligned && (call->pushes & 1);
	if (call->pushes + pair >= WORDS)
		return err_set(err, "more than %d words of arguments on the stack", WORDS);
	call->pushes += pair;
	call->pushed[call->pushes++] = word;
	return true;
}

static bool calling_add_word(struct c_invocation *call, uint64_t word, bool aligned,
                             struct err *err)
{
	if (call->ints == ARGUMENT_REGS)
		return calling_push(call, word, aligned, err);
	calling_set(call, REG_A0 + call->ints++, word);
	return true;
}

/* A part's bits as registers hold them: singles NaN-boxed, integers extended by their sign. */
static uint64_t calling_bits(const uint8_t *bytes, const struct calling_part *p, bool is_signed)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes + p->at, p->size < 8 ? p->size : 8);
	if (p->is_float)
		return p->size == 4 ? bits | UINT64_MAX << 32 : bits;
	const unsigned shift = p->size < 8 ? 64 - 8 * p->size : 0;
	return is_signed || p->size == 4 ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits;
}

static bool calling_add_bytes(struct c_invocation *call, const struct ctype *t,
                              const uint8_t *bytes, bool variadic, struct err *err)
{
	const struct calling_parts parts = calling_parts_of(t);
	const bool scalar = ctype_is_scalar(t);
	unsigned floats = 0;
	for (unsigned i = 0; i < parts.n; i++)
		floats += parts.part[i].is_float;
	if (parts.n && !variadic && call->floats + floats <= ARGUMENT_REGS &&
	    call->ints + parts.n - floats <= ARGUMENT_REGS) {
		for (unsigned i = 0; i < parts.n; i++) {
			const struct calling_part *p = &parts.part[i];
			calling_set(call,
			            p->is_float ? REG_FA0 + call->floats++ : REG_A0 + call->ints++,
			            calling_bits(bytes, p, false));
		}
		return true;
	}
	const unsigned word = call->word;
	const bool aligned = t->size == 2 * word && (scalar || t->kind == CTYPE_COMPLEX);
	if (aligned && variadic && call->ints < ARGUMENT_REGS)
		call->ints += call->ints & 1;
	for (uint64_t at = 0; at < t->size; at += word) {
		const struct calling_part p = {
			.at = at, .size = (unsigned)(t->size - at < word ? t->size - at : word)};
		const bool is_signed = scalar && t->kind != CTYPE_FLOAT && t->is_signed;
		if (!calling_add_word(call, calling_bits(bytes, &p, is_signed), aligned && !at,
		                      err))
			return false;
	}
	return true;
}

bool calling_add(struct c_invocation *call, const struct c_calls *calls, const struct c_value *v,
                 bool variadic, struct err *err)
{
	uint8_t bytes[C_STACK_MAX];
	uint64_t addr;
	if (v->type.size > sizeof bytes)
		return err_set(err, "it has %" PRIu64 " bytes: too many for an argument",
		               v->type.size);
	if (!c_is_readable(calls, v, err))
		return false;
	if (!c_read(calls, v, 0, bytes, v->type.size))
		return err_set(err, "it is %s here", c_out_text(v));
	if (!calling_in_memory(&v->type))
		return calling_add_bytes(call, &v->type, bytes, variadic, err);
	return calling_copy(call, bytes, v->type.size, &addr, err) &&
	       calling_add_word(call, addr, false, err);
}

bool calling_end(struct c_invocation *call, struct err *err)
{
	if (call->too_large)
		return err_set(err, "its result is larger than %zu bytes", sizeof call->stack);
	uint64_t at;
	if (call->pushes && !calling_take(call, (uint64_t)call->pushes * call->word, &at, err))
		return false;
	for (unsigned i = 0; i < call->pushes; i++)
		memcpy((uint8_t *)calling_bytes(call, at) + (size_t)i * call->word,
		       &call->pushed[i], call->word);
	calling_set(call, REG_SP, call->sp);
	return true;
}

/* ---- results ---- */
bool calling_returned(const struct ctype *result, const uint64_t a[2], const uint64_t fa[2],
                      struct c_value *out, bool *in_a0)
{
	const bool memory = result->kind != CTYPE_VOID && calling_in_memory(result);
	const struct calling_parts parts = memory ? (struct calling_parts){0}
	                                          : calling_parts_of(result);
	const unsigned word = calling_word(result);
	unsigned ints = 0, floats = 0;
	*in_a0 = result->kind != CTYPE_VOID && !parts.n;
	for (unsigned i = 0; i < parts.n; i++)
		*in_a0 |= !parts.part[i].is_float;
	const bool passes = ctype_is_scalar(result) || result->kind == CTYPE_COMPLEX ||
	                    result->kind == CTYPE_STRUCT || result->kind == CTYPE_UNION ||
	                    result->kind == CTYPE_MEMBER;
	if (memory || !passes || !result->size)
		return false;
	*out = (struct c_value){.type = *result, .where = C_BYTES, .reg = -1};
	for (unsigned i = 0; i < parts.n; i++)
		memcpy(out->bytes + parts.part[i].at,
		       parts.part[i].is_float ? &fa[floats++] : &a[ints++], parts.part[i].size);
	for (uint64_t at = 0; !parts.n && at < result->size; at += word)
		memcpy(out->bytes + at, &a[at / word],
		       result->size - at < word ? result->size - at : word);
	out->known = place_bytes(0, result->size);
	return true;
}

bool calling_give_back(struct c_invocation *call, const struct c_calls *calls,
                       const struct c_value *v, struct err *err)
{
	memset(call, 0, sizeof *call);
	call->word = calling_word(&v->type);
	if (calling_in_memory(&v->type))
		return err_set(err, "a value of %" PRIu64 " bytes is returned in memory: set it "
		                    "there, and `return` alone", v->type.size);
	return calling_add(call, calls, v, false, err);
}

bool calling_result(const struct c_invocation *call, const struct ctype *result,
                    struct c_value *out, struct err *err)
{
	char text[128];
	bool in_a0;
	*out = (struct c_value){.type = *result, .where = C_BYTES, .reg = -1};
	if (result->kind == CTYPE_VOID || calling_returned(result, call->a, call->fa, out, &in_a0))
		return true;
	if (!call->result)
		return err_set(err, "its result, %s, is not in registers",
		               ctype_text(result, NULL, text, sizeof text));
	out->where = C_MEMORY;
	out->addr = call->result;
	return true;
}
