/* Cells of the view of the stream sampler's way from what commits to messages, against its state,
 * and counts against events: see view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "core/defs/kinds.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler.h"

enum { QUEUED = 4, STAGES = 2, TUPLES = 4096, MESSAGES = 8192, MIN_COUNT = 20 };

struct counted {
	uint64_t selected, dropped, in[STAGES], out[STAGES], messages, lost;
	struct tuple_seen {
		struct tuple tuple;
		uint64_t n, told;
	} tuple[TUPLES]; /* each once; [tuples] */
	unsigned tuples, accepted;
	unsigned judged; /* checked errors other than 0 */
	struct message message[MESSAGES]; /* [accepted]: those that found room */
};

static struct tuple_seen *compressor_cells_find_tuple(struct counted *k, struct tuple t)
{
	for (unsigned i = 0; i < k->tuples; i++)
		if (k->tuple[i].tuple.pc == t.pc && k->tuple[i].tuple.value == t.value)
			return &k->tuple[i];
	assert_true(k->tuples < TUPLES);
	k->tuple[k->tuples] = (struct tuple_seen){.tuple = t};
	return &k->tuple[k->tuples++];
}

static void compressor_cells_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct counted *k = ctx;
	(void)m;
	k->selected += ev->id == EV_TUPLE;
	k->dropped += ev->id == EV_TUPLE && ev->tuple.dropped;
	k->messages += ev->id == EV_MESSAGE;
	k->lost += ev->id == EV_MESSAGE && ev->message.dropped;
	if (ev->id == EV_TUPLE)
		compressor_cells_find_tuple(k,
		                            (struct tuple){.pc = ev->pc, .value = ev->tuple.value})
			->n++;
	if (ev->id == EV_MESSAGE && !ev->message.dropped) {
		assert_true(k->accepted < MESSAGES);
		k->message[k->accepted++] =
			(struct message){.tuple = {.pc = ev->pc, .value = ev->message.value},
				         .count = ev->message.count};
	}
	if (ev->id == EV_COMPRESS)
		k->in[ev->compress.stage]++;
}

static const char *compressor_cells_format_tuple(const struct session *s, struct tuple t)
{
	char *out = some_text();
	snprintf(out, 256, "%s → 0x%llx", addr_of(s, tuple_pc(t)), (ull)t.value);
	return out;
}

static const char *compressor_cells_format_ago(const struct session *s, uint64_t cycle)
{
	const uint64_t n = machine_cycle(s->machine) - 1 - cycle;
	char text[96];
	snprintf(text, sizeof text, "%s cycle%s ago, %s", grouped(n), n == 1 ? "" : "s",
	         grouped(cycle));
	return strcpy(some_text(), n ? text : "this cycle");
}

static const char *compressor_cells_format_bar(uint64_t at, uint64_t of)
{
	char *out = some_text();
	const uint64_t halves = (at < of ? at : of) * 16 / of;
	*out = '\0';
	for (uint64_t i = 0; i < 8; i++)
		strcat(out, halves >= 2 * i + 2 || (!i && at) ? "█"
		            : halves >= 2 * i + 1             ? "▌"
		                                              : "░");
	return out;
}

/* Checks a row; UINT64_MAX: an empty cell. */
CELLS_FORMAT(6)
static void compressor_cells_check_row(struct cells *c, const char *flow, const char *part,
                                       uint64_t in, uint64_t out, const char *fmt, ...)
{
	CELLS_TEXT(fmt);
	cells_row(c);
	says(c, "flow", "%s", flow);
	says(c, "part", "%s", part);
	for (unsigned i = 0; i < 2; i++)
		if ((i ? out : in) == UINT64_MAX)
			says_nothing(c, i ? "out" : "in");
		else
			says_uint(c, i ? "out" : "in", i ? out : in);
	says(c, "says", "%s", text);
	for (unsigned i = 0; i < 3 && (*part < '0' || *part > '9'); i++) /* components have them */
		says_nothing(c, (const char *const[]){"ratio", "held", "bits"}[i]);
}

CELLS_FORMAT(3) static void about(struct cells *c, const char *what, const char *fmt, ...)
{
	char part[64];
	CELLS_TEXT(fmt);
	snprintf(part, sizeof part, "  %s", what);
	compressor_cells_check_row(c, "│", part, UINT64_MAX, UINT64_MAX, "%s", text);
}

static const char *touch_text(const struct component *part, const struct component_touch *t)
{
	char *out = some_text();
	if (part->kind == COMPONENT_TAGGED)
		snprintf(out, 256, "%s in entry %u: %s; hits %llu to %llu of %u, misses %llu",
		         component_act_name[t->act], t->entry, component_act_help[t->act],
		         (ull)t->before, (ull)t->after, 1u << part->hit_bits, (ull)t->misses);
	else if (part->kind == COMPONENT_ASSOCIATIVE)
		snprintf(out, 256, "entry %u: %s; %llu to %llu", t->entry,
		         component_act_help[t->act], (ull)t->before, (ull)t->after);
	else if (t->act == ACT_SAMPLED)
		snprintf(out, 256, "stratum %u counted to %u: a message; it has counted %llu",
		         t->entry, part->rate, (ull)t->before + 1);
	else
		snprintf(out, 256,
		         "stratum %u stands at %llu of %u: no message; it has counted %llu",
		         t->entry, (ull)t->after, part->rate, (ull)t->after);
	return out;
}

static void read_stage(struct cells *c, const struct session *s, const struct sampler *sm,
                       const struct counted *k, unsigned i)
{
	const struct component *part = &sm->compressor.spec.stage[i];
	const struct sampler_step *step = &sm->st->step[i];
	const struct message *latch = &sm->st->latch[i];
	const bool now = step->cycle && step->cycle + 1 == machine_cycle(s->machine),
		   last = i + 1 == sm->compressor.spec.count;
	const uint64_t out = last ? k->messages : k->in[i + 1] + (sm->st->latched >> i & 1);
	char name[COMPRESSOR_TEXT_MAX], text[COMPRESSOR_TEXT_MAX + 8], times[64] = "";
	component_format(part, name, sizeof name);
	char *options = part->kind == COMPONENT_TAGGED ? strchr(name, ',') : NULL;
	snprintf(text, sizeof text, "%u %.*s%s", i,
	         options ? (int)(options - name) : (int)strlen(name), name, options ? ")" : "");
	compressor_cells_check_row(c, now ? "├◆" : "├▶", text, k->in[i], out, "%s",
	                           step->cycle ? touch_text(part, &step->touch)
	                                       : "nothing came yet");
	if (out)
		says_double(c, "ratio", (double)k->in[i] / (double)out, "%.2f",
		            (double)k->in[i] / (double)out);
	else
		says_nothing(c, "ratio");
	if (!component_lossless(part))
		says(c, "held", "lossy");
	else
		says_uint(c, "held", component_held(&sm->compressor, i));
	says_uint(c, "bits", component_bits(part));
	if (options)
		about(c, "with", "%.*s", (int)strcspn(options + 2, ")"), options + 2);
	if (step->cycle) {
		const struct tuple t = step->in.tuple;
		if (step->in.count > 1)
			snprintf(times, sizeof times, " × %s", grouped(step->in.count));
		about(c, "took", "%s%s: %s", compressor_cells_format_tuple(s, t), times,
		      compressor_cells_format_ago(s, step->cycle));
		if (part->split || part->kind == COMPONENT_TAGGED) {
			const struct tuple_hash_steps h =
				compressor_hash_steps(&sm->compressor, i, t);
			about(c, "pc", "0x%llx, randomized 0x%016llx", (ull)t.pc, (ull)h.pc_random);
			about(c, "flipped", "0x%016llx", (ull)h.pc_flipped);
			about(c, "value", "0x%llx, randomized 0x%016llx", (ull)t.value,
			      (ull)h.value_random);
			about(c, "xor", "0x%016llx, folded to %s %u",
			      (ull)(h.pc_flipped ^ h.value_random),
			      part->ways > 1 ? "set" : "entry", h.index);
			assert_int_equal(step->touch.entry /
			                         (part->kind == COMPONENT_TAGGED ? part->ways : 1),
			                 h.index);
		}
		if (part->kind == COMPONENT_TAGGED)
			about(c, "tag", "pc xor value, folded to 0x%x",
			      compressor_tag(&sm->compressor, i, t));
		if (step->out.count)
			about(c, "sent", "%s × %s",
			      compressor_cells_format_tuple(s, step->out.tuple),
			      grouped(step->out.count));
	}
	if (sm->st->latched >> i & 1)
		about(c, "latch", "%s × %s: component %u takes it next cycle",
		      compressor_cells_format_tuple(s, latch->tuple), grouped(latch->count), i + 1);
}

static void read_reader(struct cells *c, const struct session *s, const struct sampler_state *st,
                        const struct counted *k)
{
	const struct stats *stats = machine_stats(s->machine);
	const struct config *cfg = machine_config(s->machine);
	const uint64_t now = machine_cycle(s->machine),
		       left = st->service_free > now ? st->service_free - now : 0;
	if (CONFIG(cfg, sampler_reader)) {
		compressor_cells_check_row(c, "└▶", "interrupt 17", STAT(stats, sampler_read),
		                           UINT64_MAX,
		                           "no reader of messages: start with --firmware FILE.elf");
	} else {
		if (left)
			compressor_cells_check_row(
				c, "└▶", "service thread", STAT(stats, sampler_read), UINT64_MAX,
				"busy for %s more cycle%s, until %s", grouped(left),
				left == 1 ? "" : "s", grouped(st->service_free));
		else
			compressor_cells_check_row(c, "└▶", "service thread",
			                           STAT(stats, sampler_read), UINT64_MAX, "idle");
		about(c, "needs",
		      "%lld cycles a message; %s of %s came sooner after the previous one",
		      (long long)CONFIG(cfg, sampler_service), grouped(STAT(stats, sampler_late)),
		      grouped(k->messages));
	}
	compressor_cells_check_row(
		c, "", "overhead", UINT64_MAX, UINT64_MAX,
		"%.2f %% of all cycles, if messages interrupted as in the paper's model",
		100 * (double)STAT(stats, sampler_model_cycles) / (double)(now ? now : 1));
}

/* Section 5.3.1 from events: software has the accepted messages that no longer wait. A pc's error
 * is the sum of the errors of its tuples with a share of a tenth or more; the mean is weighted by
 * the counts of frequent pcs. */
static void compressor_cells_check_error(struct cells *c, struct counted *k, uint64_t waiting)
{
	double off = 0, weight = 0;
	unsigned tuples = 0, pcs = 0, unseen = 0;
	for (unsigned i = 0; i < k->tuples; i++)
		k->tuple[i].told = 0;
	for (unsigned i = 0; i + waiting < k->accepted; i++)
		compressor_cells_find_tuple(k, k->message[i].tuple)->told += k->message[i].count;
	for (unsigned i = 0; i < k->tuples; i++) {
		const uint64_t pc = k->tuple[i].tuple.pc;
		uint64_t n = 0, told = 0, covered = 0;
		bool first = true;
		for (unsigned j = 0; j < k->tuples; j++)
			if (k->tuple[j].tuple.pc == pc) {
				first = first && j >= i;
				n += k->tuple[j].n;
				told += k->tuple[j].told;
			}
		if (!first || n < MIN_COUNT)
			continue;
		double of_pc = 0;
		unsigned invariant = 0;
		for (unsigned j = 0; j < k->tuples; j++) {
			const struct tuple_seen *t = &k->tuple[j];
			if (t->tuple.pc != pc || (double)t->n < 0.10 * (double)n)
				continue;
			invariant++;
			covered += t->n;
			const double was = (double)t->n / (double)n,
				     is = told ? (double)t->told / (double)told : 0;
			of_pc += (double)t->n * (was > is ? was - is : is - was);
		}
		if ((double)covered < 0.40 * (double)n)
			continue;
		pcs++;
		tuples += invariant;
		unseen += !told;
		off += of_pc;
		weight += (double)covered;
	}
	k->judged += off > 0;
	if (pcs)
		compressor_cells_check_row(
			c, "", "error", UINT64_MAX, UINT64_MAX,
			"%.2f %% in invariance; judged: tuples %s, pcs %s, unseen %u",
			100 * off / weight, grouped(tuples), grouped(pcs), unseen);
	else
		compressor_cells_check_row(c, "", "error", UINT64_MAX, UINT64_MAX,
		                           "no tuple is frequent enough yet");
}

static void read_compressor(const struct session *s, struct counted *k)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct sampler *sm = sampler_of(d);
	const struct sampler_state *st = sm->st;
	const uint64_t now = machine_cycle(s->machine),
		       tuples = (uint64_t)CONFIG(machine_config(s->machine), sampler_tuple_queue),
		       messages =
			       (uint64_t)CONFIG(machine_config(s->machine), sampler_message_queue);
	char text[512], lost[96] = "";
	struct cells c;
	cells_open(&c, s, "compressor");
	if (k->selected)
		snprintf(text, sizeof text, "%s: %s", compressor_cells_format_tuple(s, st->last),
		         compressor_cells_format_ago(s, st->last_cycle));
	compressor_cells_check_row(&c, st->last_cycle && st->last_cycle + 1 == now ? "┌◆" : "┌─",
	                           "selector", UINT64_MAX, k->selected, "%s",
	                           k->selected ? text : "nothing was selected yet");
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++)
		if (st->stream[i].kind) {
			char what[32];
			snprintf(what, sizeof what, "stream %u", i);
			about(&c, what, "%s",
			      sampler_format_stream(&st->stream[i], text, sizeof text));
		}
	if (k->dropped)
		snprintf(lost, sizeof lost, ", %s dropped for lack of room", grouped(k->dropped));
	assert_int_equal(st->tuple_count, k->selected - k->dropped - k->in[0]);
	compressor_cells_check_row(&c, "├▶", "tuple queue", k->selected - k->dropped, k->in[0],
	                           "%s %llu/%llu, most %llu%s",
	                           compressor_cells_format_bar(st->tuple_count, tuples),
	                           (ull)st->tuple_count, (ull)tuples, (ull)st->most_tuples, lost);
	for (unsigned i = 0; i < st->tuple_count && i < QUEUED; i++) {
		char what[16] = "next";
		if (i)
			snprintf(what, sizeof what, "+%u", i);
		about(&c, what, "%s", compressor_cells_format_tuple(s, sampler_tuple(d, i)));
	}
	for (unsigned i = 0; i < sm->compressor.spec.count; i++)
		read_stage(&c, s, sm, k, i);
	*lost = '\0';
	if (k->lost)
		snprintf(lost, sizeof lost, ", %s dropped for lack of room", grouped(k->lost));
	compressor_cells_check_row(
		&c, k->messages && st->last_message + 1 == now ? "├◆" : "├▶", "message queue",
		k->messages - k->lost, k->messages - k->lost - st->message_count,
		"%s %llu/%llu, most %llu%s",
		compressor_cells_format_bar(st->message_count, messages), (ull)st->message_count,
		(ull)messages, (ull)st->most_messages, lost);
	if (st->message_count) {
		const struct sampler_waiting *m = sampler_message(d, 0);
		about(&c, "oldest", "%s × %s: came %s",
		      compressor_cells_format_tuple(s, m->message.tuple), grouped(m->message.count),
		      compressor_cells_format_ago(s, m->arrived));
	}
	read_reader(&c, s, st, k);
	if (sm->exact)
		compressor_cells_check_error(&c, k, st->message_count);
	else
		compressor_cells_check_row(&c, "", "error", UINT64_MAX, UINT64_MAX,
		                           "not known: needs exact counts, sampler.exact=true");
	cells_close(&c);
}

TEST(the_way_is_that_of_state_and_events)
{
	static const char *const settings[] = {
		"sampler.enable=true;sampler.min_count=20;sampler.reader=service;sampler."
	        "compressor=H(C(P(2)), 64), A(4)",
		"sampler.enable=true;sampler.reader=interrupt;sampler.message_queue=8;sampler."
	        "exact=false;sampler.tuple_queue=4;sampler.compressor=T(64, hit=3, replace=2, "
	        "evict=2), A(4)"};
	for (unsigned i = 0; i < 2; i++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[i]);
		const struct event_filter filter = {.mask = EV_BIT(TUPLE) | EV_BIT(COMPRESS) |
		                                            EV_BIT(MESSAGE)};
		static struct counted k;
		k = (struct counted){.selected = 0};
		assert_true(machine_listen(s->machine, &filter, compressor_cells_on_event, &k) > 0);
		read_compressor(s, &k);
		for (unsigned n = 0; n < 30000 && machine_step(s->machine); n++)
			if (n % 8 == 0 || n < 400)
				read_compressor(s, &k);
		assert_true(k.messages > 10 && (i ? k.lost : k.judged));
		session_free(s);
	}
}

TEST(compressor_cells_are_complete)
{
	views_are_complete("compressor");
}
