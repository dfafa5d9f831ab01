/* Readers of rob, lsq, iq and fetchq: the instructions in flight, and the cause of each one's wait.
 */
#include "tests/unit/cells/pipeline_cells.h"

void says_wait_end(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	says_due(c, "due", p->st->cycle,
	         w.id == WHY_MOVING || w.id == WHY_COMMIT_DELAY ? NO_CYCLE : w.due);
}

static void says_state(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const enum why_id id = uop_why(p, u).id;
	const char *wait = wait_of(p, u);
	says(c, "waits_for", "%s",
	     id == WHY_COMMIT_TURN    ? "done"
	     : id == WHY_COMMIT_DELAY ? "commits next"
	     : *wait                  ? wait
	                              : phase_of(u));
	says_wait_end(c, p, u);
}

void says_seq(struct cells *c, const struct pipe *p, const struct uop *u)
{
	says_word(c, "seq", RAW_UINT, u->seq, "%s", number_of(p, u));
}

void says_result(struct cells *c, const char *column, const struct uop *u)
{
	if (u->state == UOP_DONE && u->inst.rd != REG_SINK)
		says_hex(c, column, u->result);
	else
		says_nothing(c, column);
}

/* ---- the window ---- */
void read_rob(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	uint64_t before = 0;
	unsigned in_window = 0;
	cells_open(&c, s, "rob");
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = &p->pool[p->rob[(p->st->rob_head + i) & p->rob_mask]];
		assert_true(u->seq > before);
		before = u->seq;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says(&c, "mark", "%s", i ? "" : "▶");
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says_state(&c, p, u);
		const char *missed = u->flags & UF_MISPREDICT ? ", mispredicted" : "";
		if (u->state == UOP_DONE && u->trap != TRAP_NONE)
			says(&c, "value", "%s", u->trap == TRAP_ECALL ? "system call" : "fault");
		else if (u->state == UOP_DONE && (u->op_flags & OPF_BRANCH))
			says_word(&c, "value", RAW_HEX, u->exec.next_pc, "%s%s",
			          u->exec.taken ? "taken" : "not taken", missed);
		else if (u->state == UOP_DONE && (u->op_flags & OPF_INDIRECT))
			says_word(&c, "value", RAW_HEX, u->exec.next_pc, "to %s%s",
			          addr_of(s, u->exec.next_pc), missed);
		else
			says_result(&c, "value", u);
		says_addr(&c, "pc", s, u->pc);
		says_since(&c, "dispatched", p->st->cycle, u->when.dispatch);
		says(&c, "state", "%s", phase_of(u));
	}
	says_summary(&c, "%u/%d", p->st->rob_count, (int)p->cfg->rob_size);
	cells_close(&c);
	for (uint32_t i = 0; i < p->pool_size; i++)
		in_window += p->pool[i].state > UOP_FETCHED && p->pool[i].state < UOP_RETIRED;
	assert_int_equal(in_window, p->st->rob_count);
}

void read_lsq(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, "lsq");
	/* The queue has the window's memory accesses, in order. */
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		const bool store = u->inst.klass == CLASS_STORE, known = u->flags & UF_ADDR_KNOWN;
		if (!op_info[u->inst.op].mem_bytes)
			continue;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		if (known)
			says_hex(&c, "address", u->exec.addr);
		else
			says(&c, "address", "unknown");
		says(&c, "place", "%s", known ? place_of(s, u->exec.addr) : "");
		says_state(&c, p, u);
		if (!store)
			says_result(&c, "data", u);
		else if (u->flags & UF_DATA_READY)
			says_hex(&c, "data",
			         u->exec.size == 8
			                 ? u->exec.store_new
			                 : u->exec.store_new & ~(UINT64_MAX << 8 * u->exec.size));
		else
			says_nothing(&c, "data");
		says_uint(&c, "bytes", op_info[u->inst.op].mem_bytes);
		const char *walk = u->flags & UF_TLB_MISS ? ", TLB miss" : "";
		if (u->when.mem == NO_CYCLE)
			says_nothing(&c, "served_by");
		else if (u->mem.level == LEVEL_FORWARD)
			says(&c, "served_by", "store #%llu", (ull)u->mem.wait_seq);
		else
			says(&c, "served_by", "%s%s", served_by(u->mem.level),
			     *served_by(u->mem.level) ? walk : "");
		says(&c, "state", "%s", phase_of(u));
	}
	says_summary(&c, "%u/%d", p->st->lsq_count, (int)p->cfg->lsq_size);
	cells_close(&c);
}

/* Its operand i: the register, and the number of its producer if that was in the window then. */
static void says_operand(struct cells *c, const struct pipe *p, const struct uop *u, unsigned i,
                         char *woken_by, uint64_t *by, uint32_t *n)
{
	static const char *const column[] = {"operand1", "operand2", "operand3"};
	const unsigned reg = ((const uint8_t[]){u->inst.rs1, u->inst.rs2, u->inst.rs3})[i];
	const uint64_t tag = u->src.seq[i], last = p->st->cycle - 1;
	const bool store_data = i == 1 && u->inst.klass == CLASS_STORE,
		   awaited = u->src.pending >> (store_data ? 3 : i) & 1;
	const struct uop *q = tag ? pipe_find(p, tag) : NULL;
	/* its producer completed in the last cycle, after this instruction had entered */
	const bool came = q && !awaited && q->when.done == last && u->when.dispatch != last;
	if (!reg)
		says_nothing(c, column[i]);
	else if (!tag)
		says(c, column[i], "%s ●", reg_name(reg));
	else
		says(c, column[i], "%s %s #%llu", reg_name(reg),
		     awaited ? "○" : came ? "◆" : "●", (ull)tag);
	if (!reg || !came || (*n && by[*n - 1] == tag))
		return;
	sprintf(woken_by + strlen(woken_by), "%s#%llu", *n ? " " : "", (ull)tag);
	by[(*n)++] = tag;
}

/* Reads instructions in the window that have not issued, or issued in the last cycle. */
void read_iq(const struct session *s)
{
	static const char *const pool[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div", ""};
	const struct pipe *p = pipe_of(s);
	const uint64_t last = p->st->cycle - 1;
	unsigned waiting = 0, ready = 0, woken = 0, selected = 0;
	struct cells c;
	cells_open(&c, s, "iq");
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		const bool queued = u->when.issue == NO_CYCLE, now_ready = u->state == UOP_READY;
		char by_text[80] = "";
		uint64_t by[3];
		uint32_t n = 0;
		if (!queued && u->when.issue != last)
			continue;
		waiting += queued;
		ready += now_ready;
		selected += !queued;
		woken += u->state != UOP_WAITING && u->when.ready == last &&
		         u->when.dispatch != last;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		for (unsigned k = 0; k < 3; k++)
			says_operand(&c, p, u, k, by_text, by, &n);
		says_list(&c, "woken_by", by, n, "%s", by_text);
		const char *wait = wait_of(p, u);
		if (!queued && *pool[u->at.pool])
			says(&c, "selected", "selected, %s %u", pool[u->at.pool], u->at.unit);
		else
			says(&c, "selected", "%s",
			     !queued                    ? "selected"
			     : *wait                    ? wait
			     : u->when.dispatch == last ? "just dispatched"
			                                : "next cycle");
		says_wait_end(&c, p, u);
		says(&c, "unit", "%s", pool[u->at.pool]);
		says_since(&c, "ready", p->st->cycle,
		           u->state == UOP_WAITING ? NO_CYCLE : u->when.ready);
		says_since(&c, "dispatched", p->st->cycle, u->when.dispatch);
		says_addr(&c, "pc", s, u->pc);
	}
	assert_int_equal(waiting, p->st->iq_count);
	says_summary(&c, "%s%u/%u, %u ready; %u woken, %u of %d selected",
	             p->cfg->in_order ? "in order, only the oldest may issue: " : "", waiting,
	             (unsigned)(p->cfg->issue_queue ? p->cfg->issue_queue : p->cfg->rob_size),
	             ready, woken, selected, (int)p->cfg->issue_width);
	cells_close(&c);
}

/* ---- the fetch queue ---- */
static void says_prediction(struct cells *c, const struct session *s, const struct uop *u)
{
	const unsigned said = u->mark.flags;
	const uint64_t behind = u->pc + u->inst.len;
	const char *to = addr_of(s, u->pred_next);
	if (!(op_info[u->inst.op].flags & OPF_CONTROL))
		says_nothing(c, "predicts");
	else if (!(said & BPM_TAKEN))
		says_word(c, "predicts", RAW_HEX, behind, "not taken");
	else if (said & BPM_FROM_RAS)
		says_word(c, "predicts", RAW_HEX, u->pred_next, "return to %s", to);
	else if ((said & BPM_BTB_HIT) || u->pred_next != behind)
		says_word(c, "predicts", RAW_HEX, u->pred_next, "taken to %s", to);
	else
		says_word(c, "predicts", RAW_HEX, behind, "taken, target unknown");
}

void read_fetchq(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	unsigned fetched = 0;
	uint64_t before = 0;
	cells_open(&c, s, "fetchq");
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u =
			&p->pool[p->fetchq[(p->st->fetchq_head + i) & p->fetchq_mask]];
		assert_true(u->seq > before);
		before = u->seq;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says_addr(&c, "pc", s, u->pc);
		says_prediction(&c, s, u);
		says(&c, "waits_for", "%s", wait_of(p, u));
		says_wait_end(&c, p, u);
		says_since(&c, "fetched", p->st->cycle, u->when.fetch);
	}
	cells_close(&c);
	for (uint32_t i = 0; i < p->pool_size; i++)
		fetched += p->pool[i].state == UOP_FETCHED;
	assert_int_equal(fetched, p->st->fetchq_count);
}
