/* disasm, source, stack and backtrace, cell by cell, against bytes, symbols, debug
 * information and frames (tests/unit/cells/view_cells.h). */
#include "core/isa/op.h"
#include "core/pipe/xprof/xprof.h"
#include "core/run/run.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"
#include "loader/profile_code.h"
#include "loader/dwarf/inlined.h"
#include "hwviews/why/hot.h"
#include "tests/unit/cells/profiling_cells.h"
#include "tests/unit/cells/view_cells.h"

static bool peek_committed(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

/* As the unwinder has them (tests/unit/loader/test_unwind.c). */
static size_t frames_at(const struct session *s, struct frame *out, size_t max)
{
	uint64_t r[32];
	struct frame calls[64];
	for (unsigned i = 0; i < 32; i++)
		r[i] = pipe_of(s)->st->creg[i];
	const size_t n = program_backtrace_in(
		s->program,
		&(struct frame_memory){machine_mem_const(s->machine), peek_committed, s->machine},
		r, machine_pc(s->machine), calls, 64);
	return inlined_frames(s->program, calls, n, out, max);
}

static void code_cells_check_stack(const struct session *s)
{
	struct frame f[64];
	struct cells c;
	const size_t n = frames_at(s, f, 64);
	const uint64_t sp = machine_reg(s->machine, REG_SP);
	size_t told = SIZE_MAX;
	uint64_t value;
	cells_open(&c, s, "stack 20");
	for (uint64_t at = sp & ~UINT64_C(7), row = 0; row < 20; row++, at += 8) {
		size_t k = 0;
		if (!machine_peek(s->machine, at, &value, sizeof value))
			continue;
		while (k < n && (at >= f[k].cfa || f[k].inlined))
			k++;
		cells_row(&c);
		if (at == sp)
			says(&c, "offset", "sp");
		else
			says(&c, "offset", "sp%+lld", (long long)(at - sp));
		says_hex(&c, "value", value);
		const char *place = place_of(s, value);
		if (k + 1 < n && value == f[k + 1].pc)
			says(&c, "meaning", "returns to %s", place);
		else if (*place || (int64_t)value <= -100000 || (int64_t)value >= 100000000)
			says(&c, "meaning", "%s", place);
		else
			says(&c, "meaning", "%lld", (long long)value);
		if (k < n && k != told)
			says(&c, "frame", "#%zu %s", k, addr_of(s, f[k].pc));
		else
			says_nothing(&c, "frame");
		told = k;
		says_hex(&c, "address", at);
	}
	cells_close(&c);
}

static uint64_t stack_of_call(const struct session *s, const struct frame *f, size_t i)
{
	uint64_t ends = machine_reg(s->machine, REG_SP);
	for (size_t k = 0; k < i; k++)
		if (f[k].call < f[i].call)
			ends = f[k].cfa;
	return ends;
}

static void read_backtrace(const struct session *s)
{
	struct frame f[64];
	struct source_line at;
	struct cells c;
	const size_t n = frames_at(s, f, 64);
	cells_open(&c, s, "backtrace");
	for (size_t i = 0; i < n; i++) {
		const uint64_t call = f[i].pc - (f[i].call != 0),
			       below = stack_of_call(s, f, i);
		char name[256];
		const struct symbol *in = program_symbol_at(s->program, call);
		assert_int_equal(cells_row(&c)->pc, f[i].pc);
		says(&c, "mark", "%s", i ? "" : "▶");
		says_word(&c, "frame", RAW_UINT, i, "#%zu", i);
		assert_non_null(in);
		if (inlined_name(s->program, &f[i], name, sizeof name))
			says_word(&c, "place", RAW_HEX, f[i].pc, "%s, inlined", name);
		else if (f[i].pc == in->addr)
			says_word(&c, "place", RAW_HEX, f[i].pc, "%s", in->name);
		else
			says_word(&c, "place", RAW_HEX, f[i].pc, "%s+0x%llx", in->name,
			          (ull)(f[i].pc - in->addr));
		if (inlined_line(s->program, &f[i], &at) && at.line)
			says(&c, "source", "%s:%u", file_name(at.file), at.line);
		else
			says_nothing(&c, "source");
		if (!f[i].inlined && f[i].cfa >= below)
			says_uint(&c, "bytes", f[i].cfa - below);
		else
			says_nothing(&c, "bytes");
		says_hex(&c, "cfa", f[i].cfa);
		says_hex(&c, "pc", f[i].pc);
	}
	cells_close(&c);
}

/* ---- code ---- */
/* Counts instructions in flight at [lo, hi), the window's first. *first: the oldest. */
static unsigned code_cells_count_in_flight(const struct session *s, uint64_t lo, uint64_t hi,
                                           const struct uop **first, char *text, size_t size)
{
	const struct pipe *p = pipe_of(s);
	unsigned n = 0;
	*first = NULL;
	*text = '\0';
	for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
		const struct uop *u = i < p->st->rob_count
		                              ? pipe_rob_at(p, i)
		                              : pipe_fetchq_at(p, i - p->st->rob_count);
		if (u->pc < lo || u->pc >= hi)
			continue;
		*first = n++ ? *first : u;
		snprintf(text + strlen(text), size - strlen(text), "%s%s %s", n > 1 ? ", " : "",
		         number_of(p, u), phase_of(u));
	}
	return n;
}

static bool breaks_at(const struct session *s, uint64_t pc)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(s->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->enabled && sp->addr == pc)
			return true;
	return false;
}

/* Checks the counts of this instruction in the last profile, or, given a file, of this line. */
static void code_cells_check_counts(struct cells *c, const struct session *s, uint64_t pc,
                                    const char *file, unsigned line)
{
	struct hot_profile p;
	struct source_line at;
	uint64_t executed = 0, lost = 0;
	int64_t rows[CHARGED] = {0}, most;
	char cause[64];
	if (!hot_last(s, &p))
		return;
	for (size_t i = 0; i < p.count; i++)
		if (file ? program_line_at(s->program, p.insts[i].pc, &at) && at.line == line &&
		                   !strcmp(at.file, file)
		         : p.insts[i].pc == pc) {
			executed += p.insts[i].executed;
			lost += p.insts[i].lost;
		}
	for (size_t k = 0; file && k < p.charge_count; k++)
		if (program_line_at(s->program, p.charges[k].pc, &at) && at.line == line &&
		    !strcmp(at.file, file))
			rows[p.charges[k].row] += p.charges[k].slots;
	const uint64_t time = spent_time(rows);
	const double slots =
		(double)((p.to - p.from) * pipe_slots(machine_config(s->machine)));
	const double share = (double)time / slots;
	snprintf(cause, sizeof cause, "%s", spent_on(rows, time, &most));
	for (char *blank; (blank = strchr(cause, '_'));)
		*blank = ' ';
	if (file && share >= 0.0005) {
		char bar[32] = "";
		for (int i = 0; i < (int)(8 * share + 0.5); i++)
			strcat(bar, "█");
		says_double(c, "share", 100 * share, "%s %4.1f %%", bar, 100 * share);
		if (200 * (double)most >= slots)
			says(c, "lost_to", "%2.0f %% %s", 100 * (double)most / slots, cause);
		else
			says_nothing(c, "lost_to");
	} else if (file) {
		says_nothing(c, "share");
		says_nothing(c, "lost_to");
	}
	if (executed || lost) {
		says_uint(c, "executed", executed);
		says_slots(c, "held", lost, p.width);
	} else {
		says_nothing(c, "executed");
		says_nothing(c, "held");
	}
}

/* Reads plain code from a symbol on. With a profile, executions come from its events. */
static void read_disasm(const struct session *s, const char *function, unsigned rows)
{
	struct cells c;
	char words[64], flight[4000], text[128];
	struct source_line at, last = {NULL, 0};
	const struct uop *oldest;
	uint64_t pc = program_symbol_by_name(s->program, function)->addr;
	snprintf(words, sizeof words, "disasm %s %u", function, rows);
	cells_open(&c, s, words);
	for (unsigned i = 0; i < rows; i++) {
		uint32_t raw = 0;
		struct inst in;
		machine_peek(s->machine, pc, &raw, 4);
		raw &= (raw & 3) == 3 ? UINT32_MAX : 0xffff;
		inst_decode(raw, &in);
		const unsigned n =
			code_cells_count_in_flight(s, pc, pc + 1, &oldest, flight, sizeof flight);
		const struct grid_row *row = cells_row(&c);
		assert_int_equal(row->pc, pc);
		assert_int_equal(row->seq, oldest ? oldest->seq : 0);
		says(&c, "mark", "%s%s", breaks_at(s, pc) ? "●" : "",
		     pc == machine_pc(s->machine)     ? "▶"
		     : pc == pipe_of(s)->st->fetch_pc ? "F"
		                                      : "");
		says_addr(&c, "place", s, pc);
		assembly(s, &in, pc, text);
		says(&c, "instruction", "%s", text);
		if (n < 4) /* more are given as a number */
			says(&c, "in_flight", "%s", flight);
		else
			assert_true(!strncmp(cells_at(&c, "in_flight")->text, flight, 40));
		if (program_line_at(s->program, pc, &at) && at.line &&
		    (at.line != last.line || at.file != last.file)) {
			says(&c, "source", "%s:%u", file_name(at.file), at.line);
			last = at;
		} else {
			says_nothing(&c, "source");
		}
		says_hex(&c, "address", pc);
		says(&c, "bytes", "%0*x", 2 * in.len, raw);
		code_cells_check_counts(&c, s, pc, NULL, 0);
		pc += in.len;
	}
	cells_close(&c);
}

/* Expands tabs to every fourth place. */
static const char *code_cells_expand_tabs(const char *text)
{
	char *out = some_text(), *at = out;
	for (; text && *text; text++)
		if (*text != '\t')
			*at++ = *text;
		else
			do
				*at++ = ' ';
			while ((at - out) % 4);
	*at = '\0';
	return out;
}

/* tall: the pane has room for all lines from the file's beginning. */
static void code_cells_check_source(const struct session *s, bool tall)
{
	const struct pipe *p = pipe_of(s);
	const struct profile_code *profiled = program_profile_code(s->program);
	struct source_line here, at;
	struct cells c;
	if (!program_line_at(s->program, machine_pc(s->machine), &here))
		return;
	uint16_t late, known = xprof_known(p, &late);
	cells_open_in(&c, s, "source", tall ? 80 : 0, 0);
	unsigned line = (unsigned)c.g.rows[0].cells[1].raw.u;
	assert_true(tall ? line < c.g.row_count : c.g.row_count == 20);
	assert_true(line <= here.line && line + c.g.row_count > here.line);
	for (unsigned row = 0; row < c.g.row_count; row++, line++) {
		const struct uop *oldest = NULL;
		unsigned n = 0, of_profile = 0, off = 0;
		bool stop = false;
		const struct stop_point *sp;
		for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
			const struct uop *u = i < p->st->rob_count
			                              ? pipe_rob_at(p, i)
			                              : pipe_fetchq_at(p, i - p->st->rob_count);
			if (!program_line_at(s->program, u->pc, &at) || at.line != line ||
			    strcmp(at.file, here.file) != 0)
				continue;
			oldest = n++ ? oldest : u;
		}
		for (unsigned i = 0; (sp = run_stop_at(s->run, i)); i++)
			stop |= sp->kind == STOP_POINT_PC &&
			        program_line_at(s->program, sp->addr, &at) && at.line == line;
		for (size_t i = 0; i < profiled->count; i++) {
			uint32_t raw;
			struct inst pi;
			if (!program_line_at(s->program, profiled->at[i], &at) || at.line != line ||
			    !machine_peek(s->machine, profiled->at[i], &raw, 4))
				continue;
			inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &pi);
			if (pi.op != OP_PI)
				continue;
			of_profile++;
			off += !((known | late) >> pi.imm & 1);
		}
		assert_int_equal(cells_row(&c)->seq, oldest ? oldest->seq : 0);
		says(&c, "mark", "%s%s", stop ? "●" : "",
		     line == here.line                 ? "▶"
		     : of_profile && off == of_profile ? "-"
		                                       : "");
		says_word(&c, "line", RAW_UINT, line, "%u", line);
		says(&c, "text", "%s",
		     code_cells_expand_tabs(
			     program_source_text(s->program, here.file, line, NULL)));
		if (n)
			says_uint(&c, "in_flight", n);
		else
			says_nothing(&c, "in_flight");
		if (oldest)
			says(&c, "oldest", "%s %s", number_of(p, oldest), phase_of(oldest));
		else
			says_nothing(&c, "oldest");
		if (of_profile)
			says_word(&c, "profile", RAW_UINT, of_profile,
			          off == of_profile ? "- %u" : "%u", of_profile);
		else
			says_nothing(&c, "profile");
		code_cells_check_counts(&c, s, 0, here.file, line);
	}
	cells_close(&c);
}

TEST(code_is_shown_as_it_is)
{
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	static const char *const functions[] = {"link_nodes", "walk", "depth", "sum_series",
	                                        "main"};
	struct stop_point stop = {.kind = STOP_POINT_PC,
	                          .addr = program_symbol_by_name(s->program, "depth")->addr,
	                          .enabled = true,
	                          .text = "depth"};
	assert_true(run_add_stop(s->run, &stop) > 0);
	for (unsigned k = 0; k < 5; k++) {
		run_into(s, functions[k]);
		for (unsigned i = 0; i < 12; i++) {
			run_for(s, 11 + 2 * i);
			for (unsigned f = 0; f < 5; f++)
				read_disasm(s, functions[f], 10);
			struct hot_profile hot;
			struct err err;
			if (i % 4 == 3)
				assert_true(hot_take(s, &(struct region){.given = false}, &hot,
				                     &err));
			code_cells_check_source(s, i % 4 == 3);
			code_cells_check_stack(s);
			read_backtrace(s);
		}
	}
	session_free(s);
	s = open_program("tests/golden/profile.elf", NULL);
	for (unsigned i = 0; i < 40 && machine_status(s->machine) == MACHINE_RUNNING; i++) {
		run_for(s, 29);
		code_cells_check_source(s, false);
	}
	session_free(s);
}

/* ---- programs that were laid out again ---- */
TEST(code_says_where_it_was)
{
	struct err err;
	struct instrument_options o = {.count = 0};
	struct session_options opt = {.launch = {.path = "build/tests/cmd/contexts",
	                                         .stdin_fd = -1,
	                                         .output = os_no_output,
	                                         .edit = instrument_edit,
	                                         .edit_ctx = &o},
	                              .history = {.history = true}};
	config_default(&opt.cfg);
	assert_true(instrument_add(&o, "bb", &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	struct moved_code m;
	struct cells c;
	unsigned moved = 0, put_in = 0;
	assert_true(program_moved_code(s->program, &m));
	run_for(s, 400);
	cells_open(&c, s, "disasm work 40");
	while (c.rows < c.g.row_count) {
		const uint64_t pc = cells_row(&c)->pc;
		uint64_t was = 0;
		for (uint64_t i = 0; i < m.count; i++)
			was = m.text + m.pairs[2 * i] == pc ? m.pairs[2 * i + 1] : was;
		if (was)
			says_hex(&c, "was", was);
		else
			says(&c, "was", "+ bb");
		moved += was != 0;
		put_in += was == 0;
		c.said = UINT64_MAX; /* the remaining cells are checked with other programs */
	}
	assert_true(moved > 10 && put_in > 2);
	cells_close(&c);
	session_free(s);
}

TEST(code_cells_are_complete)
{
	views_are_complete("code");
}
