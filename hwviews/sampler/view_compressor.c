/* `view compressor`: the flow through the stream sampler's components. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/pipe/plugin.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/loss_text.h"

enum { BAR = 8, GLYPH = 3, QUEUE_SHOWN = 4, TEXT = 512 };

static const struct grid_column columns[] = {
	{"flow", "", "", .help = "the path of tuples, and its contents"},
	{"part", "part", "", .help = AS_BEFORE},
	{"in", "in", "tuples; after a component: messages", AT_RIGHT,
	 .help = "tuples, and the results of components; of queues: inputs and outputs"},
	{"out", "out", "the same", AT_RIGHT, .help = AS_BEFORE},
	{"says", "last", "", FLEXIBLE, .help = "what the part did last"},
	{"ratio", "in/out", "", AT_RIGHT, .restless = true, .help = "its compression"},
	{"held", "held", "tuples", AT_RIGHT,
	 .help = "counted tuples without a message so far; lossy: tuples that it doesn't select "
		 "are lost. Unknown for a plug-in"},
	{"bits", "bits", "", AT_RIGHT, .help = "storage that it takes in hardware"},
};
/* Below NARROW columns, texts come before numbers. */
enum { ESSENTIAL = 5, NARROW = 64 };

/* Row keys: a part of the flow, and rows about it. */
enum part {
	PART_SELECTOR = 1, PART_TUPLES, PART_STAGE,
	PART_MESSAGES = PART_STAGE + COMPRESSOR_STAGES_MAX, PART_READER, PART_OVERHEAD, PART_ERROR
};
enum { ABOUT = 16 };

struct flow {
	struct grid *g;
	const struct session *s;
	const struct sampler *sm;
	const struct prof *d;
	bool narrow;
};

/* Begins a row for a part that tuples or messages pass. now: active in the cycle just done. */
static void begin_part(const struct flow *f, enum part part, bool now, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void begin_part(const struct flow *f, enum part part, bool now, const char *fmt, ...)
{
	char name[128];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	grid_row(f->g, (uint64_t)part * ABOUT, now ? ROLE_CURRENT : ROLE_PLAIN);
	grid_text(f->g, now ? ROLE_CURRENT : ROLE_DIM, "%s%s",
	          part == PART_SELECTOR ? "┌" : part == PART_READER ? "└" : "├",
	          now ? "◆" : part == PART_SELECTOR ? "─" : "▶");
	grid_text(f->g, now ? ROLE_CURRENT : ROLE_PLAIN, "%s", name);
}

/* Counts of input and output; NULL: not for this row. */
static void cells_flow(const struct flow *f, const uint64_t *in, const uint64_t *out)
{
	for (unsigned i = 0; !f->narrow && i < 2; i++) {
		const uint64_t *n = i ? out : in;
		if (n)
			grid_uint(f->g, ROLE_NUMBER, *n);
		else
			grid_blank(f->g);
	}
}

/* Begins a row with details of the part above. */
static void begin_about(const struct flow *f, enum part part, unsigned i, const char *what)
{
	grid_row(f->g, (uint64_t)part * ABOUT + 1 + i, ROLE_DIM);
	grid_text(f->g, ROLE_DIM, "│");
	grid_text(f->g, ROLE_DIM, "  %s", what);
	cells_flow(f, NULL, NULL);
}

/* ---- before the compressor ---- */
static void selector_rows(const struct flow *f)
{
	const struct sampler_state *st = f->sm->st;
	const struct stats *stats = machine_stats(f->s->machine);
	const bool now = st->last_cycle && st->last_cycle + 1 == prof_now(f->d);
	char what[24];
	begin_part(f, PART_SELECTOR, now, "selector");
	cells_flow(f, NULL, &STAT(stats, sampler_selected));
	if (!(st->control & 1))
		grid_text(f->g, ROLE_WAITING,
		          "off: firmware has cleared bit 0 of its control register");
	else if (STAT(stats, sampler_selected))
		grid_text(f->g, now ? ROLE_CURRENT : ROLE_PLAIN, "%s: %s",
		          format_tuple(f->s, st->last, BUFFER(256)),
		          format_ago(prof_now(f->d), st->last_cycle, BUFFER(96)));
	else
		grid_text(f->g, ROLE_DIM, "nothing was selected yet");
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		if (!st->stream[i].kind)
			continue;
		snprintf(what, sizeof what, "stream %u", i);
		begin_about(f, PART_SELECTOR, i, what);
		grid_text(f->g, ROLE_PROFILE, "%s",
		          sampler_format_stream(&st->stream[i], BUFFER(TEXT)));
	}
}

static void tuple_rows(const struct flow *f)
{
	const struct sampler_state *st = f->sm->st;
	const struct stats *stats = machine_stats(f->s->machine);
	const uint64_t capacity =
		(uint64_t)CONFIG(machine_config(f->s->machine), sampler_tuple_queue);
	const uint64_t taken = STAT(stats, sampler_selected) - STAT(stats, sampler_dropped);
	char lost[64] = "", what[24];
	begin_part(f, PART_TUPLES, false, "tuple queue");
	cells_flow(f, &taken, &f->sm->compressor.flow[0].in);
	if (STAT(stats, sampler_dropped))
		snprintf(lost, sizeof lost, ", %s dropped for lack of room",
		         GROUPED(STAT(stats, sampler_dropped)));
	grid_text(f->g, STAT(stats, sampler_dropped) ? ROLE_DROPPED : ROLE_PLAIN,
	          "%s %" PRIu64 "/%" PRIu64 ", most %" PRIu64 "%s",
	          level_bar(st->tuple_count, capacity, BAR, BUFFER(BAR * GLYPH + 1)),
	          st->tuple_count, capacity, st->most_tuples, lost);
	for (uint64_t i = 0; i < st->tuple_count && i < QUEUE_SHOWN; i++) {
		snprintf(what, sizeof what, i ? "+%" PRIu64 : "next", i);
		begin_about(f, PART_TUPLES, (unsigned)i, what);
		const struct tuple t = sampler_tuple(f->d, i);
		grid_last_row(f->g)->pc = tuple_pc(t);
		cell_tuple(f->g, f->s, ROLE_ADDRESS, t);
	}
}

/* ---- components ---- */
/* Shows how the tuple's entry was computed. */
static void hash_rows(const struct flow *f, unsigned stage, struct tuple t)
{
	const struct component *part = &f->sm->compressor.spec.stage[stage];
	const enum part key = PART_STAGE + stage;
	if (!component_buckets(part))
		return;
	const uint32_t index = compressor_index(&f->sm->compressor, stage, t);
	if (part->hash != HASH_RANDOM) {
		begin_about(f, key, 3, "hash");
		grid_text(f->g, ROLE_DIM,
		          "0x%" PRIx64 " xor 0x%" PRIx64 " = 0x%" PRIx64 ", %s %" PRIu32, t.pc,
		          t.value, t.pc ^ t.value,
		          part->hash == HASH_FOLD ? "folded to" : "modulo the entries:", index);
		return;
	}
	const struct tuple_hash_steps h = compressor_hash_steps(&f->sm->compressor, stage, t);
	begin_about(f, key, 3, "pc");
	grid_text(f->g, ROLE_DIM, "0x%" PRIx64 ", randomized 0x%016" PRIx64, t.pc, h.pc_random);
	begin_about(f, key, 4, "flipped");
	grid_text(f->g, ROLE_DIM, "0x%016" PRIx64, h.pc_flipped);
	begin_about(f, key, 5, "value");
	grid_text(f->g, ROLE_DIM, "0x%" PRIx64 ", randomized 0x%016" PRIx64, t.value,
	          h.value_random);
	begin_about(f, key, 6, "xor");
	grid_text(f->g, ROLE_DIM, "0x%016" PRIx64 ", folded to %s %" PRIu32, h.mixed,
	          part->ways > 1 ? "set" : "entry", h.index);
}

static void step_rows(const struct flow *f, unsigned stage, const struct sampler_step *step)
{
	const struct component *part = &f->sm->compressor.spec.stage[stage];
	const bool now = step_is_now(f->d, step);
	const enum part key = PART_STAGE + stage;
	char text[TEXT], count[48] = "";
	if (step->in.count > 1)
		snprintf(count, sizeof count, " × %s", GROUPED(step->in.count));
	begin_about(f, key, 2, "took");
	grid_last_row(f->g)->pc = tuple_pc(step->in.tuple);
	grid_text(f->g, now ? ROLE_CURRENT : ROLE_ADDRESS, "%s%s: %s",
	          format_tuple(f->s, step->in.tuple, text, sizeof text), count,
	          format_ago(prof_now(f->d), step->cycle, BUFFER(96)));
	hash_rows(f, stage, step->in.tuple);
	if (part->ops->tagged) {
		begin_about(f, key, 7, "tag");
		grid_text(f->g, ROLE_DIM, "pc xor value, folded to 0x%" PRIx32,
		          compressor_tag(&f->sm->compressor, stage, step->in.tuple));
	}
	if (step->out.count) {
		begin_about(f, key, 8, "sent");
		grid_text(f->g, now ? ROLE_CURRENT : ROLE_HOT, "%s × %s",
		          format_tuple(f->s, step->out.tuple, text, sizeof text),
		          GROUPED(step->out.count));
	}
}

static void cells_size(const struct flow *f, unsigned stage)
{
	const struct compressor *c = &f->sm->compressor;
	const struct component *part = &c->spec.stage[stage];
	if (c->flow[stage].out)
		grid_double(f->g, ROLE_NUMBER,
		            (double)c->flow[stage].in / (double)c->flow[stage].out, 2);
	else
		grid_blank(f->g);
	if (component_lossless(part))
		grid_uint(f->g, ROLE_NUMBER, component_held(c, stage));
	else
		grid_text(f->g, ROLE_DIM, "%s",
		          part->ops->held ? "lossy" : "not declared");
	grid_uint(f->g, ROLE_DIM, component_bits(part));
}

static void stage_rows(const struct flow *f, unsigned stage)
{
	const struct compressor *c = &f->sm->compressor;
	const struct component *part = &c->spec.stage[stage];
	const struct sampler_step *step = &f->sm->st->step[stage];
	const struct component_flow *flow = &c->flow[stage];
	const bool now = step_is_now(f->d, step);
	char did[256];
	begin_part(f, PART_STAGE + stage, now, "%u %s", stage, format_component(part, BUFFER(96)));
	cells_flow(f, &flow->in, &flow->out);
	if (step->cycle)
		grid_text(f->g, now ? ROLE_CURRENT : ROLE_PLAIN, "%s",
		          format_touch(part, &step->touch, did, sizeof did));
	else
		grid_text(f->g, ROLE_DIM, "nothing came yet");
	if (!f->narrow)
		cells_size(f, stage);
	if (*format_component_options(part, did, sizeof did)) {
		begin_about(f, PART_STAGE + stage, 9, "with");
		grid_text(f->g, ROLE_DIM, "%s", did);
	}
	if (part->ops->plugin) {
		begin_about(f, PART_STAGE + stage, 9, "plug-in");
		grid_text(f->g, ROLE_DIM, "%s", c->plugins->at[PLUGIN_STAGE + part->plugin]->name);
	}
	if (step->cycle)
		step_rows(f, stage, step);
	if (f->sm->st->latched >> stage & 1) {
		const struct message *m = &f->sm->st->latch[stage];
		begin_about(f, PART_STAGE + stage, 1, "latch");
		grid_text(f->g, ROLE_WAITING, "%s × %s: component %u takes it next cycle",
		          format_tuple(f->s, m->tuple, did, sizeof did), GROUPED(m->count),
		          stage + 1);
	}
}

/* ---- after the compressor ---- */
static void message_rows(const struct flow *f)
{
	const struct sampler_state *st = f->sm->st;
	const struct stats *stats = machine_stats(f->s->machine);
	const uint64_t capacity =
		(uint64_t)CONFIG(machine_config(f->s->machine), sampler_message_queue);
	const uint64_t taken =
		STAT(stats, sampler_messages) - STAT(stats, sampler_messages_dropped);
	const bool now = STAT(stats, sampler_messages) && st->last_message + 1 == prof_now(f->d);
	char lost[64] = "";
	begin_part(f, PART_MESSAGES, now, "message queue");
	cells_flow(f, &taken, &STAT(stats, sampler_read));
	if (STAT(stats, sampler_messages_dropped))
		snprintf(lost, sizeof lost, ", %s dropped for lack of room",
		         GROUPED(STAT(stats, sampler_messages_dropped)));
	grid_text(f->g,
	          STAT(stats, sampler_messages_dropped) ? ROLE_DROPPED
	          : now ? ROLE_CURRENT : ROLE_PLAIN,
	          "%s %" PRIu64 "/%" PRIu64 ", most %" PRIu64 "%s",
	          level_bar(st->message_count, capacity, BAR, BUFFER(BAR * GLYPH + 1)),
	          st->message_count, capacity, st->most_messages, lost);
	if (!st->message_count)
		return;
	const struct sampler_waiting *m = sampler_message(f->d, 0);
	begin_about(f, PART_MESSAGES, 0, "oldest");
	grid_last_row(f->g)->pc = tuple_pc(m->message.tuple);
	grid_text(f->g, ROLE_ADDRESS, "%s × %s: came %s",
	          format_tuple(f->s, m->message.tuple, BUFFER(TEXT)), GROUPED(m->message.count),
	          format_ago(prof_now(f->d), m->arrived, BUFFER(96)));
}

static void service_row(const struct flow *f)
{
	const struct stats *stats = machine_stats(f->s->machine);
	const struct config *cfg = machine_config(f->s->machine);
	const uint64_t now = prof_now(f->d), until = f->sm->st->service_free;
	begin_part(f, PART_READER, false, "service thread");
	cells_flow(f, &STAT(stats, sampler_read), NULL);
	if (until > now)
		grid_text(f->g, ROLE_RUNNING, "busy for %s more cycle%s, until %s",
		          GROUPED(until - now), until - now == 1 ? "" : "s", GROUPED(until));
	else
		grid_text(f->g, ROLE_DIM, "idle");
	begin_about(f, PART_READER, 0, "needs");
	grid_text(f->g, ROLE_DIM,
	          "%" PRId64 " cycles a message; %s of %s came sooner after the previous one",
	          CONFIG(cfg, sampler_service), GROUPED(STAT(stats, sampler_late)),
	          GROUPED(STAT(stats, sampler_messages)));
}

static void interrupt_row(const struct flow *f)
{
	const struct sampler_state *st = f->sm->st;
	const struct stats *stats = machine_stats(f->s->machine);
	begin_part(f, PART_READER, false, "interrupt 17");
	cells_flow(f, &STAT(stats, sampler_read), NULL);
	if (!CONFIG(machine_config(f->s->machine), firmware))
		grid_text(f->g, ROLE_ERROR,
		          "no reader of messages: start with --firmware FILE.elf");
	else if (!st->threshold)
		grid_text(f->g, ROLE_DIM, "never: its threshold is 0");
	else if (st->message_count >= st->threshold)
		grid_text(f->g, ROLE_READY, "pending: %s wait, its threshold is %s",
		          GROUPED(st->message_count), GROUPED(st->threshold));
	else
		grid_text(f->g, ROLE_WAITING, "%s messages to go until %s wait",
		          GROUPED(st->threshold - st->message_count), GROUPED(st->threshold));
}

static void overhead_row(const struct flow *f)
{
	const struct stats *stats = machine_stats(f->s->machine);
	const double cycles = STAT(stats, cycles) ? (double)STAT(stats, cycles) : 1;
	grid_row(f->g, (uint64_t)PART_OVERHEAD * ABOUT, ROLE_PLAIN);
	grid_blank(f->g);
	grid_text(f->g, ROLE_DIM, "overhead");
	cells_flow(f, NULL, NULL);
	if (CONFIG(machine_config(f->s->machine), firmware))
		grid_text(f->g, ROLE_PLAIN,
		          "firmware %.2f %% of all cycles; by the paper's model %.2f %%",
		          100 * (double)STAT(stats, firmware_cycles) / cycles,
		          100 * (double)STAT(stats, sampler_model_cycles) / cycles);
	else
		grid_text(f->g, ROLE_PLAIN,
		          "%.2f %% of all cycles, if messages interrupted as in the paper's model",
		          100 * (double)STAT(stats, sampler_model_cycles) / cycles);
}

/* Software's view of the profile, beside the truth. */
static void error_row(const struct flow *f)
{
	const struct sampler_exact *x = sampler_exact_of(f->d);
	const struct tuple_thresholds limits = sampler_thresholds(f->d->cfg);
	struct tuple_error e;
	grid_row(f->g, (uint64_t)PART_ERROR * ABOUT, ROLE_PLAIN);
	grid_blank(f->g);
	grid_text(f->g, ROLE_DIM, "error");
	cells_flow(f, NULL, NULL);
	if (!x)
		grid_text(f->g, ROLE_DIM, "not known: needs exact counts, sampler.exact=true");
	else if (!sampler_exact_error(x, &limits, &e))
		grid_text(f->g, ROLE_ERROR, "not known: the host's memory is out");
	else if (isnan(e.error))
		grid_text(f->g, ROLE_DIM, "no tuple is frequent enough yet");
	else
		grid_text(f->g, ROLE_PLAIN,
		          "%.2f %% in invariance; judged: tuples %s, pcs %s, unseen %" PRIu64,
		          100 * e.error, GROUPED(e.tuples), GROUPED(e.pcs), e.unseen);
}

static void view_compressor_format_summary(const struct flow *f)
{
	const struct compressor *c = &f->sm->compressor;
	const struct stats *stats = machine_stats(f->s->machine);
	char ratio[48] = "";
	if (STAT(stats, sampler_messages))
		snprintf(ratio, sizeof ratio, ", %.1f a message",
		         (double)(STAT(stats, sampler_selected) - STAT(stats, sampler_dropped)) /
		                 (double)STAT(stats, sampler_messages));
	grid_summary(f->g, "%s tuples%s, %s bits%s", GROUPED(STAT(stats, sampler_selected)), ratio,
	             GROUPED(compressor_bits(&c->spec)),
	             format_loss(f->s, LOSS_OF_SAMPLER | LOSS_OF_CODE, BUFFER(320)));
}

static bool view_compressor_build_grid(const struct session *s, const struct view_args *args,
                                       struct grid *out, struct err *err)
{
	const struct flow f = {out, s, session_sampler(s), session_prof(s),
	                       args->columns && args->columns < NARROW};
	if (!arg_count(args, 0, "compressor", err))
		return false;
	grid_init(out, "Compressor", GRID_TABLE(columns));
	if (f.narrow)
		grid_keep_columns(out, "flow part says");
	out->essential = ESSENTIAL;
	view_compressor_format_summary(&f);
	selector_rows(&f);
	tuple_rows(&f);
	for (unsigned i = 0; i < f.sm->compressor.spec.count; i++)
		stage_rows(&f, i);
	message_rows(&f);
	if (CONFIG(machine_config(s->machine), sampler_reader))
		interrupt_row(&f);
	else
		service_row(&f);
	overhead_row(&f);
	error_row(&f);
	return true;
}

const struct view view_compressor = {
	.name = "compressor",
	.title = "Compressor",
	.args = "",
	.device = "sampler",
	.build = view_compressor_build_grid,
	.help.about =
		"The stream sampler, from commit to software: tuples flow\n"
		"down, through the selector, the tuple queue, the components of the compressor\n"
		"and the message queue, to its reader. ◆ marks activity in this\n"
		"cycle.",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints =
		"Below a component, step by step, its last tuple (pc → value, and\n"
		"× the number it stands for): hash and entry, and the message. A\n"
		"latch holds the next component's input of the next cycle. Stepping, one\n"
		"can follow a tuple from the selector to the message queue; `why tuple`\n"
		"explains it in a line.\n"
		"\n"
		"  stream        the selector's choice: kind of tuple, class of instructions\n"
		"  tuple queue   takes bursts: the compressor takes one tuple a cycle. Tuples\n"
		"                without room are dropped\n"
		"  service thread, interrupt 17  the reader of messages (sampler.reader)\n"
		"  overhead      cycles of firmware, and by the paper's model\n"
		"  error         of software's profile, against exact counts\n"
		"                (sampler.exact; `report sampler` has more)\n"
		"\n"
		"`buckets` shows the counters. `catch tuple`, `catch compress` and\n"
		"`catch message` stop at each step. Shaped by the parameters sampler.*.",
};
