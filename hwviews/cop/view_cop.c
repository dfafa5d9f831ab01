/* `view cop`: the co-processor's pipeline, registers and current microinstruction. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/cop/micro_code.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/loss_text.h"
#include "loader/microprogram.h"

enum { BAR = 12, GLYPH = 3, RECORDS_SHOWN = 4, TEXT = 512 };

static const struct grid_column columns[] = {
	{"part", "", "", .min_width = 6, .help = "the row's subject: F, D, X, record, ... as here"},
	{"at", "at", "", .help = "place in the program: label and offset, or number"},
	{"what", "microinstruction", "", FLEXIBLE,
	 .help = "its text; of registers, flags and counts their contents, of records and queues "
		 "their instructions"},
	{"value", "", "", FLEXIBLE, .help = "what it read, wrote or is"},
};

/* Below NARROW columns, values follow the operations in the same cell. */
enum { COLUMNS = sizeof columns / sizeof *columns, NARROW = 116 };

/* Row keys. */
enum {
	KEY_FETCH = 1, KEY_DECODE, KEY_EXECUTE, KEY_AHEAD = 8, KEY_DONE = 16, KEY_WAITS = 24,
	KEY_RECORD, KEY_BUFFER = KEY_RECORD + RECORDS_SHOWN, KEY_TRANSPORT, KEY_CONDITIONS,
	KEY_RANDOM, KEY_MATCH, KEY_COUNTS, KEY_REGISTERS = 256
};

struct pane {
	struct grid *g;
	const struct session *s;
	const struct cop *c;
	const struct prof *d;
	const struct stats *stats;
	bool narrow;
};

/* Appends a text and its value: in two columns, or in one if the pane is narrow. */
static void view_cop_append_value_cells(const struct pane *p, enum role role, const char *what,
                                        enum role value_role, const char *value)
{
	if (!p->narrow || !*what || !*value)
		grid_text(p->g, p->narrow && !*what ? value_role : role, "%s%s", what,
		          p->narrow ? value : "");
	else
		grid_text(p->g, value_role, "%s: %s", what, value);
	if (!p->narrow)
		grid_text(p->g, value_role, "%s", value);
}

static void view_cop_begin_row(const struct pane *p, uint64_t key, enum role role, const char *part)
{
	grid_row(p->g, key, role);
	grid_text(p->g, role == ROLE_PLAIN ? ROLE_DIM : role, "%s", part);
}

/* ---- the pipeline ---- */
static void view_cop_append_pipeline_row(const struct pane *p, uint64_t key, const char *part,
                                         const struct micro_slot *slot, const char *note)
{
	char place[64];
	view_cop_begin_row(p, key, slot->kind == MICRO_SLOT_EMPTY ? ROLE_DIM : ROLE_PLAIN, part);
	if (slot->kind == MICRO_SLOT_CODE || slot->kind == MICRO_SLOT_FAULT)
		grid_text(p->g, ROLE_ADDRESS, "%s",
		          format_micro_at(p->s, slot->at, place, sizeof place));
	else
		grid_blank(p->g);
	switch (slot->kind) {
	case MICRO_SLOT_CODE:
		grid_text(p->g, ROLE_PLAIN, "%s",
		          format_micro(p->s, slot->word, slot->at, BUFFER(MICRO_TEXT_MAX)));
		break;
	case MICRO_SLOT_SKIP:
		grid_text(p->g, ROLE_DIM, "skips a record: its class has no routine");
		break;
	case MICRO_SLOT_FAULT:
		grid_text(p->g, ROLE_ERROR, "beyond the microcode: a fault, if it executes");
		break;
	default: grid_text(p->g, ROLE_DIM, "%s", note); break;
	}
}

static void op_rows(const struct pane *p, uint64_t key, const struct micro_op_text *ops, unsigned n,
                    enum role role)
{
	for (unsigned i = 0; i < n; i++) {
		grid_row(p->g, key + i, ROLE_PLAIN);
		grid_blank(p->g);
		grid_text(p->g, ROLE_DIM, "  %s", ops[i].unit);
		view_cop_append_value_cells(p, ROLE_PROFILE, ops[i].text, role, ops[i].values);
	}
}

static void executed_row(const struct pane *p)
{
	const struct micro_trace *t = &p->c->micro.st->last;
	const bool now = cop_executed_now(p->s);
	char text[MICRO_TEXT_MAX], ago[96];
	view_cop_begin_row(p, KEY_EXECUTE, now ? ROLE_CURRENT : ROLE_DIM, now ? "X ◆" : "X");
	if (t->kind == MICRO_SLOT_EMPTY) {
		grid_blank(p->g);
		grid_text(p->g, ROLE_DIM, "nothing was executed yet");
		return;
	}
	if (t->kind == MICRO_SLOT_SKIP)
		grid_blank(p->g);
	else
		grid_text(p->g, now ? ROLE_CURRENT : ROLE_ADDRESS, "%s",
		          format_micro_at(p->s, t->at, BUFFER(64)));
	const char *what = t->kind == MICRO_SLOT_SKIP ? "skipped a record: its class has no routine"
	                   : t->kind == MICRO_SLOT_FAULT
	                           ? "beyond the microcode"
	                           : format_micro(p->s, t->word, t->at, text, sizeof text);
	const uint64_t when = stats_guest_cycle(p->stats, p->c->st->executed_end) - 1;
	const char *value = t->fault ? micro_fault_name[t->fault]
	                    : now    ? "" : format_ago(prof_now(p->d), when, ago, sizeof ago);
	view_cop_append_value_cells(p, now ? ROLE_CURRENT : ROLE_DIM, what,
	                            t->fault ? ROLE_ERROR
	                            : now    ? ROLE_CURRENT
	                                     : ROLE_DIM,
	                            value);
}

static void pipeline_rows(const struct pane *p)
{
	const struct micro_state *st = p->c->micro.st;
	struct micro_op_text ops[MICRO_OPS];
	const char *lost =
		st->last.wrong && cop_executed_now(p->s) ? "lost: the branch was mispredicted" : "";
	enum role role;
	const char *waits = cop_status_words(p->s, &role);
	view_cop_append_pipeline_row(p, KEY_FETCH, "F", &st->decode,
	                             *lost                  ? lost
	                             : role == ROLE_RUNNING ? ""
	                                                    : waits);
	view_cop_append_pipeline_row(p, KEY_DECODE,
	                             st->execute.kind == MICRO_SLOT_EMPTY ? "D" : "D ▶",
	                             &st->execute, lost);
	op_rows(p, KEY_AHEAD, ops, micro_ops_ahead(p->s, &st->execute, ops), ROLE_NUMBER);
	executed_row(p);
	if (cop_executed_now(p->s))
		op_rows(p, KEY_DONE, ops, micro_ops_done(p->s, &st->last, ops), ROLE_CURRENT);
}

/* ---- records ---- */
static void record_row(const struct pane *p, uint64_t i)
{
	const struct cop_record *r = cop_record_at(p->d, i);
	char text[TEXT], part[16];
	snprintf(part, sizeof part, i ? "+%" PRIu64 : "record", i);
	view_cop_begin_row(p, KEY_RECORD + i, i ? ROLE_DIM : ROLE_PLAIN, part);
	grid_last_row(p->g)->pc = r->pc;
	grid_uint_text(p->g, ROLE_DIM, r->seq, "#%" PRIu64, r->seq);
	char *rest = strchr(format_record(p->s, r, text, sizeof text), ',');
	if (rest) {
		*rest = '\0';
		rest += 2;
	}
	view_cop_append_value_cells(p, i ? ROLE_DIM : ROLE_PLAIN, text, i ? ROLE_DIM : ROLE_NUMBER,
	                            rest ? rest : "");
}

static void more_records(const struct pane *p)
{
	for (uint64_t i = 1; i < p->c->st->count && i < RECORDS_SHOWN; i++)
		record_row(p, i);
}

/* A queue: its fill, and records dropped because it was full. */
static void level_row(const struct pane *p, uint64_t key, const char *part, uint64_t records,
                      uint64_t words, int64_t of, uint64_t most, uint64_t gone, const char *how)
{
	char level[128], text[96];
	view_cop_begin_row(p, key, ROLE_PLAIN, part);
	grid_uint(p->g, ROLE_NUMBER, records);
	snprintf(level, sizeof level, "%s %" PRIu64 "/%" PRId64 " words",
	         level_bar(words, (uint64_t)of, BAR, BUFFER(BAR * GLYPH + 1)), words, of);
	snprintf(text, sizeof text, "most %" PRIu64 ", %s records %s", most, GROUPED(gone), how);
	view_cop_append_value_cells(p, ROLE_PLAIN, level, gone ? ROLE_DROPPED : ROLE_PLAIN, text);
}

static void queue_rows(const struct pane *p)
{
	const struct cop_state *st = p->c->st;
	const struct config *cfg = machine_config(p->s->machine);
	level_row(p, KEY_BUFFER, "buffer", st->count, st->buffer_words, CONFIG(cfg, cop_buffer),
	          st->most_buffer_words, STAT(p->stats, cop_lost), "lost");
	level_row(p, KEY_TRANSPORT, "queue", st->way_count, st->words, CONFIG(cfg, cop_transport),
	          st->most_words, STAT(p->stats, cop_dropped), "dropped");
}

/* ---- state ---- */
static void condition_row(const struct pane *p)
{
	static const char *const names[] = {"z", "lt", "sat", "xz", "xlt", "hit", "csat", "cz"};
	char text[128] = "";
	size_t n = 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", i ? "  " : "",
		                      p->c->micro.st->conditions >> i & 1 ? "●" : "○", names[i]);
	view_cop_begin_row(p, KEY_CONDITIONS, ROLE_PLAIN, "flags");
	grid_blank(p->g);
	grid_text(p->g, ROLE_PLAIN, "%s", text);
}

static void random_rows(const struct pane *p)
{
	view_cop_begin_row(p, KEY_RANDOM, ROLE_PLAIN, "lfsr");
	grid_blank(p->g);
	grid_uint_text(p->g, ROLE_NUMBER, p->c->micro.st->lfsr, "0x%08" PRIx32,
	               p->c->micro.st->lfsr);
	view_cop_begin_row(p, KEY_MATCH, ROLE_PLAIN, "match");
	grid_blank(p->g);
	grid_uint(p->g, ROLE_NUMBER, p->c->micro.st->match);
}

static void counts_row(const struct pane *p)
{
	view_cop_begin_row(p, KEY_COUNTS, ROLE_PLAIN, "counts");
	grid_blank(p->g);
	grid_text(p->g, ROLE_PLAIN, "%s tagged, %s records, %s done, %s skipped",
	          GROUPED(STAT(p->stats, cop_tagged)), GROUPED(STAT(p->stats, cop_records)),
	          GROUPED(STAT(p->stats, cop_samples)), GROUPED(STAT(p->stats, cop_skipped)));
	view_cop_begin_row(p, KEY_COUNTS + 1, ROLE_PLAIN, "");
	grid_blank(p->g);
	grid_text(p->g, ROLE_PLAIN, "%s microinstruction%s, %s interrupt%s",
	          GROUPED(STAT(p->stats, cop_micro)), STAT(p->stats, cop_micro) == 1 ? "" : "s",
	          GROUPED(STAT(p->stats, cop_interrupts)),
	          STAT(p->stats, cop_interrupts) == 1 ? "" : "s");
}

static bool view_cop_register_was_written(const struct micro_trace *t, char letter, unsigned number)
{
	for (unsigned i = 0; letter == 'v' && i < sizeof t->wrote_v; i++)
		if (t->wrote_v[i] == number + 1)
			return true;
	for (unsigned i = 0; letter == 'x' && i < sizeof t->wrote_x; i++)
		if (t->wrote_x[i] == number + 1)
			return true;
	return false;
}

/* Registers that have a name or are not 0; constants, bases and targets only if they have a
 * name. */
static void register_rows(const struct pane *p, char letter)
{
	const struct micro_image *image = session_micro_image(p->s);
	const struct micro_state *st = p->c->micro.st;
	char part[16];
	for (unsigned i = 0; i < micro_register_count(letter); i++) {
		const char *name = micro_register_name(image, letter, i);
		const uint64_t value = micro_register_value(st, letter, i);
		const bool now = cop_executed_now(p->s) &&
		                 view_cop_register_was_written(&st->last, letter, i);
		if (!*name && !value)
			continue;
		snprintf(part, sizeof part, "%c%u", letter, i);
		view_cop_begin_row(
			p, KEY_REGISTERS + (uint64_t)(unsigned char)letter * MICRO_VALUES + i,
			now ? ROLE_CURRENT : ROLE_PLAIN, part);
		grid_text(p->g, ROLE_PLAIN, "%s", name);
		grid_uint_text(p->g, now ? ROLE_CURRENT : ROLE_NUMBER, value, "%s",
		               format_micro_register(p->s, letter, value, BUFFER(128)));
	}
}

static bool view_cop_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct pane p = {out,
	                       s,
	                       session_cop(s),
	                       machine_pipe(s->machine)->prof,
	                       machine_stats(s->machine),
	                       args->columns && args->columns < NARROW};
	const struct microprogram *program = session_microprogram(s);
	enum role role;
	if (!arg_count(args, 0, "cop", err))
		return false;
	grid_init(out, "Co-processor", columns, p.narrow ? COLUMNS - 1 : COLUMNS);
	grid_texts(out, "at");
	grid_texts(out, "what");
	out->essential = COLUMNS;
	grid_summary(out, "%s%s%s%s",
	             program ? *program->image.name ? program->image.name : program->path : "",
	             program ? ", " : "", cop_status_words(s, &role),
	             format_loss(s, LOSS_OF_COP | LOSS_OF_CODE, BUFFER(320)));
	pipeline_rows(&p);
	if (p.c->st->count)
		record_row(&p, 0);
	queue_rows(&p);
	condition_row(&p);
	register_rows(&p, 'v');
	register_rows(&p, 'x');
	random_rows(&p);
	more_records(&p);
	counts_row(&p);
	for (const char *letter = "kbt"; *letter; letter++)
		register_rows(&p, *letter);
	return true;
}

const struct view view_cop = {
	.name = "cop",
	.title = "Co-processor",
	.args = "",
	.device = "cop",
	.build = view_cop_build_grid,
	.help.about =
		"The profiling co-processor's engine in the cycle just done: the three stages\n"
		"of its pipeline, its record, and its registers, by the names that the\n"
		"microprogram gives them (`cop load`, `cop names`).\n"
		"\n"
		"  F D X    fetched, decoded, executed in the last clock; empty after a branch\n"
		"           that was mispredicted, and while there is no record\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints =
		"  ▶        executes in the next clock: below it its operations, which happen\n"
		"           side by side in different units, with what they will read\n"
		"  ◆        was executed in this cycle: below it what each operation did\n"
		"  record   the oldest in the sample buffer, which the program works on, with\n"
		"           the fields that it needs; further down +1 ... the next ones\n"
		"  buffer   the sample buffer; queue: records that committed and wait for the\n"
		"           bus, or are on it. The number is that of records\n"
		"  flags    conditions that branches read; each unit keeps its own: the ALU\n"
		"           z lt sat, the index ALU xz xlt, the associative array hit, the data\n"
		"           array csat cz\n"
		"  lfsr     the random register; match: the entry that match or free found last\n"
		"  v x      value and index registers that have a name or are not 0;\n"
		"           k b t: constants, base registers, targets of far branches\n"
		"\n"
		"`cop step` goes on by a microinstruction, `why cop` explains its wait,\n"
		"`view copslots` shows its arrays, `view copfilter` the filters. `help cop`.",
};
