/* The sampler's report: what was selected, what became of it, and what that cost. */
#include <math.h>
#include <stdio.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/reports/report.h"
#include "hwviews/sampler/sampler_rows.h"

static const struct grid_column columns[] = {
	{"what", "what", "", .help = "what the row is about: those above among them"},
	{"value", "value", "", AT_RIGHT, .help = "the number, and of what it is one"},
	{"unit", "unit", "", .help = AS_BEFORE},
	{"about", "about", "", FLEXIBLE, .help = "what it means, or what it is out of"},
};

/* A row without its value. */
static void row(struct grid *g, const char *what)
{
	grid_row(g, g->row_count, ROLE_PLAIN);
	grid_text(g, ROLE_PLAIN, "%s", what);
}

static void rest(struct grid *g, const char *unit, const char *about)
{
	grid_text(g, ROLE_DIM, "%s", unit);
	grid_text(g, ROLE_DIM, "%s", about);
}

static void count(struct grid *g, const char *what, uint64_t n, const char *unit, const char *about)
{
	row(g, what);
	grid_uint(g, n ? ROLE_NUMBER : ROLE_DIM, n);
	rest(g, unit, about);
}

/* NAN: not known. */
static void part(struct grid *g, const char *what, double v, const char *unit, const char *about)
{
	row(g, what);
	if (isnan(v))
		grid_blank(g);
	else
		grid_double(g, ROLE_NUMBER, v, 2);
	rest(g, unit, about);
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void streams(struct grid *g, const struct sampler *sm)
{
	char what[32];
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		if (!sm->st->stream[i].kind)
			continue;
		snprintf(what, sizeof what, "stream %u", i);
		row(g, what);
		grid_blank(g);
		rest(g, "", sampler_format_stream(&sm->st->stream[i], BUFFER(512)));
	}
}

static void components(struct grid *g, const struct sampler *sm)
{
	const struct compressor_spec *spec = &sm->compressor.spec;
	char what[32];
	for (unsigned i = 0; i < spec->count; i++) {
		snprintf(what, sizeof what, "component %u", i);
		count(g, what, component_bits(&spec->stage[i]), "bits",
		      component_format(&spec->stage[i], BUFFER(COMPRESSOR_TEXT_MAX)));
	}
}

static void error_rows(struct grid *g, const struct session *s)
{
	const struct prof *d = session_prof(s);
	const struct tuple_thresholds limits = sampler_thresholds(d->cfg);
	const struct sampler_exact *x = sampler_exact_of(d);
	struct tuple_error e;
	if (!x || !sampler_exact_error(x, &limits, &e)) {
		part(g, "error", NAN, "%",
		     x ? "the host's memory is out" : "needs sampler.exact=true");
		return;
	}
	part(g, "error", 100 * e.error, "%",
	     isnan(e.error) ? "not known: nothing is judged, by sampler.min_count and its kin"
	                    : "mean difference in invariance (Sastry 5.3.1)");
	count(g, "judged tuples", e.tuples, "tuples",
	      "invariant ones of instructions that are seldom anything else");
	count(g, "judged pcs", e.pcs, "pcs", "these instructions");
	count(g, "unseen pcs", e.unseen, "pcs", "of these, that software knows nothing of");
	count(g, "different tuples", x->head.entries, "tuples", "all that were selected, exactly");
	count(g, "told", x->head.told, "tuples", "what messages that were read stand for");
	count(g, "not counted", x->head.lost + x->head.lost_told, "tuples",
	      "exact counts had no room: sampler.memory");
}

static void gaps(struct grid *g, const struct session *s)
{
	const struct sampler_state *st = session_sampler(s)->st;
	const uint64_t service = (uint64_t)CONFIG(session_prof(s)->cfg, sampler_service);
	char what[64];
	for (unsigned i = 0; i < GAP_BUCKETS; i++) {
		if (!st->gap[i])
			continue;
		uint64_t from = i ? UINT64_C(1) << (i - 1) : 0, to = (UINT64_C(1) << i) - 1;
		snprintf(what, sizeof what, "gap %llu-%llu cycles", (unsigned long long)from,
		         (unsigned long long)to);
		count(g, what, st->gap[i], "messages",
		      to < service     ? "the service thread is behind"
		      : from < service ? "it is behind after some" : "it has time");
	}
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct sampler *sm = session_sampler(s);
	const struct stats *st = machine_stats(s->machine);
	const double cycles = (double)stats_guest_cycle(st, machine_cycle(s->machine));
	const double firmware = CONFIG(machine_config(s->machine), firmware)
	                                ? (double)STAT(st, firmware_cycles)
	                                : NAN;
	if (args->argc)
		return err_set(err, "it takes no arguments");
	grid_init(out, "Sampler", GRID_TABLE(columns));
	grid_summary(out, "%s: %llu bits",
	             compressor_format(&sm->compressor.spec, BUFFER(COMPRESSOR_TEXT_MAX)),
	             (unsigned long long)compressor_bits(&sm->compressor.spec));
	streams(out, sm);
	components(out, sm);
	count(out, "selected", STAT(st, sampler_selected), "tuples", "that the selector picked");
	count(out, "dropped", STAT(st, sampler_dropped), "tuples",
	      "of these, at a full tuple queue");
	count(out, "messages", STAT(st, sampler_messages), "messages", "that the compressor sent");
	count(out, "messages dropped", STAT(st, sampler_messages_dropped), "messages",
	      "of these, at a full message queue");
	count(out, "read", STAT(st, sampler_read), "messages", "that software took");
	count(out, "waiting", sm->st->message_count, "messages", "in the queue now");
	count(out, "held", sampler_held(session_prof(s)), "tuples",
	      "in the sampler and in messages that wait");
	part(out, "compression",
	     ratio((double)(STAT(st, sampler_selected) - STAT(st, sampler_dropped)),
	           (double)STAT(st, sampler_messages)),
	     "tuples/message", "what one message stands for");
	error_rows(out, s);
	part(out, "model overhead", 100 * ratio((double)STAT(st, sampler_model_cycles), cycles),
	     "%", "of all cycles, by the paper's model (5.3.2)");
	part(out, "measured overhead", 100 * ratio(firmware, cycles), "%",
	     "of all cycles, in firmware");
	part(out, "model cost",
	     ratio((double)STAT(st, sampler_model_cycles), (double)STAT(st, sampler_messages)),
	     "cycles/message", "interrupts included");
	part(out, "measured cost", ratio(firmware, (double)STAT(st, sampler_read)),
	     "cycles/message", "interrupts included");
	count(out, "late", STAT(st, sampler_late), "messages",
	      "sooner after the one before than sampler.service");
	gaps(out, s);
	return true;
}

const struct report report_sampler = {
	.name = "sampler", .title = "What the stream sampler selected, sent and cost", .args = "",
	.device = "sampler", .build = build,
	.help.about =
		"The streams that are profiled, the compressor's components with the storage\n"
		"they take, what came of the tuples, how far off software's profile is, and\n"
		"what it costs.\n"
		"\n"
		"  error      of what software was told, by what was selected (Sastry 5.3.1);\n"
		"             sampler.min_count, .invariant and .covered say what counts\n"
		"  overheads  by the paper's model, 214 cycles an interrupt and 30 a message,\n"
		"             and firmware's own if there is any\n"
		"  gap        time between messages, against sampler.service\n",
	.help.tables = {{GRID_TABLE(columns)}}, .help.hints =
		"Needs sampler.enable=true.",
};
