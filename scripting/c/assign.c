/* Assignments in C: values written, and their places. */
#include <inttypes.h>
#include <string.h>

#include "core/isa/regs.h"
#include "scripting/c/eval.h"

static bool c_assign_write_target(struct eval *x, const struct c_target *t, struct err *err)
{
	const struct c_words *w = &x->e->words;
	size_t level;
	if (!w->write)
		return err_set(err, "nothing can be assigned here: `print` and `set` assign");
	if (!w->write(w->ctx, t, err))
		return false;
	/* Registers and frames may have changed. */
	x->calls->count = 0;
	return !x->e->needs_frame || eval_find_call(x, &level, err);
}

static bool to_bit_field(struct eval *x, const struct c_value *to, uint64_t bits, struct err *err)
{
	unsigned __int128 all = 0;
	const unsigned bytes = (to->bit_offset + to->bit_size + 7) / 8;
	const unsigned __int128 mask = (((unsigned __int128)1 << to->bit_size) - 1)
	                               << to->bit_offset;
	if (!c_read(x->calls, to, 0, &all, bytes))
		return err_set(err, "Cannot access memory at address 0x%" PRIx64, to->addr);
	all = (all & ~mask) | (((unsigned __int128)bits << to->bit_offset) & mask);
	return c_assign_write_target(
		x,
		&(struct c_target){
			.kind = C_TO_MEMORY, .addr = to->addr, .bytes = &all, .n = bytes},
		err);
}

/* Assigns whole structs and arrays of one type. */
static bool to_aggregate(struct eval *x, const struct c_value *to, const struct c_value *v,
                         struct err *err)
{
	uint8_t bytes[4096];
	char type[128], other[128];
	if (to->type.kind == CTYPE_ARRAY && v->where != C_TEXT && v->where != C_MEMORY)
		return err_set(err, "a list can't be assigned to a whole array: set its elements, "
		                    "[0] and others");
	if (v->where == C_TEXT || v->type.kind != to->type.kind || v->type.size != to->type.size ||
	    v->type.die.addr != to->type.die.addr)
		return err_set(err, "%s is not assigned to %s",
		               v->where == C_TEXT ? "a text"
		                                  : ctype_text(&v->type, NULL, type, sizeof type),
		               ctype_text(&to->type, NULL, other, sizeof other));
	if (v->type.size > sizeof bytes)
		return err_set(err, "it has %" PRIu64 " bytes: at most %zu are assigned at once",
		               v->type.size, sizeof bytes);
	if (!c_is_readable(x->calls, v, err))
		return false;
	if (!c_read(x->calls, v, 0, bytes, v->type.size))
		return err_set(err, "it is %s here", c_out_text(v));
	return c_assign_write_target(
		x,
		&(struct c_target){
			.kind = C_TO_MEMORY, .addr = to->addr, .bytes = bytes, .n = v->type.size},
		err);
}

static bool no_place(struct err *err)
{
	return err_set(err, "it has no place that could be set: it is a computed value");
}

/* Nodes of a list's elements, at most `max`, in order; returns their number. */
static unsigned c_assign_elements(const struct eval *x, uint16_t list, uint16_t *out, unsigned max)
{
	unsigned count = 1;
	uint16_t i;
	for (i = list; x->e->nodes[i].args == 2; i = x->e->nodes[i].arg[0])
		count++;
	unsigned at = count;
	for (i = list; at; i = x->e->nodes[i].arg[0]) {
		at--;
		if (at < max)
			out[at] = x->e->nodes[i].arg[x->e->nodes[i].args - 1u];
	}
	return count;
}

/* The bytes of a value that is assigned as a whole: of a struct or array from a list. */
struct c_assign_image {
	uint8_t bytes[4096];
	size_t n;
};

static bool c_assign_fill(struct eval *x, uint16_t node, const struct ctype *type, uint64_t at,
                          const struct cmember *field, unsigned depth,
                          struct c_assign_image *image, struct err *err);

/* Fills a struct's members, or an array's elements, from a list; the rest stays 0. */
static bool c_assign_fill_parts(struct eval *x, uint16_t list, const struct ctype *type,
                                uint64_t at, unsigned depth, struct c_assign_image *image,
                                struct err *err)
{
	enum { ELEMENTS_MAX = C_NODES_MAX, DEPTH_MAX = 16 };
	uint16_t element[ELEMENTS_MAX];
	const unsigned n = c_assign_elements(x, list, element, ELEMENTS_MAX);
	struct dwarf_walk walk = walk_of_type();
	struct cmembers members = ctype_members(type, &walk);
	const struct ctype of = type->kind == CTYPE_ARRAY ? ctype_target(type) : *type;
	struct cmember m;
	if (depth == DEPTH_MAX)
		return err_set(err, "the lists are nested too deeply");
	for (unsigned i = 0; i < n; i++) {
		const bool array = type->kind == CTYPE_ARRAY;
		if (array ? i >= type->count : !cmember_next(&members, &m))
			return err_set(err, "too many initializers");
		if (!c_assign_fill(x, element[i], array ? &of : &m.type,
		                   at + (array ? i * of.size : m.offset), array ? NULL : &m,
		                   depth + 1, image, err))
			return false;
	}
	return true;
}

static bool c_assign_fill(struct eval *x, uint16_t node, const struct ctype *type, uint64_t at,
                          const struct cmember *field, unsigned depth,
                          struct c_assign_image *image, struct err *err)
{
	struct c_value v, made;
	uint64_t bits, whole = 0;
	if (x->e->nodes[node].op == C_LIST &&
	    (type->kind == CTYPE_STRUCT || type->kind == CTYPE_ARRAY))
		return c_assign_fill_parts(x, node, type, at, depth, image, err);
	if (!eval_operand(x, node, &v) || !c_cast(x->calls, &v, *type, &made, err))
		return false;
	if (at > image->n || type->size > image->n - at)
		return err_set(err, "a member lies outside of its struct");
	if (!field || !field->bit_size)
		return c_read(x->calls, &made, 0, image->bytes + at, type->size) ||
		       err_set(err, "it is %s here", c_out_text(&made));
	if (!c_bits(x->calls, &made, &bits, err))
		return false;
	const size_t room = image->n - at < sizeof whole ? image->n - at : sizeof whole;
	const uint64_t mask = (field->bit_size < 64 ? UINT64_C(1) << field->bit_size : 0) - 1;
	memcpy(&whole, image->bytes + at, room);
	whole |= (bits & mask) << field->bit_offset;
	memcpy(image->bytes + at, &whole, room);
	return true;
}

/* Assigns a list to a struct or array in memory. */
static bool c_assign_from_list(struct eval *x, const struct c_value *to, uint16_t list,
                               struct c_value *out, struct err *err)
{
	struct c_assign_image image = {.n = (size_t)to->type.size};
	if (to->where != C_MEMORY)
		return no_place(err);
	if (to->type.size > sizeof image.bytes)
		return err_set(err, "it has %" PRIu64 " bytes: at most %zu are assigned at once",
		               to->type.size, sizeof image.bytes);
	*out = *to;
	return c_assign_fill(x, list, &to->type, 0, NULL, 0, &image, err) &&
	       c_assign_write_target(x,
	                             &(struct c_target){.kind = C_TO_MEMORY,
	                                                .addr = to->addr,
	                                                .bytes = image.bytes,
	                                                .n = image.n},
	                             err);
}

/* Register contents for a value of this type: singles NaN-boxed, integers of 32 bits and less
 * extended as instructions leave them. */
static uint64_t in_register(const struct c_value *v, unsigned reg)
{
	uint64_t bits = 0;
	memcpy(&bits, v->bytes, v->type.size < 8 ? v->type.size : 8);
	if (reg >= REG_F0)
		return v->type.size == 4 ? bits | UINT64_MAX << 32 : bits;
	if (v->type.size == 4)
		return (uint64_t)(int64_t)(int32_t)bits;
	const unsigned shift = 64 - 8 * (unsigned)v->type.size;
	return v->type.is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits;
}

static bool c_assign_write_register(struct eval *x, unsigned reg, const struct c_value *v,
                                    struct err *err)
{
	struct c_target t = {.kind = C_TO_REG, .reg = reg};
	if (reg == REG_ZERO)
		return err_set(err, "x0 is always 0");
	t.bits = in_register(v, reg);
	return c_assign_write_target(x, &t, err);
}

/* Assigns to a register by name. */
static bool to_word(struct eval *x, const struct c_node *at, const struct c_value *v,
                    struct c_value *out, struct err *err)
{
	const int reg = reg_from_name(at->word);
	const bool is_float = v->where != C_TEXT && v->type.kind == CTYPE_FLOAT;
	struct ctype type =
		reg >= REG_F0 ? ctype_made(CTYPE_FLOAT, 8, true) : ctype_made(CTYPE_INT, 8, true);
	if (reg >= REG_F0 && is_float && v->type.size <= 8)
		type = v->type;
	if (reg < 0 && strcmp(at->word, "pc") != 0)
		return err_set(err, "it is no variable, memory or register, which could be set");
	if (reg < REG_F0 && is_float)
		return err_set(err, "%s is an integer register: that is not an integer", at->word);
	if (!c_cast(x->calls, v, type, out, err))
		return false;
	if (reg >= 0)
		return c_assign_write_register(x, (unsigned)reg, out, err);
	struct c_target t = {.kind = C_TO_PC};
	return c_bits(x->calls, out, &t.bits, err) && c_assign_write_target(x, &t, err);
}

static bool to_place(struct eval *x, const struct c_node *at, const struct c_value *to,
                     const struct c_value *v, struct c_value *out, struct err *err)
{
	uint64_t bits;
	char type[128];
	if (to->where == C_OUT)
		return err_set(err, "it is %s%s", c_out_text(to), to->unmade ? "" : " here");
	if (to->where == C_MEMORY && !c_is_readable(x->calls, to, err))
		return false;
	if (to->where != C_MEMORY && to->reg < 0)
		return at->op == C_VARIABLE && ctype_is_scalar(&to->type)
		               ? err_set(err, "it is optimised out here, only its value is known: "
		                              "it can't be set")
		               : no_place(err);
	if (!ctype_is_scalar(&to->type) && to->type.kind != CTYPE_COMPLEX) {
		if (to->where != C_MEMORY || to->type.kind == CTYPE_FUNCTION)
			return err_set(err, "a %s can't be set",
			               ctype_text(&to->type, NULL, type, sizeof type));
		*out = *to;
		return to_aggregate(x, to, v, err);
	}
	if (!c_cast(x->calls, v, to->type, out, err))
		return false;
	const struct c_value made = *out;
	if (to->where != C_MEMORY && made.type.size > 8)
		return no_place(err);
	if (to->where != C_MEMORY) {
		/* The callee may have saved the caller's register. */
		if (x->e->needs_frame && x->frame.regs != &x->calls->regs[0])
			return err_set(err, "it is in register %s of an outer frame",
			               reg_name((unsigned)to->reg));
		return c_assign_write_register(x, (unsigned)to->reg, &made, err);
	}
	*out = *to;
	if (to->bit_size)
		return c_bits(x->calls, &made, &bits, err) && to_bit_field(x, to, bits, err);
	return c_assign_write_target(x,
	                             &(struct c_target){.kind = C_TO_MEMORY,
	                                                .addr = to->addr,
	                                                .bytes = made.bytes,
	                                                .n = to->type.size},
	                             err);
}

/* Whether a node can be a place. Checked before evaluation, because the operand may itself assign:
 * -- --x. */
static bool may_be_place(const struct c_node *nodes, const struct c_node *n)
{
	while (n->op == C_CAST)
		n = &nodes[n->arg[0]];
	switch (n->op) {
	case C_VARIABLE:
	case C_WORD:
	case C_HISTORY:
	case C_CONVENIENCE:
	case C_FOLLOW:
	case C_MEMBER:
	case C_ARROW:
	case C_INDEX:
	case C_SPAN:
		return true;
	default:
		return false;
	}
}

bool eval_assign(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	const struct c_words *w = &x->e->words;
	const struct c_node *at = &x->e->nodes[n->arg[0]];
	struct c_value to, v, before;
	if (!w->write)
		return err_set(err, "nothing can be assigned here: `print` and `set` assign");
	if (!may_be_place(x->e->nodes, at))
		return no_place(err);
	if (!eval_operand(x, n->arg[0], &to))
		return false;
	if (n->op == C_ASSIGN && n->sub == C_ASSIGN && x->e->nodes[n->arg[1]].op == C_LIST &&
	    (to.type.kind == CTYPE_STRUCT || to.type.kind == CTYPE_ARRAY) && to.where != C_TEXT)
		return c_assign_from_list(x, &to, n->arg[1], out, err);
	if (!eval_operand(x, n->arg[1], &v))
		return false;
	/* The old value, even if its place is written. */
	before = to;
	if (n->op == C_AFTER && !c_cast(x->calls, &to, to.type, &before, err))
		return false;
	if (n->sub != C_ASSIGN) {
		struct c_value sum;
		if (!eval_two(x, n->sub, &to, &v, &sum, err))
			return false;
		v = sum;
	}
	if (at->op == C_CONVENIENCE) {
		if (!c_keep_variable(w->kept, x->calls, at->word, &v, err))
			return false;
		*out = v;
	} else if (at->op == C_WORD) {
		if (!to_word(x, at, &v, out, err))
			return false;
	} else if (at->op == C_HISTORY) {
		return err_set(err, "a value of the history can't be changed");
	} else if (!to_place(x, at, &to, &v, out, err)) {
		return false;
	}
	if (n->op == C_AFTER)
		*out = before;
	return true;
}
