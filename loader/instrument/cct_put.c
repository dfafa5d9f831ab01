/* Writes code that maintains a calling context tree into procedures. */
#include <string.h>

#include "core/isa/csr.h"
#include "loader/instrument/kind_cct.h"

enum { SP = 2, STACK_LOG2 = CCT_STACK_LOG2 };

static bool cct_put_insert_code(struct cct_job *c, put_fn *put, uint32_t i, struct writer *w)
{
	c->j->sum->spilled += w->spilled;
	return put(c->j->e, i, w->code, w->n, c->j->err);
}

/* The profile type of code for instruction i; -1: plain code. */
static int cct_put_profile_type_at(const struct cct_job *c, uint32_t i)
{
	return job_keeps_flag(c->j, c->j->insts[i].function) && !c->j->o->steady ? c->j->type : -1;
}

/* A position of code: before an instruction or on one of its edges, or after it. */
struct stand {
	uint32_t i;
	struct activation act;
	bool fixed; /* the activation's place is fixed */
};

static struct stand stand_at(const struct cct_job *c, uint32_t i, bool behind)
{
	return (struct stand){i, behind ? activation_behind(c->j->e, &c->act, i) : c->act.at[i],
	                      cct_group_at(c, i)->fixed};
}

static bool cct_put_base_is_known(const struct stand *s)
{
	int32_t more;
	return s->fixed || activation_base(&s->act, &more);
}

/* state = address of the program's words, at = base of the activation's place. Returns the offset
 * of the place from `at`. */
static int32_t cct_put_emit_activation_place(struct cct_job *c, struct writer *w,
                                             const struct stand *s, unsigned state, unsigned at)
{
	int32_t more = 0;
	unsigned base = activation_base(&s->act, &more);
	writer_put_address(w, state, c->m.state);
	if (s->fixed) {
		writer_put(w, OP_ADDI, at, state, 0, 0);
		return CCT_FIXED;
	}
	if (base == SP)
		more += writer_sp(w);
	if (more < -2048 || more > 2047) {
		writer_put_constant(w, at, more);
		writer_put(w, OP_ADD, at, at, base, 0);
	} else if (more) {
		writer_put(w, OP_ADDI, at, base, 0, more);
	}
	if (more)
		base = at;
	writer_put(w, OP_SLLI, at, base, 0, 64 - STACK_LOG2);
	writer_put(w, OP_SRLI, at, at, 0, 64 - STACK_LOG2);
	writer_put(w, OP_ADD, at, at, state, 0);
	return CCT_PLACES;
}

/* Adds the register of the path's number in i's function, which liveness does not include. */
static uint32_t with_path(const struct cct_job *c, uint32_t i, uint32_t live)
{
	return c->paths ? live | UINT32_C(1) << c->plans[c->j->insts[i].function].path : live;
}

/* Provides n registers, except those by which the activation's place is found. */
static void begin_at(const struct cct_job *c, struct writer *w, unsigned n, const struct stand *s,
                     uint32_t live)
{
	int32_t more;
	const uint32_t keep =
		UINT32_C(1) << activation_base(&s->act, &more) | with_path(c, s->i, 0);
	writer_begin_with(w, n, live | keep, keep);
}

/* Adds the counts of pic0 and pic1, in `both`, to a record. */
static void put_metrics(const struct cct_job *c, struct writer *w, unsigned record, unsigned both,
                        unsigned value, unsigned old)
{
	const int around = w->type;
	w->type = c->j->type;
	for (int32_t k = 0; k < INSTRUMENT_METRICS; k++) {
		writer_put(w, k ? OP_ADDI : OP_SLLI, value, both, 0, k ? 0 : 32);
		writer_put(w, OP_SRLI, value, value, 0, 32);
		writer_add(w, false, record, CCT_METRICS + 8 + 8 * k, value, old);
	}
	w->type = around;
}

static void put_zero(struct writer *w)
{
	writer_put(w, OP_CSRRWI, REG_SINK, 0, 0, CSR_PIC);
}

bool cct_put_start(struct cct_job *c, uint32_t entry)
{
	struct writer w;
	writer_init(&w, -1);
	writer_begin_fixed(&w, CCT_REGISTERS, job_live_at(c->j, entry), 0);
	cct_put_begin(&w, &c->m);
	writer_end(&w);
	return cct_put_insert_code(c, edit_enter, entry, &w);
}

bool cct_put_start_of_file(struct cct_job *c, uint32_t entry, const struct cct_signals *s)
{
	enum { T0 = 5, A0 = 10, A1, A7 = 17, SYS_GETPID = 172 };
	struct writer w;
	writer_init(&w, -1);
	writer_begin_fixed(&w, 1 << T0 | 1 << A0 | 1 << A1 | 1 << A7,
	                   with_path(c, entry, job_live_at(c->j, entry)), 0);
	writer_put(&w, OP_ADDI, A7, 0, 0, SYS_GETPID);
	writer_put(&w, OP_ECALL, REG_SINK, 0, 0, 0);
	writer_put_address(&w, A1, c->m.state);
	writer_put(&w, OP_SD, REG_SINK, A1, A0, CCT_PROCESS);
	writer_put(&w, OP_SD, REG_SINK, A1, SP, CCT_STACK);
	cct_signals_begin(&w, c->j->e, s);
	writer_end(&w);
	return cct_put_insert_code(c, edit_enter, entry, &w);
}

bool cct_put_entry(struct cct_job *c, uint32_t f, uint64_t table)
{
	const uint32_t i = c->functions[f].first;
	const struct group *g = cct_group_at(c, i);
	const unsigned value = CCT_TABLE, state = CCT_BASE;
	struct writer w;
	writer_init(&w, cct_put_profile_type_at(c, i));
	writer_begin_fixed(&w, CCT_REGISTERS, job_live_at(c->j, i), 0);
	const unsigned search = writer_new_label(&w), found = writer_new_label(&w);
	if (c->m.words) {
		cct_put_thread(&w, c->m.words, CCT_SLOT, state);
		writer_put(&w, OP_LD, CCT_SLOT, CCT_SLOT, 0, CCT_THREAD_CSP);
		writer_branch(&w, OP_BEQ, CCT_SLOT, 0, search);
	} else {
		writer_put_address(&w, state, c->m.state);
		writer_put(&w, OP_LD, CCT_SLOT, state, 0, CCT_CSP);
	}
	writer_put(&w, OP_LD, CCT_RECORD_REG, CCT_SLOT, 0, 0);
	writer_put(&w, OP_ANDI, value, CCT_RECORD_REG, 0, CCT_TAGS);
	writer_branch(&w, OP_BNE, value, 0, search);
	writer_put(&w, OP_LD, value, CCT_RECORD_REG, 0, CCT_ID);
	writer_put_constant(&w, CCT_LINK, (int32_t)c->j->insts[i].addr);
	writer_branch(&w, OP_BEQ, value, CCT_LINK, found);
	writer_here(&w, search);
	writer_put_address(&w, CCT_TABLE, table);
	writer_call(&w, CCT_LINK, c->find);
	writer_here(&w, found);
	w.type = c->j->type;
	writer_put(&w, OP_LD, value, CCT_RECORD_REG, 0, CCT_METRICS);
	writer_put(&w, OP_ADDI, value, value, 0, 1);
	writer_put(&w, OP_SD, REG_SINK, CCT_RECORD_REG, value, CCT_METRICS);
	w.type = cct_put_profile_type_at(c, i);
	if (g->place) {
		const struct stand s = stand_at(c, i, false);
		const int32_t at = cct_put_emit_activation_place(c, &w, &s, state, value);
		writer_put(&w, OP_SD, REG_SINK, value, CCT_SLOT, at);
		writer_put(&w, OP_SD, REG_SINK, value, CCT_RECORD_REG, at + 8);
	}
	writer_end(&w);
	if (c->hardware)
		put_zero(&w);
	return cct_put_insert_code(c, edit_enter, i, &w);
}

/* Registers: two to find the record, two for numbers. With hardware metrics another register
 * precedes them, for pic: a free register, if there is one. */
enum { STATE, RECORD, VALUE, OLD, ALL };

static const uint8_t *registers_of(const struct cct_job *c, const struct writer *w)
{
	return w->temporary + c->hardware;
}

/* Provides n registers, or those that adding metrics needs; pic is read first, before registers are
 * saved, so that the added code is not counted. */
static void begin_counting(const struct cct_job *c, struct writer *w, unsigned n,
                           const struct stand *s, uint32_t live)
{
	begin_at(c, w, c->hardware ? ALL + 1 : n, s, live);
	if (!c->hardware)
		return;
	bool saved = false;
	for (unsigned k = 0; k < w->saves; k++)
		saved |= w->saved[k] == w->temporary[0];
	writer_put(w, OP_CSRRS, w->temporary[0], 0, 0, CSR_PIC);
	const struct edit_code read = w->code[w->n - 1];
	if (saved)
		return;
	memmove(&w->code[1], &w->code[0], (w->n - 1) * sizeof *w->code);
	w->code[0] = read;
}

/* gCSP = reg[RECORD]; reg[STATE]: the program's words. Changes reg[STATE], and for threads
 * reg[VALUE]. */
static void cct_put_emit_slot(const struct cct_job *c, struct writer *w, const uint8_t *reg)
{
	if (c->m.words)
		cct_put_thread(w, c->m.words, reg[STATE], reg[VALUE]);
	writer_put(w, OP_SD, REG_SINK, reg[STATE], reg[RECORD],
	           c->m.words ? CCT_THREAD_CSP : CCT_CSP);
}

/* reg[RECORD] = the current record, with metrics added. */
static void cct_put_emit_record_update(struct cct_job *c, struct writer *w, const struct stand *s)
{
	const uint8_t *reg = registers_of(c, w);
	const int32_t at = cct_put_emit_activation_place(c, w, s, reg[STATE], reg[RECORD]);
	writer_put(w, OP_LD, reg[RECORD], reg[RECORD], 0, at + 8);
	if (c->hardware)
		put_metrics(c, w, reg[RECORD], w->temporary[0], reg[VALUE], reg[OLD]);
}

bool cct_put_call(struct cct_job *c, uint32_t i)
{
	const struct group *g = cct_group_at(c, i), *callee = cct_callee_of(c, i);
	const uint32_t slot = g->callees + 8 * c->slot[i];
	const struct stand s = stand_at(c, i, false);
	struct writer w;
	writer_init(&w, cct_put_profile_type_at(c, i));
	begin_counting(c, &w, slot > 2047 || c->m.words ? VALUE + 1 : RECORD + 1, &s,
	               job_live_at(c->j, i));
	const uint8_t *reg = registers_of(c, &w);
	cct_put_emit_record_update(c, &w, &s);
	if (slot > 2047) {
		writer_put_constant(&w, reg[VALUE], slot);
		writer_put(&w, OP_ADD, reg[RECORD], reg[RECORD], reg[VALUE], 0);
	} else {
		writer_put(&w, OP_ADDI, reg[RECORD], reg[RECORD], 0, (int32_t)slot);
	}
	cct_put_emit_slot(c, &w, reg);
	/* An instrumented callee sets pic to 0 itself; a callee that is left alone, or whose flag
	 * may be off, does not. */
	const bool begins = callee && callee->why == LEFT_WHY_COUNT && !cct_passes_over(c);
	writer_end(&w);
	if (c->hardware && !begins)
		put_zero(&w);
	return cct_put_insert_code(c, edit_before, i, &w);
}

/* Inserts code where control leaves i without a call; `put` selects the edge. */
static bool cct_put_insert_transfer_code(struct cct_job *c, uint32_t i, put_fn *put, uint32_t live,
                                         bool leaves)
{
	const struct group *g = cct_group_at(c, i);
	const struct stand s = stand_at(c, i, put == edit_behind);
	struct writer w;
	writer_init(&w, cct_put_profile_type_at(c, i));
	if (!(c->hardware || (leaves && g->slots)) || !cct_put_base_is_known(&s))
		return true;
	begin_counting(c, &w, c->m.words ? VALUE + 1 : RECORD + 1, &s, live);
	const uint8_t *reg = registers_of(c, &w);
	if (c->hardware)
		cct_put_emit_record_update(c, &w, &s);
	if (leaves && g->slots) {
		const int32_t at =
			cct_put_emit_activation_place(c, &w, &s, reg[STATE], reg[RECORD]);
		writer_put(&w, OP_LD, reg[RECORD], reg[RECORD], 0, at);
		cct_put_emit_slot(c, &w, reg);
	}
	writer_end(&w);
	if (c->hardware)
		put_zero(&w);
	return cct_put_insert_code(c, put, i, &w);
}

static bool put_by_kind(struct cct_job *c, uint32_t i, bool leaves)
{
	const unsigned flags = inst_flags(&c->j->insts[i].in);
	if (flags & OPF_BRANCH)
		return cct_put_insert_transfer_code(c, i, edit_taken, job_live_taken(c->j, i),
		                                    leaves);
	if (flags & OPF_JUMP)
		return cct_put_insert_transfer_code(c, i, edit_before, job_live_at(c->j, i),
		                                    leaves);
	return cct_put_insert_transfer_code(c, i, edit_behind, job_live_behind(c->j, i), leaves);
}

bool cct_put_exit(struct cct_job *c, uint32_t i)
{
	return put_by_kind(c, i, true);
}

bool cct_put_back(struct cct_job *c, uint32_t i)
{
	return put_by_kind(c, i, false);
}

bool cct_put_thread_end(struct cct_job *c, uint32_t i)
{
	enum { T0 = 5, T1 = 6, A7 = 17, SYS_EXIT = 93 };
	struct writer w;
	writer_init(&w, -1);
	writer_begin_fixed(&w, 1 << T0 | 1 << T1, with_path(c, i, job_live_at(c->j, i)), 0);
	const unsigned other = writer_new_label(&w);
	writer_put(&w, OP_ADDI, T0, 0, 0, SYS_EXIT);
	writer_branch(&w, OP_BNE, T0, A7, other);
	cct_put_thread(&w, c->m.words, T0, T1);
	writer_put(&w, OP_SD, REG_SINK, T0, 0, CCT_THREAD_CSP);
	writer_put(&w, OP_SD, REG_SINK, T0, 0, CCT_THREAD_NUMBER);
	writer_here(&w, other);
	writer_end(&w);
	return cct_put_insert_code(c, edit_before, i, &w);
}

bool cct_put_system_call(struct cct_job *c, uint32_t i, const struct cct_signals *s)
{
	enum {
		T0 = 5,
		T1 = 6,
		A7 = 17,
		SYS_EXIT = 93 /* and exit_group after it */,
		SYS_SIGACTION = 134,
		SYS_EXECVE = 221,
		SYS_EXECVEAT = 281
	};
	struct writer w;
	writer_init(&w, -1);
	writer_begin_fixed(&w, 1 << T0 | 1 << T1, with_path(c, i, job_live_at(c->j, i)), 0);
	const unsigned other = writer_new_label(&w), ends = writer_new_label(&w);
	writer_put(&w, OP_ADDI, T1, A7, 0, -SYS_EXIT);
	writer_put(&w, OP_SLTIU, T1, T1, 0, 2);
	writer_branch(&w, OP_BNE, T1, 0, ends);
	writer_put(&w, OP_ADDI, T1, A7, 0, -SYS_EXECVE);
	writer_branch(&w, OP_BEQ, T1, 0, ends);
	writer_put(&w, OP_ADDI, T1, A7, 0, -SYS_EXECVEAT);
	writer_branch(&w, OP_BNE, T1, 0, other);
	writer_here(&w, ends);
	writer_call(&w, T0, s->save);
	writer_here(&w, other);
	writer_end(&w);
	if (!cct_put_insert_code(c, edit_before, i, &w))
		return false;
	writer_init(&w, -1);
	writer_begin_fixed(&w, 1 << T0 | 1 << T1, with_path(c, i, job_live_behind(c->j, i)), 0);
	const unsigned behind = writer_new_label(&w);
	writer_put(&w, OP_ADDI, T1, A7, 0, -SYS_SIGACTION);
	writer_branch(&w, OP_BNE, T1, 0, behind);
	writer_call(&w, T0, s->behind);
	writer_here(&w, behind);
	writer_end(&w);
	return cct_put_insert_code(c, edit_behind, i, &w);
}

/* ---- paths ---- */
struct path_base {
	struct cct_job *c;
	uint32_t function;
};

/* rd = the function's table in the activation's record; in the spare record if the place is not
 * known. */
static void cct_put_emit_table_base(void *ctx, struct writer *w, uint32_t i, bool behind,
                                    unsigned rd, unsigned scratch)
{
	const struct path_base *b = ctx;
	struct cct_job *c = b->c;
	const struct stand s = stand_at(c, i, behind);
	const uint32_t table = c->table_at[b->function];
	if (!cct_put_base_is_known(&s)) {
		writer_put_address(w, rd, cct_group_at(c, i)->spare + table);
		return;
	}
	const int32_t at = cct_put_emit_activation_place(c, w, &s, scratch, rd);
	writer_put(w, OP_LD, rd, rd, 0, at + 8);
	writer_put_constant(w, scratch, table);
	writer_put(w, OP_ADD, rd, rd, scratch, 0);
}

bool cct_put_paths(struct cct_job *c, uint32_t f)
{
	struct path_base b = {c, f};
	const struct path_place where = {
		.where = PATHS_IN_RECORDS,
		.at = c->table_at[f] | (uint64_t)c->act.group[f] << 32,
		.base = cct_put_emit_table_base,
		.ctx = &b,
	};
	return !c->plans[f].counted || path_put(&c->counting, &c->plans[f], &where);
}
