#include "hwviews/sampler/sampler_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"

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
struct component_counter counter_of(const struct compressor *c, unsigned stage, uint32_t entry)
{
	return c->spec.stage[stage].ops->counter(c, stage, entry);
}

unsigned counter_level(const struct component_counter *c)
{
	if (!c->known || (!c->at && !c->used))
		return 0;
	if (c->at >= c->of)
		return 8;
	return 1 + (unsigned)((double)c->at * 8 / (double)c->of);
}

const char *counter_glyph(const struct component_counter *c)
{
	static const char *const heat[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	return c->evicts ? "×" : heat[counter_level(c)];
}

char *counter_text(const struct component *part, const struct component_counter *c, char *buf,
                   size_t n)
{
	component_say_counter(part, c, &(struct textbuf){buf, n, 0});
	return buf;
}

char *format_component(const struct component *part, char *buf, size_t n)
{
	return component_format_short(part, buf, n);
}

char *format_component_options(const struct component *part, char *buf, size_t n)
{
	buf[0] = '\0';
	if (part->ops->options)
		part->ops->options(part, &(struct textbuf){buf, n, 0});
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
char *format_touch(const struct component *part, const struct component_touch *t, char *buf,
                   size_t n)
{
	buf[0] = '\0';
	if (t->act != ACT_NONE && t->act < ACT_COUNT)
		part->ops->say_touch(part, t, &(struct textbuf){buf, n, 0});
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
