#include "scripting/c/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "loader/dwarf/elf_place.h"
#include "loader/dwarf/expression.h"
#include "loader/dwarf/index.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/scoped.h"
#include "loader/dwarf/variable.h"

static bool c_value_peek_memory(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

struct c_calls_deep {
	struct frame frames[FRAMES_ALL], seen[FRAMES_ALL];
	struct unwind_regs regs[FRAMES_ALL];
	struct place_frame places[FRAMES_ALL];
};

void c_calls_init(struct c_calls *calls, const struct program *p, const struct machine *m)
{
	calls->program = p;
	calls->machine = m;
	calls->mem = (struct frame_memory){machine_mem_const(m), c_value_peek_memory, m};
	calls->count = 0;
	if (!calls->deep) {
		calls->room = FRAMES_MAX;
		calls->frames = calls->near.frames;
		calls->seen = calls->near.seen;
		calls->regs = calls->near.regs;
		calls->places = calls->near.places;
	}
	walk_begin(p);
}

void c_calls_deinit(struct c_calls *calls)
{
	free(calls->deep);
	calls->deep = NULL;
}

/* Makes room for all calls. The near ones stay: frames under evaluation point to them. */
static bool c_calls_deepen(struct c_calls *calls)
{
	struct c_calls_deep *deep = calls->deep ? NULL : alloc_bytes(sizeof *deep);
	if (!deep)
		return false;
	memcpy(deep->seen, calls->seen, calls->seen_count * sizeof *calls->seen);
	calls->deep = deep;
	calls->room = FRAMES_ALL;
	calls->frames = deep->frames;
	calls->seen = deep->seen;
	calls->regs = deep->regs;
	calls->places = deep->places;
	return true;
}

void c_calls_unwind(struct c_calls *calls, size_t level)
{
	struct unwind_regs now = {.known = UINT64_MAX, .pc = machine_seen_pc(calls->machine)};
	const size_t needed = level + 1 + EXPRESSION_NESTED_MAX;
	if (calls->count && (calls->count < calls->asked || needed <= calls->count))
		return;
	if (!calls->count)
		calls->seen_count = calls->seen_calls = 0;
	if (calls->count == calls->room && !c_calls_deepen(calls))
		return;
	/* Doubles the number of unwound levels each time, for callers that request level after
	 * level. */
	calls->asked = level ? 2 * needed : needed;
	if (calls->asked > calls->room)
		calls->asked = calls->room;
	for (unsigned i = 0; i < 64; i++)
		now.r[i] = machine_seen_reg(calls->machine, i);
	calls->count = program_unwind(calls->program, &calls->mem, &now, calls->frames, calls->regs,
	                              calls->asked);
	for (size_t i = 0; i < calls->count; i++) {
		const uint64_t look = calls->frames[i].pc - (i > 0);
		calls->places[i] = (struct place_frame){
			.image = scope_image(calls->program, look),
			.mem = &calls->mem,
			.regs = &calls->regs[i],
			.look = look,
			.cfa = calls->frames[i].cfa,
			.cfa_known = true,
			.caller = i + 1 < calls->count ? &calls->places[i + 1] : NULL,
		};
	}
	if (calls->count == FRAMES_MAX && needed > FRAMES_MAX && !calls->deep)
		c_calls_unwind(calls, level);
}

struct frame c_calls_seen(struct c_calls *calls, size_t level)
{
	/* each call has at least one frame */
	const size_t needed = level + 1 < calls->count ? level + 1 : calls->count;
	if (calls->seen_count <= level && calls->seen_calls < needed) {
		calls->seen_count += inlined_frames(
			calls->program, calls->frames + calls->seen_calls,
			needed - calls->seen_calls, calls->seen + calls->seen_count,
			calls->room - calls->seen_count);
		calls->seen_calls = needed;
	}
	return calls->seen[level < calls->seen_count ? level : 0];
}

struct place_frame c_calls_frame(const struct c_calls *calls, size_t level)
{
	struct place_frame f = calls->places[level];
	struct scope_chain chain;
	if (!scope_chain(f.image, f.look, &chain) || !scope_function(&chain, &f.function))
		f.function.addr = NULL;
	return f;
}

/* ---- values of names ---- */
void c_variable(const struct c_calls *calls, const struct place_frame *frame,
                const struct scope_name *name, struct c_value *out)
{
	/* A variable outside frames may be thread-local. */
	const struct unwind_regs none = {.r[REG_TP] = machine_seen_reg(calls->machine, REG_TP),
	                                 .known = UINT64_C(1) << REG_TP};
	const struct place_frame no_frame = {
		.image = name->image, .mem = &calls->mem, .regs = &none};
	struct place at;
	*out = (struct c_value){.where = C_OUT, .reg = -1};
	if (!variable_find(frame ? frame : &no_frame, name, &out->type, &at)) {
		out->unmade = elf_place_is_thread(name);
		return;
	}
	out->where = at.in_memory ? C_MEMORY : C_BYTES;
	out->addr = at.addr;
	out->known = at.known;
	out->reg = at.reg;
	memcpy(out->bytes, at.bytes, sizeof out->bytes);
}

/* ---- reading ---- */
static struct c_value made_of(struct ctype type, const void *bytes, unsigned n)
{
	struct c_value v = {.type = type, .where = C_BYTES, .known = place_bytes(0, n), .reg = -1};
	memcpy(v.bytes, bytes, n);
	return v;
}

struct c_value c_integer(uint64_t bits, unsigned size, bool is_signed)
{
	return made_of(ctype_made(CTYPE_INT, size, is_signed), &bits, sizeof bits);
}

struct c_value c_wide_integer(unsigned __int128 bits, unsigned size, bool is_signed)
{
	return made_of(ctype_made(CTYPE_INT, size, is_signed), &bits, sizeof bits);
}

struct c_value c_double(double d)
{
	return made_of(ctype_made(CTYPE_FLOAT, 8, true), &d, sizeof d);
}

struct c_value c_float(quad q, unsigned size)
{
	uint8_t bytes[QUAD_BYTES];
	const double d = (double)q;
	const float f = (float)q;
	quad_to_bytes(q, bytes);
	return made_of(ctype_made(CTYPE_FLOAT, size, true),
	               size == 4   ? (const void *)&f
	               : size == 8 ? (const void *)&d
	                           : bytes,
	               size);
}

struct c_value c_complex(const struct c_value part[2])
{
	const unsigned size = (unsigned)part->type.size;
	uint8_t bytes[2 * QUAD_BYTES];
	memcpy(bytes, part[0].bytes, size);
	memcpy(bytes + size, part[1].bytes, size);
	return made_of(ctype_made(CTYPE_COMPLEX, 2 * size, true), bytes, 2 * size);
}

bool c_read(const struct c_calls *calls, const struct c_value *v, uint64_t at, void *buf,
            uint64_t n)
{
	if (v->where == C_MEMORY)
		return frame_read(&calls->mem, v->addr + at, buf, n);
	if (v->where == C_KEPT) {
		memcpy(buf, v->kept + at, n);
		return true;
	}
	if (v->where != C_BYTES || at + n > sizeof v->bytes)
		return false;
	const place_mask mask = place_bytes(at, n);
	memcpy(buf, v->bytes + at, n);
	return (v->known & mask) == mask;
}

static bool c_value_report_unreadable(const struct c_value *v, struct err *err)
{
	if (v->where == C_MEMORY)
		return err_set(err, "Cannot access memory at address 0x%" PRIx64, v->addr);
	return err_set(err, v->unmade ? "it is %s" : "it is %s here", c_out_text(v));
}

static uint64_t c_value_extend_bits(uint64_t bits, unsigned width, bool is_signed)
{
	const unsigned shift = 64 - width;
	return is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits << shift >> shift;
}

static bool c_value_read_bit_field(const struct c_calls *calls, const struct c_value *v,
                                   uint64_t *bits, struct err *err)
{
	unsigned __int128 all = 0;
	const unsigned bytes = (v->bit_offset + v->bit_size + 7) / 8;
	if (!c_read(calls, v, 0, &all, bytes))
		return c_value_report_unreadable(v, err);
	*bits = c_value_extend_bits((uint64_t)(all >> v->bit_offset), v->bit_size,
	                            v->type.is_signed);
	return true;
}

/* Bits of a scalar of 128 bits. */
static bool c_value_narrow_quad(const struct c_calls *calls, const struct c_value *v,
                                uint64_t *bits, struct err *err)
{
	uint8_t bytes[QUAD_BYTES];
	unsigned __int128 all;
	if (!c_read(calls, v, 0, bytes, sizeof bytes))
		return c_value_report_unreadable(v, err);
	if (v->type.kind == CTYPE_FLOAT) {
		const double d = (double)quad_from_bytes(bytes);
		memcpy(bits, &d, sizeof d);
		return true;
	}
	memcpy(&all, bytes, sizeof all);
	*bits = (uint64_t)all;
	if (v->type.is_signed ? (__int128)all == (int64_t)all : all == *bits)
		return true;
	return err_set(err, "it needs more than 64 bits; (long) cuts it");
}

bool c_bits(const struct c_calls *calls, const struct c_value *v, uint64_t *bits, struct err *err)
{
	char type[128];
	if (v->where == C_TEXT)
		return err_set(err, "\"%.100s\" is a text: only == and != compare it", v->text);
	if ((v->type.kind == CTYPE_ARRAY || v->type.kind == CTYPE_FUNCTION) &&
	    (v->where == C_MEMORY || (v->where == C_KEPT && v->addr))) {
		*bits = v->addr;
		return true;
	}
	if (!ctype_is_scalar(&v->type) && v->type.kind != CTYPE_MEMBER)
		return err_set(
			err, "it has the type %s, which is no number: name a member or an element",
			ctype_text(&v->type, NULL, type, sizeof type));
	if (v->bit_size)
		return c_value_read_bit_field(calls, v, bits, err);
	/* the first word distinguishes member pointers */
	if (v->type.kind == CTYPE_MEMBER)
		return c_read(calls, v, 0, bits, sizeof *bits) || c_value_report_unreadable(v, err);
	if (v->type.size > sizeof *bits)
		return c_value_narrow_quad(calls, v, bits, err);
	uint64_t raw = 0;
	if (!c_read(calls, v, 0, &raw, v->type.size))
		return c_value_report_unreadable(v, err);
	if (v->type.kind == CTYPE_FLOAT && v->type.size == 4) {
		float f;
		double d;
		memcpy(&f, &raw, sizeof f);
		d = (double)f;
		memcpy(bits, &d, sizeof d);
	} else {
		*bits = c_value_extend_bits(raw, (unsigned)(8 * v->type.size),
		                            v->type.is_signed && v->type.kind != CTYPE_FLOAT);
	}
	return true;
}

bool c_number(const struct c_calls *calls, const struct c_value *v, double *d, struct err *err)
{
	uint64_t bits;
	if (!c_bits(calls, v, &bits, err))
		return false;
	if (v->type.kind == CTYPE_FLOAT)
		memcpy(d, &bits, sizeof bits);
	else
		*d = v->type.is_signed ? (double)(int64_t)bits : (double)bits;
	return true;
}

bool c_wide(const struct c_calls *calls, const struct c_value *v, unsigned __int128 *bits,
            struct err *err)
{
	uint64_t low;
	if (v->type.kind == CTYPE_INT && v->type.size == sizeof *bits && v->where != C_TEXT)
		return c_read(calls, v, 0, bits, sizeof *bits) || c_value_report_unreadable(v, err);
	if (!c_bits(calls, v, &low, err))
		return false;
	*bits = v->type.is_signed ? (unsigned __int128)(int64_t)low : low;
	return true;
}

bool c_quad(const struct c_calls *calls, const struct c_value *v, quad *q, struct err *err)
{
	uint8_t bytes[QUAD_BYTES];
	unsigned __int128 bits;
	double d;
	if (v->type.kind == CTYPE_FLOAT && v->type.size == QUAD_BYTES && v->where != C_TEXT) {
		if (!c_read(calls, v, 0, bytes, sizeof bytes))
			return c_value_report_unreadable(v, err);
		*q = quad_from_bytes(bytes);
	} else if (v->type.kind == CTYPE_FLOAT) {
		if (!c_number(calls, v, &d, err))
			return false;
		*q = (quad)d;
	} else {
		if (!c_wide(calls, v, &bits, err))
			return false;
		*q = v->type.is_signed ? (quad)(__int128)bits : (quad)bits;
	}
	return true;
}

bool c_is_readable(const struct c_calls *calls, const struct c_value *v, struct err *err)
{
	enum { STEP = 4096 };
	uint8_t byte;
	if (v->where != C_MEMORY || v->type.kind == CTYPE_FUNCTION)
		return true;
	for (uint64_t at = 0; at < v->type.size; at += STEP - (v->addr + at) % STEP)
		if (!frame_read(&calls->mem, v->addr + at, &byte, 1))
			return err_set(err, "Cannot access memory at address 0x%" PRIx64,
			               v->addr + at);
	return true;
}

/* ---- parts ---- */
/* The part of a value that begins at byte `at`, with another type. */
static void c_value_slice(const struct c_value *v, uint64_t at, const struct ctype *type,
                          struct c_value *out)
{
	const struct c_value whole = *v;
	*out = whole;
	out->type = *type;
	out->reg = -1;
	out->bit_size = 0;
	if (whole.where == C_MEMORY) {
		out->addr = whole.addr + at;
	} else if (whole.where == C_KEPT) {
		out->addr = whole.addr ? whole.addr + at : 0;
		out->kept = whole.kept + at;
	} else if (whole.where == C_BYTES && at < sizeof whole.bytes) {
		memset(out->bytes, 0, sizeof out->bytes);
		memcpy(out->bytes, whole.bytes + at, sizeof whole.bytes - at);
		out->known = whole.known >> at;
	} else if (whole.where == C_TEXT && at < whole.type.size) {
		out->where = C_BYTES;
		memset(out->bytes, 0, sizeof out->bytes);
		memcpy(out->bytes, whole.text + at, whole.type.size - at);
		out->known = place_bytes(0, whole.type.size - at);
		out->text[0] = '\0';
	} else {
		out->where = C_OUT;
	}
}

void c_complex_parts(const struct c_value *v, struct c_value part[2])
{
	const unsigned size = (unsigned)v->type.size / 2;
	const struct ctype type = ctype_made(CTYPE_FLOAT, size, true);
	c_value_slice(v, 0, &type, &part[0]);
	c_value_slice(v, size, &type, &part[1]);
}

bool c_part(const struct c_value *v, const struct cmember *m, struct c_value *out)
{
	const unsigned offset = m->bit_offset, size = m->bit_size;
	c_value_slice(v, m->offset, &m->type, out);
	out->bit_offset = offset;
	out->bit_size = size;
	return true;
}

bool c_pointed(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
               struct err *err)
{
	struct ctype target = ctype_target(&v->type);
	char type[128];
	uint64_t addr;
	scope_complete_type(calls->program, &target);
	if (v->type.kind != CTYPE_POINTER && v->type.kind != CTYPE_ARRAY &&
	    v->type.kind != CTYPE_FUNCTION)
		return err_set(err, "it has the type %s, which points to nothing",
		               ctype_text(&v->type, NULL, type, sizeof type));
	if (v->type.kind == CTYPE_ARRAY && v->where != C_MEMORY) {
		c_value_slice(v, 0, &target, out);
		return true;
	}
	if (!c_bits(calls, v, &addr, err))
		return false;
	if (v->type.kind == CTYPE_POINTER && target.kind == CTYPE_VOID)
		return err_set(err, "a void * has to be cast before it is followed: *(long *)...");
	*out = (struct c_value){.type = v->type.kind == CTYPE_FUNCTION ? v->type : target,
	                        .where = C_MEMORY,
	                        .addr = addr,
	                        .reg = -1};
	return true;
}

bool c_referent(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
                struct err *err)
{
	const struct c_value is = *v;
	if (is.where != C_TEXT && is.type.is_reference)
		return c_pointed(calls, &is, out, err);
	*out = is;
	return true;
}

void c_static(const struct c_calls *calls, const struct cmember *m, struct c_value *out)
{
	struct scope_name found;
	char name[SCOPED_MAX];
	struct dwarf_walk walk = walk_of_type();
	Dwarf_Die die = m->die;
	scoped_name(&walk, &die, name, sizeof name);
	if (index_find(calls->program, NULL, 0, name, &found) && found.kind == SCOPE_VARIABLE)
		c_variable(calls, NULL, &found, out);
	else
		*out = (struct c_value){.type = m->type, .where = C_OUT, .reg = -1};
}

bool c_element(const struct c_calls *calls, const struct c_value *v, int64_t i, struct c_value *out,
               struct err *err)
{
	struct c_value first;
	if (v->type.kind == CTYPE_FUNCTION)
		return err_set(err, "a function has no elements");
	if (!c_pointed(calls, v, &first, err))
		return false;
	if (!first.type.size)
		return err_set(err, "the size of its elements is not known");
	if (first.where == C_MEMORY) {
		first.addr += (uint64_t)i * first.type.size;
		*out = first;
		return true;
	}
	const uint64_t room = v->type.size ? v->type.size : sizeof v->bytes;
	if (i < 0 || (uint64_t)i >= room / first.type.size)
		return err_set(err, "it has no element %" PRId64 ": it lies in no memory", i);
	const struct ctype type = first.type;
	c_value_slice(&first, (uint64_t)i * type.size, &type, out);
	return true;
}

bool c_address(const struct c_value *v, struct c_value *out, struct err *err)
{
	if (v->bit_size)
		return err_set(err, "a bit-field has no address");
	if (v->where == C_OUT)
		return c_value_report_unreadable(v, err);
	if (v->where != C_MEMORY && !(v->where == C_KEPT && v->addr))
		return err_set(err,
		               v->reg >= 0 ? "it has no address: it is in register %s"
		                           : "it has no address: it is a computed value",
		               reg_name(v->reg >= 0 ? (unsigned)v->reg : REG_ZERO));
	const uint64_t addr = v->addr;
	const struct ctype type = ctype_pointer_to(v->type);
	*out = c_integer(addr, 8, false);
	out->type = type;
	return true;
}
