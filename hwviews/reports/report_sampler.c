/* The sampler's report: its selection, its results, and what they cost. */
#include <math.h>
#include <stdio.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/reports/report.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/loss_text.h"

static const struct grid_column columns[] = {
	{"what", "what", "", .help = "the row's subject"},
	{"value", "value", "", AT_RIGHT, .help = "the number and its unit"},
	{"unit", "unit", "", .help = AS_BEFORE},
	{"about", "about", "", FLEXIBLE, .help = "its meaning, or its whole"},
};

/* A row without its value. */
static void report_sampler_begin_row(struct grid *g, const char *what)
{
	grid_row(g, g->row_count, ROLE_PLAIN);
	grid_text(g, ROLE_PLAIN, "%s", what);
}

static void report_sampler_append_unit_cells(struct grid *g, const char *unit, const char *about)
{
	grid_text(g, ROLE_DIM, "%s", unit);
	grid_text(g, ROLE_DIM, "%s", about);
}

static void report_sampler_append_count_row(struct grid *g, const char *what, uint64_t n,
                                            const char *unit, const char *about)
{
	report_sampler_begin_row(g, what);
	grid_uint(g, n ? ROLE_NUMBER : ROLE_DIM, n);
	report_sampler_append_unit_cells(g, unit, about);
}

/* NAN: unknown. */
static void report_sampler_append_double_row(struct grid *g, const char *what, double v,
                                             const char *unit, const char *about)
{
	report_sampler_begin_row(g, what);
	if (isnan(v))
		grid_blank(g);
	else
		grid_double(g, ROLE_NUMBER, v, 2);
	report_sampler_append_unit_cells(g, unit, about);
}

static double report_sampler_ratio_or_nan(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void report_sampler_append_stream_rows(struct grid *g, const struct sampler *sm)
{
	char what[32];
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		if (!sm->st->stream[i].kind)
			continue;
		snprintf(what, sizeof what, "stream %u", i);
		report_sampler_begin_row(g, what);
		grid_blank(g);
		report_sampler_append_unit_cells(
			g, "", sampler_format_stream(&sm->st->stream[i], BUFFER(512)));
	}
}

static void report_sampler_append_component_rows(struct grid *g, const struct sampler *sm)
{
	const struct compressor_spec *spec = &sm->compressor.spec;
	char what[32];
	for (unsigned i = 0; i < spec->count; i++) {
		snprintf(what, sizeof what, "component %u", i);
		report_sampler_append_count_row(
			g, what, component_bits(&spec->stage[i]), "bits",
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
		report_sampler_append_double_row(g, "error", NAN, "%",
		                                 x ? "the host's memory is out"
		                                   : "needs sampler.exact=true");
		return;
	}
	report_sampler_append_double_row(
		g, "error", 100 * e.error, "%",
		isnan(e.error)
			? "not known: no instruction qualifies, by sampler.min_count and its kin"
			: "mean difference in invariance (Sastry 5.3.1)");
	report_sampler_append_count_row(g, "judged tuples", e.tuples, "tuples",
	                                "invariant tuples of mostly invariant instructions");
	report_sampler_append_count_row(g, "judged pcs", e.pcs, "pcs", "these instructions");
	report_sampler_append_count_row(g, "unseen pcs", e.unseen, "pcs",
	                                "of these, unknown to software");
	report_sampler_append_count_row(g, "different tuples", x->head.entries, "tuples",
	                                "all that were selected, exactly");
	report_sampler_append_count_row(g, "told", x->head.told, "tuples",
	                                "tuples that the messages read stand for");
	report_sampler_append_count_row(g, "not counted", x->head.lost + x->head.lost_told,
	                                "tuples", "exact counts had no room: sampler.memory");
}

static void report_sampler_append_gap_rows(struct grid *g, const struct session *s)
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
		report_sampler_append_count_row(g, what, st->gap[i], "messages",
		                                to < service     ? "the service thread is too slow"
		                                : from < service ? "it lags after some"
		                                                 : "it has time");
	}
}

static bool report_sampler_build_grid(const struct session *s, const struct view_args *args,
                                      struct grid *out, struct err *err)
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
	grid_summary(out, "%s: %llu bits%s",
	             compressor_format(&sm->compressor.spec, BUFFER(COMPRESSOR_TEXT_MAX)),
	             (unsigned long long)compressor_bits(&sm->compressor.spec),
	             format_loss(s, LOSS_OF_SAMPLER | LOSS_OF_CODE, BUFFER(320)));
	report_sampler_append_stream_rows(out, sm);
	report_sampler_append_component_rows(out, sm);
	report_sampler_append_count_row(out, "selected", STAT(st, sampler_selected), "tuples",
	                                "that the selector picked");
	report_sampler_append_count_row(out, "dropped", STAT(st, sampler_dropped), "tuples",
	                                "of these, at a full tuple queue");
	report_sampler_append_count_row(out, "messages", STAT(st, sampler_messages), "messages",
	                                "that the compressor sent");
	report_sampler_append_count_row(out, "messages dropped", STAT(st, sampler_messages_dropped),
	                                "messages", "of these, at a full message queue");
	report_sampler_append_count_row(out, "read", STAT(st, sampler_read), "messages",
	                                "that software took");
	report_sampler_append_count_row(out, "waiting", sm->st->message_count, "messages",
	                                "in the queue now");
	report_sampler_append_count_row(out, "held", sampler_held(session_prof(s)), "tuples",
	                                "in the sampler and in messages that wait");
	report_sampler_append_double_row(
		out, "compression",
		report_sampler_ratio_or_nan(
			(double)(STAT(st, sampler_selected) - STAT(st, sampler_dropped)),
			(double)STAT(st, sampler_messages)),
		"tuples/message", "tuples that one message stands for");
	error_rows(out, s);
	report_sampler_append_double_row(
		out, "model overhead",
		100 * report_sampler_ratio_or_nan((double)STAT(st, sampler_model_cycles), cycles),
		"%", "of all cycles, by the paper's model (5.3.2)");
	report_sampler_append_double_row(out, "measured overhead",
	                                 100 * report_sampler_ratio_or_nan(firmware, cycles), "%",
	                                 "of all cycles, in firmware");
	report_sampler_append_double_row(
		out, "model cost",
		report_sampler_ratio_or_nan((double)STAT(st, sampler_model_cycles),
	                                    (double)STAT(st, sampler_messages)),
		"cycles/message", "interrupts included");
	report_sampler_append_double_row(
		out, "measured cost",
		report_sampler_ratio_or_nan(firmware, (double)STAT(st, sampler_read)),
		"cycles/message", "interrupts included");
	report_sampler_append_count_row(out, "late", STAT(st, sampler_late), "messages",
	                                "sooner after the previous one than sampler.service");
	report_sampler_append_gap_rows(out, s);
	return true;
}

const struct report report_sampler = {
	.name = "sampler",
	.title = "The stream sampler: selected and sent tuples, and cost",
	.args = "",
	.device = "sampler",
	.build = report_sampler_build_grid,
	.help.about =
		"The streams that are profiled, the compressor's components with the storage\n"
		"they take, the tuples' fate, the error of software's profile, and\n"
		"the cost.\n"
		"\n"
		"  error      of the messages read, against the selected tuples (Sastry 5.3.1);\n"
		"             sampler.min_count, .invariant and .covered are its limits\n"
		"  overheads  by the paper's model, 214 cycles an interrupt and 30 a message,\n"
		"             and firmware's own if there is any\n"
		"  gap        time between messages, against sampler.service\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints = "Needs sampler.enable=true.",
};
