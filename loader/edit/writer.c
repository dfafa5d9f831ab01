#include "loader/edit/writer.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { SP = 2 };
#define NOWHERE UINT64_MAX

/* Registers for inserted code, best first. If none is free, the first are saved. */
static const uint8_t candidates[] = {5,  6, 7,  28, 29, 30, 31, 17, 16, 15, 14, 13, 12, 11,
                                     10, 1, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 9,  8};
enum { CANDIDATES = sizeof candidates };

/* Callee-saved: ra, and s0 to s11. */
#define KEPT_FOR_CALLERS UINT32_C(0x0ffc0302)

void writer_init(struct writer *w, int type)
{
	memset(w, 0, offsetof(struct writer, code));
	w->type = type;
}

unsigned writer_free_register(uint32_t taken)
{
	/* From the far end of the temporaries; writer_begin() takes them from the near end. */
	static const uint8_t kept[] = {31, 30, 29, 28, 7, 6, 5, 17, 16, 15, 14, 13, 12, 11, 10};
	for (unsigned i = 0; i < sizeof kept; i++)
		if (!(taken >> kept[i] & 1))
			return kept[i];
	return 0;
}

/* Writes the prefix of a profile instruction: c.slli x0, 8 + type. */
static void put_prefix(struct writer *w)
{
	const unsigned s = 8 + (unsigned)w->type;
	const uint32_t raw = 0x0002 | (s & 31) << 2 | (s >> 5) << 12;
	struct edit_code *c = &w->code[w->n++];
	*c = (struct edit_code){0};
	inst_decode(raw, &c->in);
}

void writer_put(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	if (w->type >= 0)
		put_prefix(w);
	w->code[w->n++] = (struct edit_code){
		.in = {.op = op & OP_MASK,
	               .len = 4,
	               .rd = (uint8_t)rd,
	               .rs1 = (uint8_t)rs1,
	               .rs2 = (uint8_t)rs2,
	               .imm = imm},
	};
}

void writer_put_ref(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2,
                    enum edit_ref ref, uint64_t target)
{
	writer_put(w, op, rd, rs1, rs2, 0);
	w->code[w->n - 1].ref = (uint8_t)ref;
	w->code[w->n - 1].target = target;
}

void writer_put_address(struct writer *w, unsigned rd, uint64_t of)
{
	writer_put_ref(w, OP_AUIPC, rd, 0, 0, REF_HIGH, of);
	writer_put_ref(w, OP_ADDI, rd, rd, 0, REF_LOW, 0);
}

void writer_put_constant(struct writer *w, unsigned rd, int64_t imm)
{
	const int32_t low = (int32_t)((uint64_t)imm << 52 >> 52 ^ 0x800) - 0x800;
	const int64_t high = (int64_t)((uint64_t)imm - (uint64_t)(int64_t)low);
	if (imm == (int32_t)imm) {
		if (high)
			writer_put(w, OP_LUI, rd, 0, 0, (int32_t)(uint32_t)high);
		if (low || !high)
			writer_put(w, high ? OP_ADDIW : OP_ADDI, rd, high ? rd : 0, 0, low);
		return;
	}
	writer_put_constant(w, rd, high >> 12);
	writer_put(w, OP_SLLI, rd, rd, 0, 12);
	if (low)
		writer_put(w, OP_ADDI, rd, rd, 0, low);
}

static int32_t spill_bytes(const struct writer *w)
{
	return (int32_t)(w->saves + 1) / 2 * 16;
}

int32_t writer_sp(const struct writer *w)
{
	return spill_bytes(w);
}

static void writer_discard_code(struct writer *w)
{
	w->n = w->saves = w->labels = 0;
}

static void writer_spill_registers(struct writer *w)
{
	if (!w->saves)
		return;
	w->spilled++;
	writer_put(w, OP_ADDI, SP, SP, 0, -spill_bytes(w));
	for (unsigned i = 0; i < w->saves; i++) {
		assert(!(KEPT_FOR_CALLERS >> w->saved[i] & 1));
		writer_put(w, OP_SD, REG_SINK, SP, w->saved[i], 8 * (int32_t)i);
	}
}

void writer_begin_with(struct writer *w, unsigned count, uint32_t live, uint32_t keep)
{
	unsigned n = 0;
	writer_discard_code(w);
	for (unsigned i = 0; i < CANDIDATES && n < count; i++)
		if (!((live | keep) >> candidates[i] & 1))
			w->temporary[n++] = candidates[i];
	for (unsigned i = 0; n < count; i++)
		if ((live & ~keep) >> candidates[i] & 1)
			w->temporary[n++] = w->saved[w->saves++] = candidates[i];
	writer_spill_registers(w);
}

void writer_begin_fixed(struct writer *w, uint32_t registers, uint32_t live, uint32_t keep)
{
	unsigned n = 0;
	writer_discard_code(w);
	for (unsigned r = 1; r < 32 && n < WRITER_TEMPORARIES; r++) {
		if (!(registers >> r & 1))
			continue;
		w->temporary[n++] = (uint8_t)r;
		if ((live & ~keep) >> r & 1)
			w->saved[w->saves++] = (uint8_t)r;
	}
	writer_spill_registers(w);
}

void writer_begin(struct writer *w, uint32_t live, uint32_t keep)
{
	writer_begin_with(w, 2, live, keep);
}

void writer_end(struct writer *w)
{
	for (unsigned i = 0; i < w->saves; i++)
		writer_put(w, OP_LD, w->saved[i], SP, 0, 8 * (int32_t)i);
	if (w->saves)
		writer_put(w, OP_ADDI, SP, SP, 0, spill_bytes(w));
	writer_link(w);
}

/* ---- labels ---- */
unsigned writer_new_label(struct writer *w)
{
	w->label[w->labels] = NOWHERE;
	return w->labels++;
}

void writer_here(struct writer *w, unsigned label)
{
	w->label[label] = w->n;
}

void writer_branch(struct writer *w, enum op op, unsigned rs1, unsigned rs2, unsigned label)
{
	writer_put(w, op, 0, rs1, rs2, 0);
	w->code[w->n - 1].ref = REF_LABEL;
	w->code[w->n - 1].target = label;
}

void writer_jump(struct writer *w, unsigned label)
{
	writer_put(w, OP_JAL, REG_SINK, 0, 0, 0);
	w->code[w->n - 1].ref = REF_LABEL;
	w->code[w->n - 1].target = label;
}

void writer_link(struct writer *w)
{
	for (unsigned i = 0; w->labels && i < w->n; i++)
		if (w->code[i].ref == REF_LABEL)
			w->code[i].target = w->label[w->code[i].target];
	w->labels = 0;
}

void writer_call(struct writer *w, unsigned link, uint64_t routine)
{
	if (w->type < 0) {
		if (w->type < 0) {
		writer_put_ref(w, OP_JAL, link, 0, 0, REF_NEAR, routine);
		return;
	}
	/* Each instruction has a prefix: a jal that grew would leave its second half without. */
	writer_put_ref(w, OP_AUIPC, link, 0, 0, REF_HIGH, routine);
	writer_put_ref(w, OP_JALR, link, link, 0, REF_LOW, routine);
		return;
	}
	/* A jump that does not reach becomes two instructions, but a prefix covers one. */
	writer_put_ref(w, OP_AUIPC, link, 0, 0, REF_HIGH, routine);
	writer_put_ref(w, OP_JALR, link, link, 0, REF_LOW, 0);
}

void writer_return(struct writer *w, unsigned link)
{
	writer_put(w, OP_JALR, REG_SINK, link, 0, 0);
}

void writer_add(struct writer *w, bool atomic, unsigned at, int32_t offset, unsigned by,
                unsigned old)
{
	if (!atomic) {
		writer_put(w, OP_LD, old, at, 0, offset);
		writer_put(w, OP_ADD, old, old, by, 0);
		writer_put(w, OP_SD, REG_SINK, at, old, offset);
		return;
	}
	if (offset)
		writer_put(w, OP_ADDI, at, at, 0, offset);
	writer_put(w, OP_AMOADD_D, REG_SINK, at, by, 0);
}

void writer_add_one(struct writer *w, bool atomic, unsigned at, int32_t offset, unsigned value)
{
	if (atomic) {
		writer_put(w, OP_ADDI, value, 0, 0, 1);
		writer_add(w, true, at, offset, value, 0);
		return;
	}
	writer_put(w, OP_LD, value, at, 0, offset);
	writer_put(w, OP_ADDI, value, value, 0, 1);
	writer_put(w, OP_SD, REG_SINK, at, value, offset);
}

void writer_count(struct writer *w, bool atomic, uint64_t counter, uint32_t live)
{
	writer_begin(w, live, 0);
	const unsigned at = w->temporary[0], value = w->temporary[1];
	if (atomic) {
		writer_put_ref(w, OP_AUIPC, at, 0, 0, REF_HIGH, counter);
		writer_put_ref(w, OP_ADDI, at, at, 0, REF_LOW, 0);
		writer_add_one(w, true, at, 0, value);
		writer_end(w);
		return;
	}
	writer_put_ref(w, OP_AUIPC, at, 0, 0, REF_HIGH, counter);
	writer_put_ref(w, OP_LD, value, at, 0, REF_LOW, counter);
	writer_put(w, OP_ADDI, value, value, 0, 1);
	writer_put_ref(w, OP_SD, REG_SINK, at, value, REF_LOW, counter);
	writer_end(w);
}
