/* Views of the pipeline, cell by cell, against a plain reading of its state
 * (tests/unit/cells/view_cells.h). */
#include "tests/unit/cells/pipeline_cells.h"

/* ---- the diagram ---- */
/* A cycle's symbol: the instruction's stage. */
static char pipeline_cells_stage_letter(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	const bool memory = op_info[u->inst.op].mem_bytes, ended = u->state >= UOP_RETIRED,
		   in_window = u->flags & UF_EXECUTED;
	if (cycle < u->when.fetch || (ended && cycle > u->when.end))
		return ' ';
	if (ended && cycle == u->when.end)
		return u->state == UOP_RETIRED ? 'C' : 'x';
	if (!in_window || cycle < u->when.dispatch)
		return cycle <= u->when.avail ? 'F' : '=';
	if (cycle == u->when.dispatch)
		return 'D';
	if (cycle == u->when.issue)
		return 'I';
	if (cycle == u->when.done)
		return 'W';
	if (cycle < u->when.issue || cycle > u->when.done)
		return '.';
	if (!memory || cycle < u->when.issue + (uint64_t)p->cfg->lsq_agen)
		return 'X';
	return cycle < u->when.mem ? 'A' : 'M';
}

/* A line of the diagram that begins with cycle `from`; a wait is a dot of two bytes there. */
static void pipeline_cells_check_diagram_line(struct cells *c, const struct pipe *p,
                                              const struct uop *u, uint64_t from, uint64_t cycles)
{
	char line[600] = "", *end = line;
	for (uint64_t at = from; at < from + cycles && at < p->st->cycle; at++) {
		const char letter = pipeline_cells_stage_letter(p, u, at);
		strcat(line, letter == '.' ? "·" : (char[]){letter, '\0'});
		end = letter == ' ' ? end : line + strlen(line);
	}
	*end = '\0';
	says(c, "pipeline", "%s", line);
}

static void says_stamp(struct cells *c, const char *column, uint64_t now, bool reached,
                       uint64_t cycle)
{
	if (reached && cycle < now)
		says_uint(c, column, cycle);
	else
		says_nothing(c, column);
}

/* Checks the note of an instruction; a finished instruction has its longest wait, or the cause of
 * its squash. */
static void says_note(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	if (u->state < UOP_RETIRED) {
		const char *wait = wait_of(p, u);
		if (*wait && w.due != NO_CYCLE && w.due > p->st->cycle)
			says(c, "waits_for", "%s, %llu left", wait, (ull)(w.due - p->st->cycle));
		else
			says(c, "waits_for", "%s", wait);
		return;
	}
	const char *text = cells_at(c, "waits_for")->text, *cycles = strrchr(text, ',');
	ull by, n;
	if (u->state == UOP_SQUASHED) {
		assert_true(!strncmp(text, "squashed", 8));
		const struct uop *q =
			sscanf(text, "squashed by #%llu", &by) == 1 ? pipe_find(p, by) : NULL;
		assert_true(!q || (q->seq < u->seq && (q->when.done == u->when.end ||
		                                       q->when.dispatch == u->when.end)));
	} else if (*text) {
		assert_true(cycles && sscanf(cycles, ", %llu cycle", &n) == 1);
		assert_true(n > 0 && n <= u->when.end - u->when.fetch);
	}
}

/* True if u reads a result of instruction `seq`. */
static bool takes_from(const struct uop *u, uint64_t seq)
{
	return (u->flags & UF_EXECUTED) &&
	       (u->src.seq[0] == seq || u->src.seq[1] == seq || u->src.seq[2] == seq ||
	        (u->mem.wait_seq == seq && u->mem.level == LEVEL_FORWARD));
}

static const char *mark_of(const struct session *s, const struct uop *u)
{
	const struct uop *selected =
		s->selected_seq ? pipe_find(pipe_of(s), s->selected_seq) : NULL;
	if (!selected)
		return "";
	return u == selected                  ? "▶"
	       : takes_from(selected, u->seq) ? "◆"
	       : takes_from(u, selected->seq) ? "◇"
	                                      : "";
}

static void read_pipe(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const uint64_t now = p->st->cycle;
	struct cells c;
	ull from;
	uint64_t before = 0;
	bool all = true;
	cells_open(&c, s, "pipe");
	char first[32], *to = first;
	if (p->st->next_seq == 1) {
		cells_close(&c);
		return;
	}
	assert_true(sscanf(c.g.summary, "cycles %31s", first) == 1);
	for (char *d = first; *d; d++)
		if (*d != ',')
			*to++ = *d;
	*to = '\0';
	from = strtoull(first, NULL, 10);
	/* The ruler: every twentieth cycle. */
	cells_row(&c);
	const char *ruler = cells_at(&c, "pipeline")->text;
	for (uint64_t at = (from + 19) / 20 * 20; at + 8 < from + strlen(ruler); at += 20)
		assert_memory_equal(ruler + (at - from) + 1, grouped(at), strlen(grouped(at)));
	c.said = UINT64_MAX;
	for (unsigned i = 1; i < c.g.row_count; i++) {
		const struct grid_row *row = cells_row(&c);
		const struct uop *u = pipe_find(p, row->seq);
		assert_true(row->seq > before);
		/* squashed before the first column */
		for (uint64_t seq = before + 1; before && seq < row->seq; seq++) {
			const struct uop *q = pipe_find(p, seq);
			assert_true(q && q->state >= UOP_RETIRED && q->when.end < from);
		}
		before = row->seq;
		if (!u) { /* further back than the machine remembers */
			c.said = UINT64_MAX;
			all = false;
			continue;
		}
		says(&c, "mark", "%s", mark_of(s, u));
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		pipeline_cells_check_diagram_line(&c, p, u, from, c.g.columns[3].min_width);
		says_note(&c, p, u);
		says_addr(&c, "pc", s, u->pc);
		says_stamp(&c, "fetch", now, true, u->when.fetch);
		says_stamp(&c, "dispatch", now, u->flags & UF_EXECUTED, u->when.dispatch);
		says_stamp(&c, "issue", now, u->when.issue != NO_CYCLE, u->when.issue);
		says_stamp(&c, "memory", now, u->when.mem != NO_CYCLE, u->when.mem);
		const bool complete =
			u->state == UOP_DONE || u->state == UOP_RETIRED ||
			(u->state == UOP_SQUASHED && u->when.done != NO_CYCLE &&
		         (u->inst.klass == CLASS_STORE || u->when.done < u->when.end));
		says_stamp(&c, "done", now, complete, u->when.done);
		says_stamp(&c, "end", now, u->state >= UOP_RETIRED, u->when.end);
	}
	assert_true(all || p->pool_size < 128);
	cells_close(&c);
}

/* ---- profile instructions ---- */
static void read_bdt(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct bdt *t = &p->xprof.bdt;
	struct cells c;
	cells_open(&c, s, "bdt");
	for (uint32_t i = 0; i < (t->mask + 1) * t->ways; i++) {
		const struct bdt_entry *e = &t->entry[i];
		if (!e->leader)
			continue;
		bool skipped = false;
		for (uint32_t k = 0; k < p->pool_size; k++) {
			const struct uop *u = &p->pool[k];
			skipped |= u->state == UOP_FETCHED && u->pc == e->leader &&
			           (u->flags & UF_SKIPS) && u->when.fetch + 1 == p->st->cycle;
		}
		assert_int_equal(cells_row(&c)->pc, e->leader);
		says(&c, "mark", "%s", e->touched + 1 != p->st->cycle ? "" : skipped ? "▶" : "◆");
		says_uint(&c, "set", i / t->ways);
		says_uint(&c, "way", i % t->ways);
		says_addr(&c, "leader", s, e->leader);
		says_word(&c, "follow", RAW_HEX, e->follow, "%s%s", addr_of(s, e->follow),
		          e->locked ? "…" : "");
		if (!e->locked && !e->on && e->count >= t->least)
			says_word(&c, "fetch", RAW_UINT, e->count - 1, "skips %u", e->count - 1);
		else
			says(&c, "fetch", "%s",
			     e->locked ? "learning"
			     : e->on   ? "fetches"
			               : "too short");
		says(&c, "predicts", "%s", e->on ? "● on" : "○ off");
		says_uint(&c, "insts", e->count);
		says(&c, "lock", "%s", e->locked ? "■ locked" : "");
		says_since(&c, "used", p->st->cycle, e->touched);
		says_uint(&c, "bytes", e->follow - e->leader);
		says_hex(&c, "address", e->leader);
	}
	cells_close(&c);
	if (!t->ways)
		return;
	/* The view of one set has its entries alone. */
	char words[32];
	const uint32_t set = (uint32_t)p->st->cycle & t->mask;
	snprintf(words, sizeof words, "bdt %u", set);
	cells_open(&c, s, words);
	says_summary(&c, "set %u of %u", set, t->mask + 1);
	for (unsigned r = 0; r < c.g.row_count; r++)
		assert_true(!c.g.rows[r].pc || bdt_set(t, c.g.rows[r].pc) == set);
	c.rows = c.g.row_count;
	c.said = UINT64_MAX; /* the map's cells are not checked here */
	cells_close(&c);
}

/* ---- machines ---- */
static void pipeline_cells_check_all(struct session *s)
{
	static void (*const reading[])(const struct session *) = {
		read_rob,   read_lsq,     read_iq,  read_fetchq, read_units,
		read_fu,    read_bpred,   read_btb_map, read_ras, read_pipe,
		read_rename_branches};
	for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
		reading[i](s);
	read_rename(s, "rename");
	read_rename(s, "rename all");
	read_registers(s, "regs", 0);
	read_registers(s, "fregs", 32);
}

/* Checks the views in the past, and in the present after the return. */
static void pipeline_cells_go_back(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	const uint64_t now = machine_cycle(s->machine);
	s->selected_seq = 0;
	if (!run_back_cycles(s->run, cycles, &info, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(machine_cycle(s->machine), now - cycles);
	pipeline_cells_check_all(s);
	run_for(s, cycles);
	pipeline_cells_check_all(s);
}

TEST(the_window_is_shown_as_it_is)
{
	static const char *const settings[] = {
		NULL, "bpred.update=commit;bpred.kind=perceptron;bpred.history=12",
		"lsq.speculate=true;fu.mem=1;fu.int=1;bpred.update=fetch;l1i.latency=3",
		"fu.div=1;pipe.int_writes=2;pipe.fp_writes=1"};
	for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[k]);
		for (unsigned i = 0; i < STOPS; i++) {
			run_for(s, STRIDE + i * 3);
			s->selected_seq = i % 3 && pipe_of(s)->st->rob_count
			                          ? pipe_rob_at(pipe_of(s),
			                                        (pipe_of(s)->st->rob_count - 1) / i)
			                                    ->seq
			                          : 0;
			pipeline_cells_check_all(s);
			if (i % 20 == 19)
				read_btb(s);
			if (i % 8 == 7)
				pipeline_cells_go_back(s, i);
		}
		s->selected_seq = 0;
		run_into(s, "sum_series");
		for (unsigned i = 0; i < 20; i++) {
			run_for(s, 17);
			pipeline_cells_check_all(s);
		}
		session_free(s);
	}
}

/* Fused multiplications and additions have a third operand. */
TEST(three_operands_are_shown)
{
	struct session *s = open_program("build/demos/matmul", NULL);
	run_into(s, "multiply_ijk");
	for (unsigned i = 0; i < STOPS; i++) {
		run_for(s, 1);
		read_iq(s);
	}
	session_free(s);
}

/* In order there is no map to show, and the oldest of the queue holds the others. */
TEST(machines_in_order_rename_nothing)
{
	static const char *const settings[] = {
		"pipe.in_order=true;pipe.issue_width=2;lsq.speculate=false",
		"pipe.in_order=true;pipe.completion=out-of-order;pipe.issue_width=1;"
		"pipe.decode_width=1;pipe.issue_queue=1;pipe.memory_stage=1;lsq.speculate=false"};
	for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[k]);
		struct cells c;
		for (unsigned i = 0; i < STOPS; i++) {
			run_for(s, STRIDE + i * 3);
			read_iq(s);
			for (unsigned words = 0; words < 3; words++) {
				cells_open(&c, s,
				           ((const char *const[]){"rename", "rename all",
				                                  "rename branches"})[words]);
				assert_non_null(strstr(c.g.empty, "renames no registers"));
				cells_close(&c);
			}
		}
		session_free(s);
	}
}

TEST(descriptors_are_shown_as_they_are)
{
	struct session *s = open_program("tests/golden/profile.elf", NULL);
	while (machine_status(s->machine) == MACHINE_RUNNING && machine_cycle(s->machine) < 4000) {
		run_for(s, 3);
		read_bdt(s);
	}
	session_free(s);
}

TEST(pipeline_cells_are_complete)
{
	views_are_complete("pipeline");
}
