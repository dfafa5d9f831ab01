#include "loader/instrument/cct_code.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/prof/oracle/oracle.h"
#include "loader/instrument/cct.h"

enum { ZERO, RA, SP, TP = 4, T1 = 6, T2, A0 = 10, A1, A2, A3, A4, A7 = 17 };
enum { SYS_GETPID = 172, SYS_GETTID = 178 };
enum { ELEMENT_RECORD = 0, ELEMENT_NEXT = 8, ELEMENT_BYTES = 16 };
enum {
	TABLE_ID = 0,
	TABLE_BYTES = 4,
	TABLE_CALLEES = 8,
	TABLE_SITES = 12,
	TABLE_SPARE = 16,
	TABLE_LISTS = 24
};

static void cct_code_emit_load(struct writer *w, unsigned rd, unsigned base, int32_t offset)
{
	writer_put(w, OP_LD, rd, base, 0, offset);
}

static void cct_code_emit_store(struct writer *w, unsigned value, unsigned base, int32_t offset)
{
	writer_put(w, OP_SD, REG_SINK, base, value, offset);
}

static void cct_code_emit_addi(struct writer *w, unsigned rd, unsigned rs, int32_t imm)
{
	writer_put(w, OP_ADDI, rd, rs, 0, imm);
}

/* ---- the routine ---- */
/* Registers that the routine preserves. */
static const uint8_t kept[] = {T1, T2, A0, A1, A2, A3, A4};
enum { KEPT = sizeof kept, KEPT_BYTES = 64, KEPT_A0 = 16, KEPT_A7 = 56 };

enum label {
	AGAIN,
	WALK,
	FOUND,
	FIRST,
	NOT_FOUND,
	FRESH,
	SEARCH,
	UP,
	ANCESTOR,
	FILL,
	FILL_MORE,
	DIRECT,
	LINK,
	LINK_DIRECT,
	FULL,
	FULL_FILL,
	STRANGE,
	SIGNALLED,
	COROUTINE,
	ROOT,
	UNKNOWN_ROOT,
	NUMBERED,
	KNOWN,
	CALLED,
	STREAM,
	STREAM_FOUND,
	STREAM_NEW,
	STREAM_PUSH,
	STREAM_SLOT,
	OUT,
	LABELS,
};

struct routine {
	struct writer *w;
	unsigned label[LABELS];
	const struct cct_memory *m;
};

static void cct_code_bind_label(struct routine *r, enum label l)
{
	writer_here(r->w, r->label[l]);
}

static void cct_code_emit_branch(struct routine *r, enum op op, unsigned rs1, unsigned rs2,
                                 enum label l)
{
	writer_branch(r->w, op, rs1, rs2, r->label[l]);
}

static void cct_code_emit_jump(struct routine *r, enum label l)
{
	writer_jump(r->w, r->label[l]);
}

/* a0 = t1 bytes of the heap; jumps to FULL if there are none. Safe against handlers in between. */
static void cct_code_emit_allocation(struct routine *r, enum label full)
{
	struct writer *w = r->w;
	writer_put_address(w, CCT_BASE, r->m->state);
	cct_code_emit_addi(w, A0, CCT_BASE, CCT_HEAP_NEXT);
	writer_put(w, OP_AMOADD_D, A0, A0, T1, 0);
	writer_put(w, OP_ADD, T1, T1, A0, 0);
	cct_code_emit_load(w, CCT_BASE, CCT_BASE, CCT_HEAP_END);
	cct_code_emit_branch(r, OP_BLTU, CCT_BASE, T1, full);
}

/* Searches the list in a slot. a4: slot, t1: its contents, t2: the procedure's ID. In a tree of one
 * stream, a callee that is found changes places with the first record. Elements keep their order,
 * so the list ends whatever a signal's handler does to it in between; the record that is in no
 * element for two stores is noted first, so that a reader of the tree finds all of it in any
 * cycle. */
static void put_walk(struct routine *r)
{
	struct writer *w = r->w;
	cct_code_emit_addi(w, A1, T1, -CCT_LIST);
	cct_code_emit_addi(w, A2, ZERO, 0);
	cct_code_bind_label(r, WALK);
	cct_code_emit_load(w, T1, A1, ELEMENT_RECORD);
	writer_put(w, OP_ANDI, A0, T1, 0, CCT_TAGS);
	cct_code_emit_branch(r, OP_BNE, A0, ZERO, NOT_FOUND);
	cct_code_emit_load(w, A0, T1, CCT_ID);
	cct_code_emit_branch(r, OP_BEQ, A0, T2, FOUND);
	cct_code_emit_addi(w, A2, A1, 0);
	cct_code_emit_load(w, A1, A1, ELEMENT_NEXT);
	cct_code_emit_jump(r, WALK);

	cct_code_bind_label(r, FOUND);
	if (!r->m->words) {
		cct_code_emit_branch(r, OP_BEQ, A2, ZERO, FIRST);
		cct_code_emit_load(w, A0, A4, 0);
		cct_code_emit_addi(w, A0, A0, -CCT_LIST);
		cct_code_emit_load(w, A3, A0, ELEMENT_RECORD);
		writer_put_address(w, CCT_BASE, r->m->state);
		cct_code_emit_store(w, A3, CCT_BASE, CCT_MOVED);
		cct_code_emit_store(w, T1, A0, ELEMENT_RECORD);
		cct_code_emit_store(w, A3, A1, ELEMENT_RECORD);
		cct_code_bind_label(r, FIRST);
	}
	cct_code_emit_addi(w, CCT_RECORD_REG, T1, 0);
	cct_code_emit_jump(r, OUT);
}

/* Finds an ancestor of the same procedure, or makes a record, which lies above its list element,
 * a0. t1: the slot's distance from its record, with tag; a3: bytes of the element, or 0. */
static void put_search(struct routine *r)
{
	struct writer *w = r->w;
	cct_code_bind_label(r, NOT_FOUND);
	cct_code_emit_addi(w, A3, ZERO, ELEMENT_BYTES);
	cct_code_emit_jump(r, SEARCH);
	cct_code_bind_label(r, FRESH);
	cct_code_emit_addi(w, A3, ZERO, 0);
	cct_code_bind_label(r, SEARCH);
	cct_code_emit_addi(w, T1, T1, -CCT_OFFSET);
	writer_put(w, OP_SUB, A1, A4, T1, 0);
	cct_code_emit_addi(w, A0, A1, 0);
	cct_code_bind_label(r, UP);
	cct_code_emit_load(w, T1, A0, CCT_ID);
	cct_code_emit_branch(r, OP_BEQ, T1, T2, ANCESTOR);
	cct_code_emit_load(w, A0, A0, CCT_PARENT);
	cct_code_emit_branch(r, OP_BNE, A0, ZERO, UP);

	writer_put(w, OP_LWU, T1, CCT_TABLE, 0, TABLE_BYTES);
	writer_put(w, OP_ADD, T1, T1, A3, 0);
	cct_code_emit_allocation(r, FULL);
	writer_put(w, OP_ADD, CCT_RECORD_REG, A0, A3, 0);
}

/* Fills record t4, whose parent is a1. Metrics are 0, as all of the heap. */
static void put_fill(struct routine *r)
{
	struct writer *w = r->w;
	cct_code_bind_label(r, FILL);
	cct_code_emit_store(w, A1, CCT_RECORD_REG, CCT_PARENT);
	cct_code_emit_store(w, T2, CCT_RECORD_REG, CCT_ID);
	writer_put(w, OP_LWU, T1, CCT_TABLE, 0, TABLE_CALLEES);
	writer_put(w, OP_LWU, A2, CCT_TABLE, 0, TABLE_SITES);
	cct_code_bind_label(r, FILL_MORE);
	cct_code_emit_branch(r, OP_BEQ, A2, ZERO, LINK);
	cct_code_emit_addi(w, T2, T1, CCT_OFFSET);
	writer_put(w, OP_LWU, A1, CCT_TABLE, 0, TABLE_LISTS);
	cct_code_emit_branch(r, OP_BEQ, A1, ZERO, DIRECT);
	writer_put(w, OP_ADD, A1, A1, CCT_RECORD_REG, 0);
	cct_code_emit_store(w, T2, A1, ELEMENT_RECORD);
	cct_code_emit_addi(w, T2, A1, CCT_LIST);
	cct_code_bind_label(r, DIRECT);
	writer_put(w, OP_ADD, A1, CCT_RECORD_REG, T1, 0);
	cct_code_emit_store(w, T2, A1, 0);
	cct_code_emit_addi(w, T1, T1, 8);
	cct_code_emit_addi(w, CCT_TABLE, CCT_TABLE, 4);
	cct_code_emit_addi(w, A2, A2, -1);
	cct_code_emit_jump(r, FILL_MORE);
}

/* Puts the record into the slot, through element a0 if it is a list. */
static void put_link(struct routine *r)
{
	struct writer *w = r->w;
	cct_code_bind_label(r, LINK);
	cct_code_emit_branch(r, OP_BEQ, A3, ZERO, LINK_DIRECT);
	cct_code_emit_branch(r, OP_BEQ, A0, ZERO, OUT);
	cct_code_emit_store(w, CCT_RECORD_REG, A0, ELEMENT_RECORD);
	cct_code_emit_load(w, T1, A4, 0);
	cct_code_emit_addi(w, T1, T1, -CCT_LIST);
	cct_code_emit_store(w, T1, A0, ELEMENT_NEXT);
	cct_code_emit_addi(w, A0, A0, CCT_LIST);
	cct_code_emit_store(w, A0, A4, 0);
	cct_code_emit_jump(r, OUT);
	cct_code_bind_label(r, LINK_DIRECT);
	cct_code_emit_store(w, CCT_RECORD_REG, A4, 0);
	cct_code_bind_label(r, OUT);
	for (unsigned i = 0; i < KEPT; i++)
		cct_code_emit_load(w, kept[i], SP, 8 * (int32_t)i);
	cct_code_emit_addi(w, SP, SP, KEPT_BYTES);
	writer_return(w, CCT_LINK);
}

/* A list's end, in a root whose record is `root`. Changes `value`. */
static void put_root_slot(struct writer *w, const struct cct_root *o, unsigned root, unsigned value)
{
	cct_code_emit_addi(w, value, ZERO, o->slot + CCT_OFFSET);
	cct_code_emit_store(w, value, root, o->list + ELEMENT_RECORD);
	cct_code_emit_addi(w, value, root, o->list + CCT_LIST);
	cct_code_emit_store(w, value, root, o->slot);
}

/* a4 = the slot of the stream's root, which is made if it is new; that of the program's first
 * thread is the tree's own. A record is pushed when it is complete.
 *
 * A procedure that its slot cannot have called begins its thread, if that has no number yet and is
 * not the first; else a coroutine, to which another stack and a jump have led. t1: 1 while that is
 * open. */
static void put_stream(struct routine *r)
{
	struct writer *w = r->w;
	const struct cct_root o = cct_root_of(r->m->metrics);
	cct_code_emit_addi(w, A3, ZERO, 0);
	cct_code_emit_addi(w, T1, ZERO, 1);
	cct_code_emit_jump(r, UNKNOWN_ROOT);
	cct_code_bind_label(r, ROOT);
	cct_code_emit_addi(w, T1, ZERO, 0);
	cct_code_bind_label(r, UNKNOWN_ROOT);
	cct_put_thread(w, r->m->words, A4, CCT_BASE);
	cct_code_emit_load(w, A1, A4, CCT_THREAD_NUMBER);
	cct_code_emit_branch(r, OP_BNE, A1, ZERO, NUMBERED);
	cct_code_emit_store(w, A7, SP, KEPT_A7);
	cct_code_emit_addi(w, A7, ZERO, SYS_GETTID);
	writer_put(w, OP_ECALL, REG_SINK, 0, 0, 0);
	cct_code_emit_addi(w, A1, A0, 1);
	cct_code_emit_addi(w, A7, ZERO, SYS_GETPID);
	writer_put(w, OP_ECALL, REG_SINK, 0, 0, 0);
	writer_put(w, OP_SUB, A1, A1, A0, 0);
	cct_code_emit_load(w, A7, SP, KEPT_A7);
	cct_code_emit_store(w, A1, A4, CCT_THREAD_NUMBER);
	cct_code_emit_addi(w, A0, A1, -1);
	cct_code_emit_branch(r, OP_BEQ, A0, ZERO, NUMBERED);
	cct_code_emit_addi(w, T1, ZERO, 0);
	cct_code_bind_label(r, NUMBERED);
	cct_code_emit_branch(r, OP_BEQ, T1, ZERO, KNOWN);
	cct_code_emit_addi(w, A3, ZERO, (int32_t)(ORACLE_ROOT(0, 1, 0) - 1));
	cct_code_bind_label(r, KNOWN);
	writer_put(w, OP_SLLI, A1, A1, 0, 9);
	writer_put(w, OP_OR, A3, A3, A1, 0);
	writer_put(w, OP_ORI, A3, A3, 0, 1);
	cct_code_emit_addi(w, A1, ZERO, (int32_t)ORACLE_ROOT(1, 0, 0));
	writer_put_address(w, A4, r->m->state);
	cct_code_emit_load(w, A0, A4, CCT_STREAMS);
	cct_code_emit_branch(r, OP_BNE, A1, A3, STREAM);
	cct_code_emit_load(w, A4, A4, CCT_ROOT_SLOT);
	cct_code_emit_jump(r, STREAM_SLOT);

	cct_code_bind_label(r, STREAM);
	cct_code_emit_branch(r, OP_BEQ, A0, ZERO, STREAM_NEW);
	cct_code_emit_load(w, A1, A0, o.key);
	cct_code_emit_branch(r, OP_BEQ, A1, A3, STREAM_FOUND);
	cct_code_emit_load(w, A0, A0, o.next);
	cct_code_emit_jump(r, STREAM);

	cct_code_bind_label(r, STREAM_NEW);
	cct_code_emit_addi(w, T1, ZERO, o.bytes);
	cct_code_emit_allocation(r, FULL);
	cct_code_emit_store(w, A3, A0, o.key);
	put_root_slot(w, &o, A0, A1);
	cct_code_emit_addi(w, A4, A4, CCT_STREAMS);
	cct_code_bind_label(r, STREAM_PUSH);
	cct_code_emit_load(w, A1, A4, 0);
	cct_code_emit_store(w, A1, A0, o.next);
	writer_put(w, OP_LR_D, A2, A4, 0, 0);
	cct_code_emit_branch(r, OP_BNE, A2, A1, STREAM_PUSH);
	writer_put(w, OP_SC_D, A1, A4, A0, 0);
	cct_code_emit_branch(r, OP_BNE, A1, ZERO, STREAM_PUSH);
	cct_code_bind_label(r, STREAM_FOUND);
	cct_code_emit_addi(w, A4, A0, o.slot);
	cct_code_emit_jump(r, STREAM_SLOT);

	cct_code_bind_label(r, SIGNALLED);
	cct_code_emit_load(w, A3, SP, KEPT_A0);
	writer_put(w, OP_SLLI, A3, A3, 0, 1);
	cct_code_emit_jump(r, ROOT);
	cct_code_bind_label(r, COROUTINE);
	cct_code_emit_addi(w, A3, ZERO, (int32_t)(ORACLE_ROOT(0, 1, 0) - 1));
	cct_code_emit_jump(r, ROOT);
}

/* Jumps to the root of a stream that begins with this procedure. A hand-made coroutine's procedure
 * has been entered by a return to its own first instruction, if no call stands before that
 * instruction. */
static void put_stream_entry(struct routine *r)
{
	enum { BEFORE_LINK = 256, CALL_BITS = 12, CALL_JAL = 0x0ef, CALL_JALR = 0x0e7 };
	struct writer *w = r->w;
	writer_put(w, OP_SRLI, A0, RA, 0, 31);
	cct_code_emit_branch(r, OP_BNE, A0, ZERO, SIGNALLED);
	if (r->m->context_end) {
		writer_put_address(w, A0, r->m->context_end);
		cct_code_emit_branch(r, OP_BEQ, A0, RA, COROUTINE);
	}
	cct_code_emit_branch(r, OP_BEQ, CCT_SLOT, ZERO, STRANGE);
	writer_put(w, OP_SUB, A0, CCT_LINK, RA, 0);
	writer_put(w, OP_SLTIU, A0, A0, 0, BEFORE_LINK);
	cct_code_emit_branch(r, OP_BEQ, A0, ZERO, CALLED);
	writer_put(w, OP_LW, A0, RA, 0, -4);
	writer_put(w, OP_SLLI, A0, A0, 0, 64 - CALL_BITS);
	writer_put(w, OP_SRLI, A0, A0, 0, 64 - CALL_BITS);
	writer_put(w, OP_ORI, A0, A0, 0, CALL_JAL ^ CALL_JALR);
	cct_code_emit_addi(w, A1, ZERO, CALL_JAL);
	cct_code_emit_branch(r, OP_BNE, A0, A1, COROUTINE);
	cct_code_bind_label(r, CALLED);
}

/* Handles the rare cases. */
static void put_rest(struct routine *r)
{
	struct writer *w = r->w;
	cct_code_bind_label(r, ANCESTOR);
	cct_code_emit_addi(w, CCT_RECORD_REG, A0, 0);
	cct_code_emit_branch(r, OP_BEQ, A3, ZERO, LINK_DIRECT);
	cct_code_emit_addi(w, T1, A3, 0);
	cct_code_emit_allocation(r, OUT);
	cct_code_emit_jump(r, LINK);

	/* Uses the spare record; it is in no list, because there is no room for an element. */
	cct_code_bind_label(r, FULL);
	cct_code_emit_load(w, CCT_RECORD_REG, CCT_TABLE, TABLE_SPARE);
	cct_code_emit_addi(w, A0, ZERO, 0);
	cct_code_emit_load(w, T1, CCT_RECORD_REG, CCT_ID);
	cct_code_emit_branch(r, OP_BNE, T1, ZERO, LINK);
	cct_code_emit_addi(w, A1, ZERO, 0);
	cct_code_emit_jump(r, FILL);

	cct_code_bind_label(r, STRANGE);
	if (r->m->words) {
		put_stream(r);
	} else {
		writer_put_address(w, CCT_BASE, r->m->state);
		cct_code_emit_load(w, A4, CCT_BASE, CCT_ROOT_SLOT);
	}
	cct_code_bind_label(r, STREAM_SLOT);
	cct_code_emit_load(w, T1, A4, 0);
	cct_code_emit_jump(r, AGAIN);
}

uint64_t cct_put_find(struct edit *e, const struct cct_memory *m, struct err *err)
{
	struct writer *w = alloc_zeroed(1, sizeof *w);
	if (!w) {
		err_format(err, "out of memory for a routine");
		return 0;
	}
	struct routine r = {.w = w, .m = m};
	w->type = -1;
	for (unsigned i = 0; i < LABELS; i++)
		r.label[i] = writer_new_label(w);
	cct_code_emit_addi(w, SP, SP, -KEPT_BYTES);
	for (unsigned i = 0; i < KEPT; i++)
		cct_code_emit_store(w, kept[i], SP, 8 * (int32_t)i);
	writer_put(w, OP_LW, T2, CCT_TABLE, 0, TABLE_ID);
	if (m->words)
		put_stream_entry(&r);
	cct_code_emit_addi(w, A4, CCT_SLOT, 0);
	cct_code_emit_load(w, T1, A4, 0);
	cct_code_bind_label(&r, AGAIN);
	writer_put(w, OP_ANDI, A0, T1, 0, CCT_TAGS);
	cct_code_emit_branch(&r, OP_BEQ, A0, ZERO, STRANGE);
	cct_code_emit_addi(w, A0, A0, -CCT_OFFSET);
	cct_code_emit_branch(&r, OP_BEQ, A0, ZERO, FRESH);
	put_walk(&r);
	put_search(&r);
	put_fill(&r);
	put_link(&r);
	put_rest(&r);
	writer_link(w);
	const uint64_t name = edit_routine(e, w->code, w->n, err);
	free(w);
	return name;
}

/* ---- tables and start ---- */
static void cct_code_append_data_word(struct edit_code *code, unsigned *n, uint32_t word)
{
	for (unsigned i = 0; i < 2; i++)
		code[(*n)++] = (struct edit_code){.in = {.op = OP_ILLEGAL,
		                                         .len = 2,
		                                         .rd = REG_SINK,
		                                         .raw = word >> 16 * i & 0xffff}};
}

uint64_t cct_put_table(struct edit *e, const struct cct_table *t, struct err *err)
{
	struct edit_code *code =
		alloc_bytes((2 * (TABLE_LISTS / 4 + (size_t)t->sites)) * sizeof *code);
	unsigned n = 0;
	if (!code) {
		err_format(err, "out of memory for a procedure's table");
		return 0;
	}
	const uint32_t head[TABLE_LISTS / 4] = {
		t->id,    t->bytes,           t->callees,
		t->sites, (uint32_t)t->spare, (uint32_t)(t->spare >> 32)};
	for (unsigned i = 0; i < TABLE_LISTS / 4; i++)
		cct_code_append_data_word(code, &n, head[i]);
	for (uint32_t i = 0; i < t->sites; i++)
		cct_code_append_data_word(code, &n, t->lists[i]);
	const uint64_t name = edit_routine(e, code, n, err);
	free(code);
	return name;
}

void cct_put_thread(struct writer *w, uint64_t words, unsigned at, unsigned scratch)
{
	writer_put(w, OP_SRLI, at, TP, 0, CCT_WORDS_LOG2 - CCT_THREAD_LOG2);
	writer_put(w, OP_XOR, at, at, TP, 0);
	writer_put(w, OP_SLLI, at, at, 0, 64 - CCT_WORDS_LOG2);
	writer_put(w, OP_SRLI, at, at, 0, 64 - CCT_WORDS_LOG2 + CCT_THREAD_LOG2);
	writer_put(w, OP_SLLI, at, at, 0, CCT_THREAD_LOG2);
	writer_put_address(w, scratch, words);
	writer_put(w, OP_ADD, at, at, scratch, 0);
}

void cct_put_begin(struct writer *w, const struct cct_memory *m)
{
	const struct cct_root o = cct_root_of(m->metrics);
	const unsigned root = CCT_RECORD_REG, value = CCT_TABLE;
	writer_put_address(w, CCT_BASE, m->state);
	writer_put_address(w, root, m->heap);
	put_root_slot(w, &o, root, value);
	cct_code_emit_addi(w, value, root, o.slot);
	if (!m->words)
		cct_code_emit_store(w, value, CCT_BASE, CCT_CSP);
	cct_code_emit_store(w, value, CCT_BASE, CCT_ROOT_SLOT);
	if (m->words) {
		cct_put_thread(w, m->words, CCT_SLOT, CCT_LINK);
		cct_code_emit_store(w, value, CCT_SLOT, CCT_THREAD_CSP);
	}
	writer_put_address(w, value, m->heap + m->heap_bytes);
	cct_code_emit_store(w, value, CCT_BASE, CCT_HEAP_END);
	/* Last: from here on there is a tree. */
	cct_code_emit_addi(w, value, root, o.key);
	cct_code_emit_store(w, value, CCT_BASE, CCT_HEAP_NEXT);
}
