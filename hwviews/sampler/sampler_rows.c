#include "hwviews/sampler/sampler_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"

const char *const tag_state_name[] = {
	[TAG_EMPTY] = "Empty", [TAG_VALID] = "Valid", [TAG_EVICT] = "Evict"};

const struct prof *session_prof(const struct session *s)
{
	return machine_pipe(s->machine)->prof;
}

const struct sampler *session_sampler(const struct session *s)
{
	return sampler_of(session_prof(s));
}

const char *sampler_mark(const struct session *s, const struct uop *u)
{
	const struct sampler *sm = session_sampler(s);
	if (cop_mark(s, u))
		return "◈";
	if (!sm || u->state == UOP_FREE || u->state == UOP_SQUASHED)
		return "";
	if (u->state == UOP_RETIRED && sampler_takes(sm->st, u))
		return "●";
	return u->state != UOP_FETCHED && uop_is_marked(u) ? "○" : "";
}

void sampler_mark_column(const struct session *s, struct grid_column *c)
{
	if (session_sampler(s) || session_cop(s))
		c->min_width = 2;
}

/* ---- counters ---- */
static struct counter sampler_counter(const struct component *part, struct sampler_view v)
{
	switch (part->kind) {
	case COMPONENT_PERIODIC:
		return (struct counter){
			.known = true, .used = v.at != 0, .at = v.at, .of = part->rate};
	case COMPONENT_COUNTDOWN:
		/* A countdown may begin at any value, so it is never empty. */
		return (struct counter){.known = true, .used = true,
		                        .at = UINT64_C(2) * part->rate - 1 - v.at,
		                        .of = UINT64_C(2) * part->rate - 1};
	default:
		return (struct counter){.known = part->counted, .used = v.since != 0,
		                        .at = v.since / (part->unit ? part->unit : 1),
		                        .of = part->rate};
	}
}

struct counter counter_of(const struct compressor *c, unsigned stage, uint32_t entry)
{
	const struct component *part = &c->spec.stage[stage];
	if (part->kind == COMPONENT_TAGGED) {
		struct tagged_view v = compressor_tagged(c, stage, entry);
		return (struct counter){.known = true, .used = v.state != TAG_EMPTY,
		                        .evicts = v.state == TAG_EVICT, .at = v.hits,
		                        .of = UINT64_C(1) << part->hit_bits};
	}
	if (part->kind == COMPONENT_ASSOCIATIVE) {
		uint64_t count = compressor_associative(c, stage, entry).count;
		return (struct counter){.known = true, .used = count != 0, .at = count,
		                        .of = (UINT64_C(1) << part->count_bits) - 1};
	}
	if (part->kind == COMPONENT_EXTERNAL) {
		const struct external_view v = compressor_external(c, stage, entry);
		return (struct counter){
			.known = v.most != 0, .used = v.count != 0, .at = v.count, .of = v.most};
	}
	return sampler_counter(part, compressor_sampler(c, stage, entry));
}

unsigned counter_level(const struct counter *c)
{
	if (!c->known || (!c->at && !c->used))
		return 0;
	if (c->at >= c->of)
		return 8;
	return 1 + (unsigned)((double)c->at * 8 / (double)c->of);
}

const char *counter_glyph(const struct counter *c)
{
	static const char *const heat[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	return c->evicts ? "×" : heat[counter_level(c)];
}

char *counter_text(const struct component *part, const struct counter *c, char *buf, size_t n)
{
	if (!c->known)
		snprintf(buf, n, "no counter");
	else if (part->kind == COMPONENT_COUNTDOWN)
		snprintf(buf, n, "%s to go", GROUPED(c->of - c->at));
	else if (part->kind == COMPONENT_RANDOM)
		snprintf(buf, n, "%s, one in %s is sent", GROUPED(c->at), GROUPED(c->of));
	else
		snprintf(buf, n, "%s of %s", GROUPED(c->at), GROUPED(c->of));
	return buf;
}

char *format_component(const struct component *part, char *buf, size_t n)
{
	component_format(part, buf, n);
	if (part->kind == COMPONENT_TAGGED && strchr(buf, ','))
		memcpy(strchr(buf, ','), ")", sizeof ")");
	return buf;
}

char *format_component_options(const struct component *part, char *buf, size_t n)
{
	char text[128];
	const char *from = strchr(component_format(part, text, sizeof text), ',');
	buf[0] = '\0';
	if (part->kind == COMPONENT_TAGGED && from)
		snprintf(buf, n, "%.*s", (int)strcspn(from + 2, ")"), from + 2);
	return buf;
}

char *level_bar(uint64_t at, uint64_t of, unsigned cells, char *buf, size_t n)
{
	size_t used = 0;
	double full = of ? (double)(at < of ? at : of) * cells / (double)of : 0;
	buf[0] = '\0';
	for (unsigned i = 0; i < cells && used + 4 <= n; i++)
		used += (size_t)snprintf(buf + used, n - used, "%s",
		                         full >= i + 1 || (!i && at) ? "█"
		                         : full >= i + 0.5 ? "▌" : "░");
	return buf;
}

/* ---- tuples ---- */
/* The kind of second words of tuples with this tag; TUPLE_KIND_COUNT: mixed. */
static enum tuple_kind sampler_rows_tuple_kind_of_tag(const struct sampler *sm, unsigned tag)
{
	enum tuple_kind found = TUPLE_KIND_COUNT;
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		const struct sampler_stream *stream = &sm->st->stream[i];
		if (!stream->kind || stream->kind > TUPLE_KIND_COUNT || stream->tag != tag)
			continue;
		enum tuple_kind kind = (enum tuple_kind)(stream->kind - 1);
		if (found != TUPLE_KIND_COUNT && found != kind)
			return TUPLE_KIND_COUNT;
		found = kind;
	}
	return found;
}

char *format_tuple(const struct session *s, struct tuple t, char *buf, size_t n)
{
	const enum tuple_kind kind =
		sampler_rows_tuple_kind_of_tag(session_sampler(s), tuple_tag(t));
	char value[96], tag[16] = "";
	snprintf(value, sizeof value, "0x%" PRIx64, t.value);
	if (kind == TUPLE_EDGE || kind == TUPLE_CALL || kind == TUPLE_TYPE ||
	    kind == TUPLE_ADDRESS || kind == TUPLE_MISPREDICT)
		format_addr(s, t.value, value, sizeof value);
	else if (kind == TUPLE_MISS && t.value < LEVEL_COUNT)
		snprintf(value, sizeof value, "%s", format_level((enum mem_level)t.value));
	if (tuple_tag(t))
		snprintf(tag, sizeof tag, "[%u] ", tuple_tag(t));
	snprintf(buf, n, "%s%s → %s", tag, format_addr(s, tuple_pc(t), BUFFER(96)), value);
	return buf;
}

void cell_tuple(struct grid *g, const struct session *s, enum role role, struct tuple t)
{
	grid_text(g, role, "%s", format_tuple(s, t, BUFFER(224)));
}

/* ---- steps of components ---- */
static void tell_tagged(const struct component *part, const struct component_touch *t, char *buf,
                        size_t n)
{
	snprintf(buf, n,
	         "%s in entry %" PRIu32 ": %s; hits %" PRIu64 " to %" PRIu64 " of %" PRIu64
	         ", misses %" PRIu64,
	         component_act_name[t->act], t->entry, component_act_help[t->act], t->before,
	         t->after, UINT64_C(1) << part->hit_bits, t->misses);
}

static void tell_sampled(const struct component *part, const struct component_touch *t, char *buf,
                         size_t n)
{
	const bool counter = part->kind == COMPONENT_PERIODIC || part->counted;
	char where[32] = "the sampler";
	if (part->split)
		snprintf(where, sizeof where, "stratum %" PRIu32, t->entry);
	if (t->act == ACT_SAMPLED && part->kind == COMPONENT_PERIODIC)
		snprintf(buf, n, "%s counted to %" PRIu32 ": a message", where, part->rate);
	else if (t->act == ACT_SAMPLED)
		snprintf(buf, n, "%s selected it, %s: a message", where,
		         part->kind == COMPONENT_RANDOM ? "by chance" : "its countdown is over");
	else if (part->kind == COMPONENT_PERIODIC)
		snprintf(buf, n, "%s stands at %" PRIu64 " of %" PRIu32 ": no message", where,
		         t->after, part->rate);
	else if (part->kind == COMPONENT_RANDOM)
		snprintf(buf, n, "%s passed it by, as it does but for one in %s: no message", where,
		         GROUPED(part->rate));
	else
		snprintf(buf, n, "the countdown of %s is not over: no message", where);
	size_t used = strlen(buf);
	if (counter && part->counted && used < n)
		snprintf(buf + used, n - used, "; it has counted %" PRIu64,
		         t->act == ACT_SAMPLED ? t->before + 1 : t->after);
}

char *format_touch(const struct component *part, const struct component_touch *t, char *buf,
                   size_t n)
{
	buf[0] = '\0';
	if (t->act == ACT_NONE || t->act >= ACT_COUNT)
		return buf;
	if (part->kind == COMPONENT_TAGGED)
		tell_tagged(part, t, buf, n);
	else if (part->kind == COMPONENT_ASSOCIATIVE)
		snprintf(buf, n, "entry %" PRIu32 ": %s; %" PRIu64 " to %" PRIu64, t->entry,
		         component_act_help[t->act], t->before, t->after);
	else if (part->kind == COMPONENT_EXTERNAL && t->act == ACT_CHANGED)
		snprintf(buf, n, "%s: × %" PRIu64 " for × %" PRIu64, component_act_help[t->act],
		         t->after, t->before);
	else if (part->kind == COMPONENT_EXTERNAL)
		snprintf(buf, n, "%s", component_act_help[t->act]);
	else
		tell_sampled(part, t, buf, n);
	return buf;
}

bool step_is_now(const struct prof *d, const struct sampler_step *step)
{
	return step->cycle && step->cycle + 1 == prof_now(d);
}

char *format_ago(uint64_t now, uint64_t cycle, char *buf, size_t n)
{
	const uint64_t ago = now > cycle + 1 ? now - cycle - 1 : 0;
	if (!ago)
		snprintf(buf, n, "this cycle");
	else
		snprintf(buf, n, "%s cycle%s ago, %s", GROUPED(ago), ago == 1 ? "" : "s",
		         GROUPED(cycle));
	return buf;
}
