/* Reports on the sampler and on ProfileMe, against their own records. */
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "tests/unit/cells/report_cells.h"

/* ---- cells that reports share ---- */
void says_share(struct cells *c, const char *column, uint64_t part, uint64_t of)
{
	const double percent = of ? 100 * (double)part / (double)of : 0;
	says_double(c, column, percent, "%.2f%%", percent);
}

void says_place(struct cells *c, const struct session *s, const char *address, const char *place,
                uint64_t pc)
{
	says_hex(c, address, pc);
	says(c, place, "%s", place_of(s, pc));
}

void says_report_code(struct cells *c, const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char text[128];
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, text);
	assert_int_equal(c->g.rows[c->rows - 1].pc, pc);
	says_place(c, s, "address", "place", pc);
	says(c, "instruction", "%s", text);
}

/* ---- the sampler's ---- */
static void sampled_reports_check_number_row(struct cells *c, const char *what, const char *unit,
                                             const char *about)
{
	cells_row(c);
	says(c, "what", "%s", what);
	says(c, "unit", "%s", unit);
	says(c, "about", "%s", about);
}

static void sampled_reports_check_count_row(struct cells *c, const char *what, uint64_t n,
                                            const char *unit, const char *about)
{
	sampled_reports_check_number_row(c, what, unit, about);
	says_uint(c, "value", n);
}

static void ratio_row(struct cells *c, const char *what, double v, const char *unit,
                      const char *about)
{
	sampled_reports_check_number_row(c, what, unit, about);
	if (isfinite(v))
		says_double(c, "value", v, "%.2f", v);
	else
		says_nothing(c, "value");
}

void read_sampler(const struct session *s)
{
	const struct sampler *sm = sampler_of(machine_pipe(s->machine)->prof);
	const struct stats *st = machine_stats(s->machine);
	const uint64_t taken = STAT(st, sampler_selected) - STAT(st, sampler_dropped),
		       service = (uint64_t)CONFIG(machine_config(s->machine), sampler_service);
	const double cycles = (double)machine_cycle(s->machine),
		     model = (double)STAT(st, sampler_model_cycles);
	uint64_t gaps = 0;
	struct cells c;
	cells_open_report(&c, s, "sampler");
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++)
		if (sm->st->stream[i].kind) {
			char what[32], text[512];
			snprintf(what, sizeof what, "stream %u", i);
			sampled_reports_check_number_row(
				&c, what, "",
				sampler_format_stream(&sm->st->stream[i], text, sizeof text));
			says_nothing(&c, "value");
		}
	for (unsigned i = 0; i < sm->compressor.spec.count; i++) {
		char what[32], text[COMPRESSOR_TEXT_MAX];
		snprintf(what, sizeof what, "component %u", i);
		sampled_reports_check_count_row(
			&c, what, component_bits(&sm->compressor.spec.stage[i]), "bits",
			component_format(&sm->compressor.spec.stage[i], text, sizeof text));
	}
	sampled_reports_check_count_row(&c, "selected", STAT(st, sampler_selected), "tuples",
	                                "that the selector picked");
	sampled_reports_check_count_row(&c, "dropped", STAT(st, sampler_dropped), "tuples",
	                                "of these, at a full tuple queue");
	sampled_reports_check_count_row(&c, "messages", STAT(st, sampler_messages), "messages",
	                                "that the compressor sent");
	sampled_reports_check_count_row(&c, "messages dropped", STAT(st, sampler_messages_dropped),
	                                "messages", "of these, at a full message queue");
	sampled_reports_check_count_row(&c, "read", STAT(st, sampler_read), "messages",
	                                "that software took");
	sampled_reports_check_count_row(&c, "waiting", sm->st->message_count, "messages",
	                                "in the queue now");
	sampled_reports_check_count_row(&c, "held", sampler_held(machine_pipe(s->machine)->prof),
	                                "tuples", "in the sampler and in messages that wait");
	ratio_row(&c, "compression", (double)taken / (double)STAT(st, sampler_messages),
	          "tuples/message", "tuples that one message stands for");
	sampled_reports_check_number_row(&c, "error", "%", "needs sampler.exact=true");
	says_nothing(&c, "value");
	ratio_row(&c, "model overhead", 100 * model / cycles, "%",
	          "of all cycles, by the paper's model (5.3.2)");
	sampled_reports_check_number_row(&c, "measured overhead", "%",
	                                 "of all cycles, in firmware");
	says_nothing(&c, "value");
	ratio_row(&c, "model cost", model / (double)STAT(st, sampler_messages), "cycles/message",
	          "interrupts included");
	sampled_reports_check_number_row(&c, "measured cost", "cycles/message",
	                                 "interrupts included");
	says_nothing(&c, "value");
	sampled_reports_check_count_row(&c, "late", STAT(st, sampler_late), "messages",
	                                "sooner after the previous one than sampler.service");
	for (unsigned i = 0; i < GAP_BUCKETS; i++) {
		const uint64_t from = i ? UINT64_C(1) << (i - 1) : 0, to = (UINT64_C(1) << i) - 1;
		char what[64];
		if (!sm->st->gap[i])
			continue;
		snprintf(what, sizeof what, "gap %llu-%llu cycles", (ull)from, (ull)to);
		sampled_reports_check_count_row(&c, what, sm->st->gap[i], "messages",
		                                to < service     ? "the service thread is too slow"
		                                : from < service ? "it lags after some"
		                                                 : "it has time");
		gaps += sm->st->gap[i];
	}
	assert_int_equal(gaps, STAT(st, sampler_messages) ? STAT(st, sampler_messages) - 1 : 0);
	cells_close(&c);
}

/* ---- ProfileMe's ---- */
static int sampled_reports_compare_by_delay(const void *a, const void *b)
{
	const struct profileme_counts *x = *(const struct profileme_counts *const *)a,
				      *y = *(const struct profileme_counts *const *)b;
	return ascending(y->delay, x->delay);
}

void read_profileme(const struct session *s)
{
	static const char *const latencies[] = {"fetch",   "operands", "issue",
	                                        "execute", "retire",   "load"};
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct profileme_counts *all[512];
	const uint32_t n = profileme_entries(d);
	const struct stats *st = machine_stats(s->machine);
	uint64_t delay = 0, records = 0;
	struct cells c;
	assert_true(n > 10 && n < 512);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t pc;
		all[i] = profileme_entry(d, i, &pc);
		delay += all[i]->delay;
		for (unsigned k = 0; k < PROFILEME_FATE_COUNT; k++)
			records += all[i]->fates[k];
	}
	assert_int_equal(records, STAT(st, profileme_records));
	qsort(all, n, sizeof *all, sampled_reports_compare_by_delay);
	cells_open_report(&c, s, "profileme");
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t pc = cells_row(&c)->pc;
		const struct profileme_counts *k = profileme_find(d, pc);
		uint64_t mine = 0;
		char text[256] = "";
		assert_non_null(k);
		assert_int_equal(k->delay, all[i]->delay);
		for (unsigned f = 0; f < PROFILEME_FATE_COUNT; f++)
			mine += k->fates[f];
		const uint64_t retired = k->fates[PROFILEME_FATE_RETIRED];
		const uint64_t times =
			(uint64_t)((double)retired * (double)STAT(st, profileme_decoded) /
		                           (double)records +
		                   0.5);
		says_share(&c, "share", k->delay, delay);
		if (retired)
			says_double(&c, "delay", (double)k->delay / (double)retired, "%.2f",
			            (double)k->delay / (double)retired);
		else
			says_nothing(&c, "delay");
		says_uint(&c, "executions", times);
		says_report_code(&c, s, pc);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			if (k->events[e])
				snprintf(text + strlen(text), sizeof text - strlen(text),
				         "%s%.0f %s", *text ? ", " : "",
				         1000 * (double)k->events[e] / (double)mine,
				         profileme_event_name[e]);
		says(&c, "per_1000", "%s", text);
		says_uint(&c, "records", mine);
		says_double(&c, "retired", 100 * (double)retired / (double)mine, "%.0f%%",
		            100 * (double)retired / (double)mine);
		for (unsigned l = 0; l < PROFILEME_LATENCY_COUNT; l++)
			if (retired)
				says_double(&c, latencies[l],
				            (double)k->latency[l] / (double)retired, "%.2f",
				            (double)k->latency[l] / (double)retired);
			else
				says_nothing(&c, latencies[l]);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			for (uint32_t j = 0; j < n; j++)
				if (all[j]->events[e]) {
					says_uint(&c, profileme_event_name[e], k->events[e]);
					break;
				}
	}
	cells_close(&c);
}

/* Sums of the records of a function's instructions; `at` is its entry. */
struct function_records {
	uint64_t at, delay, records, retired, events[PROFILEME_EVENT_COUNT];
};

static int by_function_delay(const void *a, const void *b)
{
	const struct function_records *x = a, *y = b;
	return x->delay != y->delay       ? ascending(y->delay, x->delay)
	       : x->records != y->records ? ascending(y->records, x->records)
	                                  : ascending(x->at, y->at);
}

static uint64_t sampled_reports_function_addr(const struct session *s, uint64_t pc)
{
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].code && pc >= all[i].addr && pc < all[i].addr + all[i].size)
			return all[i].addr;
	fail_msg("no function has 0x%llx", (ull)pc);
	return 0;
}

void read_profileme_functions(const struct session *s)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct stats *st = machine_stats(s->machine);
	struct function_records all[32];
	unsigned n = 0;
	uint64_t delay = 0, records = 0;
	struct cells c;
	for (uint32_t i = 0; i < profileme_entries(d); i++) {
		uint64_t pc;
		const struct profileme_counts *k = profileme_entry(d, i, &pc);
		const uint64_t at = sampled_reports_function_addr(s, pc);
		unsigned f = 0;
		while (f < n && all[f].at != at)
			f++;
		assert_true(f < 32);
		if (f == n)
			all[n++] = (struct function_records){.at = at};
		all[f].delay += k->delay;
		all[f].retired += k->fates[PROFILEME_FATE_RETIRED];
		for (unsigned e = 0; e < PROFILEME_FATE_COUNT; e++)
			all[f].records += k->fates[e];
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			all[f].events[e] += k->events[e];
		delay += k->delay;
	}
	for (unsigned i = 0; i < n; i++)
		records += all[i].records;
	qsort(all, n, sizeof *all, by_function_delay);
	cells_open_report(&c, s, "profileme functions");
	for (unsigned i = 0; i < n; i++) {
		const struct function_records *f = &all[i];
		const double mean = (double)f->delay / (double)f->retired,
			     retired = 100 * (double)f->retired / (double)f->records;
		char text[256] = "";
		assert_int_equal(cells_row(&c)->pc, f->at);
		says_share(&c, "share", f->delay, delay);
		if (f->retired)
			says_double(&c, "delay", mean, "%.2f", mean);
		else
			says_nothing(&c, "delay");
		says_uint(&c, "executions",
		          (uint64_t)((double)f->retired * (double)STAT(st, profileme_decoded) /
		                             (double)records +
		                     0.5));
		says_place(&c, s, "address", "function", f->at);
		for (unsigned e = 0; e < PROFILEME_EVENT_COUNT; e++)
			if (f->events[e])
				snprintf(text + strlen(text), sizeof text - strlen(text),
				         "%s%.0f %s", *text ? ", " : "",
				         1000 * (double)f->events[e] / (double)f->records,
				         profileme_event_name[e]);
		says(&c, "per_1000", "%s", text);
		says_uint(&c, "records", f->records);
		says_double(&c, "retired", retired, "%.0f%%", retired);
	}
	cells_close(&c);
}
