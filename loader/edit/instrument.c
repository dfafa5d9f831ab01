#include "loader/edit/instrument.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "loader/edit/edit.h"
#include "loader/edit/liveness.h"
#include "loader/program_priv.h"

#define SECTION ".cyclops.counters"
#define MAGIC UINT64_C(0x314e554f43435943) /* "CYCCOUN1" */

/* The section: this, and the counters behind it. */
struct counters_header {
	uint64_t magic, kind, memory, count;
};

const char *const instrument_name[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) name,
	INSTRUMENT_KINDS(K)
#undef K
};

const char *const instrument_help[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) help,
	INSTRUMENT_KINDS(K)
#undef K
};

bool instrument_parse(const char *text, enum instrument_kind *out, struct err *err)
{
	struct nearest near;
	nearest_init(&near, text);
	for (unsigned i = 0; i < INSTRUMENT_KIND_COUNT; i++) {
		if (!strcmp(text, instrument_name[i])) {
			*out = (enum instrument_kind)i;
			return true;
		}
		nearest_offer(&near, instrument_name[i]);
	}
	return near.best ? err_set(err, "no kind of instrumentation is called '%s'; did you mean '%s'?", text, near.best)
	                 : err_set(err, "no kind of instrumentation is called '%s'; there are bb, edge and nothing", text);
}

/* ---- code that counts ---- */
enum { SP = 2, SPILL_BYTES = 16, COUNT_MAX = 10, CODE_MAX = 2 * COUNT_MAX };

/* Registers that code may be given, best first. Where none is free, the first are saved. */
static const uint8_t candidates[] = {5, 6, 7, 28, 29, 30, 31, 17, 16, 15, 14, 13, 12, 11, 10, 1, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 9, 8};

struct writer {
	struct edit_code code[CODE_MAX];
	unsigned n;
	int type;
};

/* The prefix of a profile instruction: c.slli x0, 8 + type. */
static void put_prefix(struct writer *w)
{
	const unsigned s = 8 + (unsigned)w->type;
	const uint32_t raw = 0x0002 | (s & 31) << 2 | (s >> 5) << 12;
	struct edit_code *c = &w->code[w->n++];
	*c = (struct edit_code){0};
	inst_decode(raw, &c->in);
}

static void put(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	if (w->type >= 0)
		put_prefix(w);
	w->code[w->n++] = (struct edit_code){
		.in = {.op = (uint8_t)op, .len = 4, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = imm},
	};
}

static void put_ref(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2, enum edit_ref ref, uint64_t target)
{
	put(w, op, rd, rs1, rs2, 0);
	w->code[w->n - 1].ref = (uint8_t)ref;
	w->code[w->n - 1].target = target;
}

/* memory[counter] += 1 with two registers, of which those in `live` are saved on the stack, above sp. Returns whether any was. */
static bool put_count(struct writer *w, uint64_t counter, uint32_t live)
{
	uint8_t r[2] = {0, 0}, saved[2];
	unsigned n = 0, spills = 0;
	for (unsigned i = 0; i < sizeof candidates && n < 2; i++)
		if (!(live >> candidates[i] & 1))
			r[n++] = candidates[i];
	for (unsigned i = 0; n < 2; i++)
		if (candidates[i] != r[0])
			r[n++] = saved[spills++] = candidates[i];
	if (spills)
		put(w, OP_ADDI, SP, SP, 0, -SPILL_BYTES);
	for (unsigned i = 0; i < spills; i++)
		put(w, OP_SD, REG_SINK, SP, saved[i], 8 * (int32_t)i);
	put_ref(w, OP_AUIPC, r[0], 0, 0, REF_HIGH, counter);
	put_ref(w, OP_LD, r[1], r[0], 0, REF_LOW, counter);
	put(w, OP_ADDI, r[1], r[1], 0, 1);
	put_ref(w, OP_SD, REG_SINK, r[0], r[1], REF_LOW, counter);
	for (unsigned i = 0; i < spills; i++)
		put(w, OP_LD, saved[i], SP, 0, 8 * (int32_t)i);
	if (spills)
		put(w, OP_ADDI, SP, SP, 0, SPILL_BYTES);
	return spills > 0;
}

/* ---- a program ---- */
struct job {
	struct edit *e;
	const struct instrument_options *o;
	struct instrument_summary *sum;
	struct err *err;
	const struct edit_inst *insts;
	uint32_t count;
	uint32_t *live;          /* [count], owned */
	struct counter *counters; /* [sum->counters], owned */
	uint64_t memory;
};

typedef bool put_fn(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n, struct err *err);

static uint64_t end_of(const struct edit_inst *i)
{
	return i->addr + i->in.len;
}

static bool add_counter(struct job *j, uint32_t i, put_fn *place, uint32_t live, uint64_t to)
{
	struct writer w = {.type = j->o->type};
	const uint32_t k = j->sum->counters++;
	j->counters[k] = (struct counter){j->insts[i].addr, to};
	j->sum->spilled += put_count(&w, j->memory + 8 * (uint64_t)k, live);
	return place(j->e, i, w.code, w.n, j->err);
}

static bool is_code(const struct job *j, uint32_t i)
{
	return !(j->insts[i].flags & EDIT_DATA);
}

static uint64_t block_end(const struct job *j, uint32_t i)
{
	while (i + 1 < j->count && is_code(j, i + 1) && !edit_is_leader(j->e, i + 1))
		i++;
	return end_of(&j->insts[i]);
}

static bool count_blocks(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++)
		if (is_code(j, i) && edit_is_leader(j->e, i) && !add_counter(j, i, edit_before, j->live[i], block_end(j, i)))
			return false;
	return true;
}

/* What matters where a direct branch or jump leads. */
static uint32_t live_at_target(const struct job *j, const struct edit_inst *i)
{
	uint32_t to = edit_inst_at(j->e, i->target);
	return to == EDIT_NONE ? UINT32_MAX : j->live[to];
}

static bool count_edges(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++) {
		const struct edit_inst *at = &j->insts[i];
		const unsigned flags = inst_flags(&at->in);
		if (!is_code(j, i) || at->ref != REF_NEAR)
			continue;
		/* A jump always goes there: it is counted before it. Of a call, which writes its link register, that is so as well. */
		if (flags & OPF_JUMP) {
			if (!add_counter(j, i, edit_before, j->live[i], at->target))
				return false;
			continue;
		}
		if (!add_counter(j, i, edit_taken, live_at_target(j, at), at->target) ||
		    !add_counter(j, i, edit_behind, i + 1 < j->count && is_code(j, i + 1) ? j->live[i + 1] : UINT32_MAX, end_of(at)))
			return false;
	}
	return true;
}

static bool put_in(struct job *j)
{
	/* At most two for an instruction. */
	j->counters = malloc(2 * ((size_t)j->count + 1) * sizeof *j->counters);
	j->live = edit_liveness(j->e);
	if (!j->counters || !j->live)
		return err_set(j->err, "out of memory for instrumentation");
	j->memory = edit_memory_here(j->e);
	switch (j->o->kind) {
	case INSTRUMENT_BB:
		return count_blocks(j);
	case INSTRUMENT_EDGE:
		return count_edges(j);
	default:
		return true;
	}
}

static bool describe(struct job *j)
{
	const struct counters_header head = {MAGIC, j->o->kind, j->memory, j->sum->counters};
	const size_t n = sizeof head + j->sum->counters * sizeof *j->counters;
	uint8_t *bytes = malloc(n);
	if (!bytes)
		return err_set(j->err, "out of memory for instrumentation");
	memcpy(bytes, &head, sizeof head);
	if (j->sum->counters)
		memcpy(bytes + sizeof head, j->counters, n - sizeof head);
	bool ok = edit_section(j->e, SECTION, bytes, n, j->err);
	free(bytes);
	return ok;
}

struct program *instrument_program(const struct program *p, const struct instrument_options *o, struct instrument_summary *sum,
                                   void **file, size_t *n, struct err *err)
{
	struct instrument_summary unseen;
	struct job j = {.e = edit_open(p, err), .o = o, .sum = sum ? sum : &unseen, .err = err};
	if (!j.e)
		return NULL;
	*j.sum = (struct instrument_summary){0};
	j.insts = edit_insts(j.e, &j.count);
	edit_functions(j.e, &j.sum->functions);
	for (uint32_t i = 0; i < j.count; i++) {
		j.sum->insts += is_code(&j, i);
		j.sum->code_before += j.insts[i].in.len;
	}
	struct program *q = NULL;
	if (put_in(&j)) {
		edit_memory(j.e, 8 * (size_t)j.sum->counters);
		if (describe(&j))
			q = edit_finish(j.e, err);
	}
	if (q) {
		j.sum->code_after = edit_code_bytes(j.e);
		const void *bytes = edit_file(j.e, n ? n : &(size_t){0});
		if (file && (*file = malloc(*n)))
			memcpy(*file, bytes, *n);
	}
	if (q && file && !*file) {
		err_format(err, "out of memory for the new file");
		program_free(q);
		q = NULL;
	}
	free(j.live);
	free(j.counters);
	edit_free(j.e);
	return q;
}

struct program *instrument_edit(struct program *p, void *ctx, struct err *err)
{
	struct program *q = instrument_program(p, ctx, NULL, NULL, NULL, err);
	program_free(p);
	return q;
}

/* ---- reading ---- */
bool program_counters(const struct program *p, struct counters *out)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	struct counters_header h;
	if (elf_getshdrstrndx(p->elf, &names))
		return false;
	while ((scn = elf_nextscn(p->elf, scn))) {
		const char *name = gelf_getshdr(scn, &head) ? elf_strptr(p->elf, names, head.sh_name) : NULL;
		if (!name || strcmp(name, SECTION) != 0 || head.sh_offset > p->n || head.sh_size > p->n - head.sh_offset ||
		    head.sh_size < sizeof h || head.sh_offset % 8)
			continue;
		memcpy(&h, p->bytes + head.sh_offset, sizeof h);
		if (h.magic != MAGIC || h.kind >= INSTRUMENT_KIND_COUNT || h.count != (head.sh_size - sizeof h) / sizeof(struct counter))
			continue;
		*out = (struct counters){
			.kind = (enum instrument_kind)h.kind, .memory = h.memory, .count = h.count,
			.all = (const struct counter *)(const void *)(p->bytes + head.sh_offset + sizeof h),
		};
		return true;
	}
	return false;
}
