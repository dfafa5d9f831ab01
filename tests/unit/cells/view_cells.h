/* A view's cells against what a plain reading of the machine says, written without the code of
 * views: a test opens a view, goes through its rows and says of each cell what it has to be. A row
 * that is not there, or is too many, a cell of which nothing is said, a column that never held
 * anything, a view that no test reads: each fails, and says what to add.
 *
 * Not shared with views: places, disassembly, numbers as people read them and words of causes are
 * written again here. */
#ifndef CYCLOPS_TESTS_UNIT_VIEW_CELLS_H
#define CYCLOPS_TESTS_UNIT_VIEW_CELLS_H

#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/pipe/pipe.h"
#include "core/pipe/why.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"

typedef unsigned long long ull;

/* Which test says what a view's cells have to be: its file is tests/unit/test_view_cells_NAME.c. */
static const struct {
	const char *view, *test;
} view_readers[] = {
	{"pipe", "pipeline"},      {"fetchq", "pipeline"},
	{"rob", "pipeline"},       {"lsq", "pipeline"},
	{"fu", "pipeline"},        {"rename", "pipeline"},
	{"regs", "pipeline"},      {"fregs", "pipeline"},
	{"bpred", "pipeline"},     {"btb", "pipeline"},
	{"ras", "pipeline"},       {"bdt", "pipeline"},
	{"l1i", "memory"},         {"l1d", "memory"},
	{"l2", "memory"},          {"tlb", "memory"},
	{"mshr", "memory"},        {"mem", "memory"},
	{"stack", "memory"},       {"backtrace", "memory"},
	{"disasm", "memory"},      {"source", "memory"},
	{"locals", "memory"},      {"displays", "memory"},
	{"output", "memory"},      {"breakpoints", "memory"},
	{"history", "memory"},     {"config", "memory"},
	{"stats", "profiling"},    {"cpi", "profiling"},
	{"slots", "profiling"},    {"what-if", "profiling"},
	{"hot", "profiling"},      {"branches", "profiling"},
	{"oracle", "profiling"},   {"pflag", "devices"},
	{"vsample", "vsample"},    {"hotlist", "values"},
	{"replay", "values"},      {"compressor", "compressor"},
	{"buckets", "devices"},    {"cop", "cop"},
	{"copslots", "copfilter"}, {"copfilter", "copfilter"},
	{"cfg", "flow"},           {"paths", "paths"},
	{"cct", "contexts"},       {"firmware", "profiles"},
	{"profile", "profiles"},   {"timeline", "timeline"},
	{"machine", "machine"},    {"twin", "twin"},
	{"gap", "twin"},           {"bakeoff", "bakeoff"},
	{"sample", "sample"},      {"phases", "sample"},
	{"device", "state"},
};

/* ---- what has been read ---- */
enum { CELLS_SEEN = 512 };
static struct {
	char view[24], column[32];
	bool held; /* something, once */
} cells_seen[CELLS_SEEN];
static unsigned cells_seen_count;

static inline unsigned cells_seen_at(const char *view, const char *column)
{
	unsigned i = 0;
	while (i < cells_seen_count &&
	       (strcmp(cells_seen[i].view, view) != 0 || strcmp(cells_seen[i].column, column) != 0))
		i++;
	if (i < cells_seen_count)
		return i;
	assert_true(cells_seen_count < CELLS_SEEN);
	snprintf(cells_seen[i].view, sizeof cells_seen[i].view, "%s", view);
	snprintf(cells_seen[i].column, sizeof cells_seen[i].column, "%s", column);
	cells_seen_count++;
	return i;
}

/* ---- one view ---- */
struct cells {
	char words[64]; /* "rename all" */
	char view[24];
	struct grid g;
	unsigned rows;  /* begun so far */
	uint64_t said;  /* bit i: of column i, in this row */
};

static inline void cells_open_in(struct cells *c, const struct session *s, const char *words,
                                 unsigned rows, unsigned columns)
{
	struct err err;
	*c = (struct cells){.rows = 0};
	snprintf(c->words, sizeof c->words, "%s", words);
	snprintf(c->view, sizeof c->view, "%.*s", (int)strcspn(words, " "), words);
	if (!view_build(s, words, &(struct view_args){.rows = rows, .columns = columns}, &c->g,
	                &err))
		fail_msg("view %s: %s", words, err.msg);
	assert_true(c->g.column_count <= 64);
	for (unsigned i = 0; i < c->g.column_count; i++)
		cells_seen_at(c->view, c->g.columns[i].name);
}

static inline void cells_open(struct cells *c, const struct session *s, const char *words)
{
	cells_open_in(c, s, words, 0, 0);
}

/* A report, of its name's one or two words and arguments; it is known as "report WORDS..." without
 * these. */
static inline void cells_open_report(struct cells *c, const struct session *s, const char *words)
{
	const char *argv[8];
	char copy[64], *save;
	int argc = 0, used;
	struct err err;
	*c = (struct cells){.rows = 0};
	snprintf(c->words, sizeof c->words, "report %s", words);
	snprintf(copy, sizeof copy, "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w && argc < 8; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	const struct report *r = report_find(argc, argv, &used, &err);
	if (!r || !report_build(r, s, &(struct view_args){.argc = argc - used, .argv = argv + used},
	                        &c->g, &err))
		fail_msg("report %s: %s", words, err.msg);
	/* what one is told of has columns of its own */
	snprintf(c->view, sizeof c->view, "r %s%s", r->name, argc > used ? " of" : "");
	assert_true(c->g.column_count <= 64);
	for (unsigned i = 0; i < c->g.column_count; i++)
		cells_seen_at(c->view, c->g.columns[i].name);
}

static inline void cells_row_is_complete(const struct cells *c)
{
	for (unsigned i = 0; c->rows && i < c->g.column_count; i++)
		if (!(c->said >> i & 1))
			fail_msg("view %s, row %u: nothing says what '%s' has to be: have its test "
			         "in tests/unit/test_view_cells_*.c read it from the "
			         "machine",
			         c->words, c->rows - 1, c->g.columns[i].name);
}

/* The next row; the one before has to be complete. */
static inline const struct grid_row *cells_row(struct cells *c)
{
	cells_row_is_complete(c);
	if (c->rows == c->g.row_count)
		fail_msg("view %s has %u rows, which is too few", c->words, c->rows);
	c->said = 0;
	return &c->g.rows[c->rows++];
}

static inline void cells_close(struct cells *c)
{
	cells_row_is_complete(c);
	if (c->rows != c->g.row_count)
		fail_msg("view %s has %u rows, not %u; the first too many says '%s' '%s'", c->words,
		         c->g.row_count, c->rows, c->g.rows[c->rows].cells[0].text,
		         c->g.column_count > 1 ? c->g.rows[c->rows].cells[1].text : "");
	grid_deinit(&c->g);
}

/* The cell of this column in the row at hand, about which something is said now. */
static inline const struct cell *cells_at(struct cells *c, const char *column)
{
	unsigned i = 0;
	while (i < c->g.column_count && strcmp(c->g.columns[i].name, column) != 0)
		i++;
	if (i == c->g.column_count)
		fail_msg("view %s has no column '%s'", c->words, column);
	const struct cell *cell = &c->g.rows[c->rows - 1].cells[i];
	c->said |= UINT64_C(1) << i;
	cells_seen[cells_seen_at(c->view, column)].held |= *cell->text != '\0';
	return cell;
}

static inline void cells_check(const struct cells *c, const char *column, const struct cell *cell,
                               enum raw_kind kind, const char *text)
{
	if (strcmp(cell->text, text) != 0)
		fail_msg("view %s, row %u, %s: '%s', not '%s'", c->words, c->rows - 1, column,
		         cell->text, text);
	if (cell->kind != kind)
		fail_msg("view %s, row %u, %s: '%s' is of kind %d, not %d", c->words, c->rows - 1,
		         column, text, (int)cell->kind, (int)kind);
}

#define CELLS_FORMAT(at) __attribute__((format(printf, at, at + 1)))
#define CELLS_TEXT(fmt) \
	char text[512]; \
	va_list ap; \
	va_start(ap, fmt); \
	vsnprintf(text, sizeof text, fmt, ap); \
	va_end(ap)

CELLS_FORMAT(3) static inline void says(struct cells *c, const char *column, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	cells_check(c, column, cells_at(c, column), RAW_NONE, text);
}

/* Numbers, and the text that is their picture. */
CELLS_FORMAT(5)
static inline void says_list(struct cells *c, const char *column, const uint64_t *list, uint32_t n,
                             const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, RAW_LIST, text);
	if (cell->count != n || memcmp(cell->raw.list, list, n * sizeof *list) != 0)
		fail_msg("view %s, row %u, %s: other numbers", c->words, c->rows - 1, column);
}

static inline void says_nothing(struct cells *c, const char *column)
{
	says(c, column, "%s", "");
}

CELLS_FORMAT(5)
static inline void says_word(struct cells *c, const char *column, enum raw_kind kind, uint64_t v,
                             const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, kind, text);
	if (cell->raw.u != v)
		fail_msg("view %s, row %u, %s: '%s' stands for %llu, not %llu", c->words,
		         c->rows - 1, column, text, (ull)cell->raw.u, (ull)v);
}

CELLS_FORMAT(4)
static inline void says_double(struct cells *c, const char *column, double v, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	const struct cell *cell = cells_at(c, column);
	cells_check(c, column, cell, RAW_DOUBLE, text);
	if (fabs(cell->raw.d - v) > 1e-9 * fabs(v))
		fail_msg("view %s, row %u, %s: '%s' stands for %g, not %g", c->words, c->rows - 1,
		         column, text, cell->raw.d, v);
}

/* ---- as people read it ---- */
/* A text for a moment: there are enough of them for one call. */
static inline char *some_text(void)
{
	static char texts[16][256];
	static unsigned next;
	return texts[next++ % 16];
}

/* 1,234,567 */
static inline const char *grouped(uint64_t v)
{
	char plain[32], *out = some_text(), *at = out;
	const int n = snprintf(plain, sizeof plain, "%llu", (ull)v);
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*at++ = ',';
		*at++ = plain[i];
	}
	*at = '\0';
	return out;
}

static inline void says_uint(struct cells *c, const char *column, uint64_t v)
{
	says_word(c, column, RAW_UINT, v, "%s", grouped(v));
}

static inline void says_hex(struct cells *c, const char *column, uint64_t v)
{
	says_word(c, column, RAW_HEX, v, "0x%llx", (ull)v);
}

/* What lies there: "walk+0x10", "sp+24", "heap+0x8"; "" if nothing does. */
static inline const char *place_of(const struct session *s, uint64_t addr)
{
	char *out = some_text();
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n), *best = NULL;
	for (size_t i = 0; i < n; i++) {
		const uint64_t end = all[i].size ? all[i].addr + all[i].size
		                     : i + 1 < n ? all[i + 1].addr
		                                 : all[i].addr;
		/* of several names the first */
		const bool again = best && best->addr == all[i].addr && best->size;
		/* a label within a function is not what it is in */
		if (addr >= all[i].addr && addr < end && !again &&
		    (!best || all[i].size || !best->size))
			best = &all[i];
	}
	const struct mem_region *r = mem_regions(machine_mem_const(s->machine), &n);
	*out = '\0';
	/* a label is near what lies in the same region */
	for (size_t i = 0; best && !best->size && i < n; i++)
		if (addr >= r[i].start && addr < r[i].end &&
		    (best->addr < r[i].start || best->addr > r[i].end)) {
			best = NULL;
			break;
		}
	if (best && addr == best->addr)
		snprintf(out, 256, "%s", best->name);
	else if (best)
		snprintf(out, 256, "%s+0x%llx", best->name, (ull)(addr - best->addr));
	for (size_t i = 0; !best && i < n; i++) {
		const int64_t from_sp = (int64_t)(addr - machine_reg(s->machine, REG_SP));
		if (addr < r[i].start || addr >= r[i].end)
			continue;
		if (strcmp(r[i].name, "stack") != 0)
			snprintf(out, 256, "%s+0x%llx", r[i].name, (ull)(addr - r[i].start));
		else if (from_sp == 0)
			snprintf(out, 256, "sp");
		else if (from_sp >= -4096 && from_sp <= 4096)
			snprintf(out, 256, "sp%+lld", (long long)from_sp);
		else
			snprintf(out, 256, "stack-0x%llx", (ull)(r[i].end - addr));
	}
	return out;
}

static inline const char *addr_of(const struct session *s, uint64_t addr)
{
	const char *place = place_of(s, addr);
	if (*place)
		return place;
	char *out = some_text();
	snprintf(out, 256, "0x%llx", (ull)addr);
	return out;
}

/* An address with the place as its text. */
static inline void says_addr(struct cells *c, const char *column, const struct session *s,
                             uint64_t addr)
{
	says_word(c, column, RAW_HEX, addr, "%s", addr_of(s, addr));
}

/* A cycle to come: "12 left, 2,012"; now the last one done is the one before. */
static inline void says_due(struct cells *c, const char *column, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		says_nothing(c, column);
	else if (cycle <= now)
		says_word(c, column, RAW_UINT, cycle, "now, %s", grouped(cycle));
	else
		says_word(c, column, RAW_UINT, cycle, "%llu left, %s", (ull)(cycle - now),
		          grouped(cycle));
}

static inline void says_since(struct cells *c, const char *column, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		says_nothing(c, column);
	else
		says_word(c, column, RAW_UINT, cycle, "%llu ago, %s", (ull)(now - cycle),
		          grouped(cycle));
}

/* An instruction as assembly, into out [128], where a branch or jump leads to as a place. */
static inline void assembly(const struct session *s, const struct inst *in, uint64_t pc, char *out)
{
	const unsigned flags = op_info[in->op].flags;
	inst_disasm(in, pc, out, 128);
	char *hex = strstr(out, "0x");
	if ((flags & (OPF_BRANCH | OPF_JUMP)) && !(flags & OPF_INDIRECT) && hex)
		snprintf(hex, 128 - (size_t)(hex - out), "%s",
		         addr_of(s, pc + (uint64_t)(int64_t)in->imm));
}

/* The one in memory there. */
static inline const char *assembly_at(const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char *out = some_text();
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, out);
	return out;
}

/* A share as a bar of eighths, at least one of what is not nothing. */
static inline const char *share_bar(double share, unsigned width)
{
	static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	char *out = some_text();
	unsigned left = share >= 1 ? 8 * width : (unsigned)(share * width * 8 + 0.5);
	*out = '\0';
	if (!left && share > 0)
		left = 1;
	for (unsigned i = 0; i < width; i++) {
		strcat(out, left >= 8 ? "█" : eighths[left]);
		left -= left < 8 ? left : 8;
	}
	return out;
}

static inline const char *assembly_of(const struct session *s, const struct uop *u)
{
	struct inst in = u->inst;
	char *out = some_text();
	if (u->trap != TRAP_NONE && in.raw) /* a fault takes its destination */
		inst_decode(in.raw, &in);
	*out = '\0';
	if (u->prefix_len)
		snprintf(out, 16, "pi.%u ", u->profile_type);
	assembly(s, &in, u->pc + u->prefix_len, out + strlen(out));
	return out;
}

static inline bool wrong_path(const struct pipe *p, const struct uop *u)
{
	return (u->flags & UF_WRONG_PATH) ||
	       (u->state == UOP_FETCHED && p->st->spec_slot != NO_SLOT);
}

static inline const char *number_of(const struct pipe *p, const struct uop *u)
{
	char *out = some_text();
	snprintf(out, 256, "#%llu%s", (ull)u->seq, wrong_path(p, u) ? "?" : "");
	return out;
}

static inline const char *phase_of(const struct uop *u)
{
	static const char *const words[UOP_STATE_COUNT] = {
		[UOP_FREE] = "free",           [UOP_FETCHED] = "fetched",
		[UOP_WAITING] = "waiting",     [UOP_READY] = "ready",
		[UOP_EXECUTING] = "executing", [UOP_ADDRESS] = "address",
		[UOP_MEMORY] = "memory",       [UOP_DONE] = "done",
		[UOP_RETIRED] = "retired",     [UOP_SQUASHED] = "squashed",
		[UOP_DROPPED] = "dropped",     [UOP_CONTROL] = "acted"};
	return words[u->state];
}

static inline const char *served_by(unsigned level)
{
	static const char *const words[LEVEL_COUNT] = {"",        "forwarded", "write buffer",
	                                               "L1D hit", "L2",        "memory"};
	return words[level];
}

/* What it waits for, as a column "waits for" has it; the cause itself is the core's
 * (core/pipe/why.h). */
static inline const char *wait_of(const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	const char *tlb = u->flags & UF_TLB_MISS ? "TLB, " : "",
		   *pool[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div"};
	const ull o = w.other;
	char *out = some_text();
	switch (w.id) {
	case WHY_FETCHING: return "being fetched";
	case WHY_DECODE_TURN: return "decode's turn";
	case WHY_DECODE_WIDTH: return "decode slots taken";
	case WHY_ROB_FULL: return "reorder buffer full";
	case WHY_LSQ_FULL: return "load/store queue full";
	case WHY_IQ_FULL: return "issue queue full";
	case WHY_SERIAL_BEFORE: return "window must drain";
	case WHY_SERIAL_AFTER: snprintf(out, 256, "behind serialising #%llu", o); return out;
	case WHY_FAULT_BEFORE: return "behind a fault";
	case WHY_FLAG: snprintf(out, 256, "flag %u #%llu", w.operand, o); return out;
	case WHY_OPERAND:
	case WHY_OWN_DATA: snprintf(out, 256, "%s #%llu", reg_name(w.operand), o); return out;
	case WHY_IN_ORDER: snprintf(out, 256, "older not issued #%llu", o); return out;
	case WHY_UNIT:
		snprintf(out, 256, "%s unit, all %u taken", pool[w.pool], p->fu_count[w.pool]);
		return out;
	case WHY_ISSUE_WIDTH: return "issue slots taken";
	case WHY_WAW: snprintf(out, 256, "same destination #%llu", o); return out;
	case WHY_WRITE_PORT: return "no write port";
	case WHY_STAGE: snprintf(out, 256, "execute stage taken #%llu", o); return out;
	case WHY_MISS_BEFORE: snprintf(out, 256, "behind a miss #%llu", o); return out;
	case WHY_WRITTEN: return "written";
	case WHY_L1D_PORT: return "no port of L1D";
	case WHY_L2_HELD: return "L2 taken";
	case WHY_STORE_ADDRESS: snprintf(out, 256, "older store's address #%llu", o); return out;
	case WHY_STORE_DATA: snprintf(out, 256, "older store's data #%llu", o); return out;
	case WHY_STORE_COMMIT: snprintf(out, 256, "partial overlap #%llu", o); return out;
	case WHY_MSHR: return "no miss register";
	case WHY_EXECUTING:
	case WHY_AGEN: return "executing";
	case WHY_FORWARD: snprintf(out, 256, "forwarded #%llu", o); return out;
	case WHY_BUFFERED: return "write buffer";
	case WHY_L1: snprintf(out, 256, "%sL1D", tlb); return out;
	case WHY_L2: snprintf(out, 256, "%sL2", tlb); return out;
	case WHY_MEMORY: snprintf(out, 256, "%smemory", tlb); return out;
	case WHY_BUS: snprintf(out, 256, "%sbus", tlb); return out;
	case WHY_TLB: return "TLB miss";
	case WHY_COMMIT_DELAY: return "commits next";
	case WHY_COMMIT_TURN: return "turn";
	case WHY_WRITE_BUFFER: return "write buffer full";
	case WHY_SYSCALL: return "system call";
	case WHY_SQUASHED: return "squashed";
	case WHY_MOVING:
	case WHY_COMMITTED: return "";
	default:
		fail_msg("#%llu: this test has no words for cause %d: add them to "
		         "tests/unit/cells/view_cells.h",
		         (ull)u->seq, (int)w.id);
		return "";
	}
}

/* ---- sessions ---- */
static inline void swallow_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

/* With settings as `name=value;name=value`, or NULL. Input and output of launch are set here. */
static inline struct session *open_launch(const struct launch *launch, const char *settings)
{
	struct err err;
	char copy[512], *save;
	struct session_options opt = {.launch = *launch,
	                              .history = {.history = true, .first_spacing = 500}};
	opt.launch.stdin_fd = -1;
	opt.launch.output = swallow_output;
	config_default(&opt.cfg);
	snprintf(copy, sizeof copy, "%s", settings ? settings : "");
	for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
		if (!config_set_assignment(&opt.cfg, one, &err))
			fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static inline struct session *open_program(const char *path, const char *settings)
{
	return open_launch(&(struct launch){.path = path}, settings);
}

static inline void run_for(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	assert_true(run_cycles(s->run, cycles, false, &info, &err));
}

/* ---- nothing is forgotten ---- */
/* Of a view of this test: each column that its file names was met, and held something. */
static inline void view_is_complete(const char *view)
{
	char path[64], line[512];
	regex_t column;
	regmatch_t at[2];
	glob_t found;
	snprintf(path, sizeof path, "hwviews/*/view_%s.c", view);
	for (char *c = path; (c = strchr(c, '-'));)
		*c = '_';
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	FILE *f = fopen(found.gl_pathv[0], "r");
	globfree(&found);
	assert_non_null(f);
	assert_int_equal(regcomp(&column, "\\{\"([a-z_0-9]+)\", [^,]*, (\"[^\"]*\"|[^,]*), ALIGN_",
	                         REG_EXTENDED),
	                 0);
	while (fgets(line, sizeof line, f))
		if (!regexec(&column, line, 2, at, 0)) {
			line[at[1].rm_eo] = '\0';
			cells_seen_at(view, line + at[1].rm_so);
		}
	fclose(f);
	regfree(&column);
	for (unsigned i = 0; i < cells_seen_count; i++)
		if (!strcmp(cells_seen[i].view, view) && !cells_seen[i].held)
			fail_msg("view %s: column '%s' held nothing wherever its test looked: have "
			         "it come to a machine where it does",
			         view, cells_seen[i].column);
}

/* Of every report that was opened: each of its columns held something. */
static inline void reports_are_complete(void)
{
	for (unsigned i = 0; i < cells_seen_count; i++)
		if (!cells_seen[i].held)
			fail_msg("report %s: column '%s' held nothing wherever its test looked",
			         cells_seen[i].view + 2, cells_seen[i].column);
}

static inline void views_are_complete(const char *test)
{
	for (unsigned i = 0; i < view_count; i++) {
		unsigned k = 0;
		while (k < sizeof view_readers / sizeof *view_readers &&
		       strcmp(view_readers[k].view, views[i]->name) != 0)
			k++;
		if (k == sizeof view_readers / sizeof *view_readers)
			fail_msg("no test says what the cells of view %s have to be: read them "
			         "from the machine in a tests/unit/test_view_cells_*.c, and "
			         "add it to view_readers in tests/unit/cells/view_cells.h",
			         views[i]->name);
		if (!strcmp(view_readers[k].test, test))
			view_is_complete(views[i]->name);
	}
}

#endif
