#include "hwviews/why/why_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/pipe/memory/mshr.h"
#include "hwviews/session/uop_fields.h"
#include "hwviews/session/place_text.h"
#include "loader/assembled_note.h"

enum { CHAIN_MAX = 8 }; /* most instructions in a line */

static const struct phrase {
	enum role role;
	const char *words, *cell, *line, *due;
} phrases[WHY_COUNT] = {
#define WHY(id, ...) [WHY_##id] = {ROLE_##__VA_ARGS__},
#include "hwviews/why/why_phrases.def"
};

static const struct fetch_phrase {
	const char *words, *line, *due;
} fetch_phrases[FETCH_WHY_COUNT] = {
#define FETCH(id, ...) [FETCH_##id] = {__VA_ARGS__},
#include "hwviews/why/why_phrases.def"
};

enum inst_history_id {
#define STORY(id, ...) STORY_##id,
#include "hwviews/why/why_phrases.def"
	STORY_COUNT
};

static const char *const stories[STORY_COUNT] = {
#define STORY(id, words) [STORY_##id] = words,
#include "hwviews/why/why_phrases.def"
};

struct text {
	const struct session *s;
	struct textbuf out;
};

static void why_text_append_uop(struct text *t, const struct uop *u, bool operands)
{
	char dis[128];
	format_uop(t->s, u, dis, sizeof dis);
	size_t prefix = u->prefix_len ? strcspn(dis, " ") + 1 : 0;
	if (!operands)
		dis[prefix + strcspn(dis + prefix, " \t")] = '\0';
	textbuf_add(&t->out, "#%" PRIu64 "%s %s", u->seq, u->flags & UF_WRONG_PATH ? "?" : "", dis);
}

static void say_due(struct text *t, const struct pipe *p, uint64_t due, const char *what)
{
	uint64_t now = p->st->cycle;
	if (due == NO_CYCLE || !*what)
		return;
	if (due <= now)
		textbuf_add(&t->out, ", %s this cycle", what);
	else
		textbuf_add(&t->out, ", %s in %s cycle%s (cycle %s)", what, GROUPED(due - now),
		            due - now == 1 ? "" : "s", GROUPED(due));
}

static void say_fault(struct text *t, const struct uop *u)
{
	const enum trap trap = (enum trap)u->trap;
	char where[128], past[384];
	textbuf_add(&t->out, "%s", trap_name(trap));
	if (program_ran_past_end(t->s->program, u->pc, past, sizeof past))
		textbuf_add(&t->out, ": the program %s", past);
	if (trap_of_data(trap))
		textbuf_add(&t->out, ", %s", format_addr(t->s, u->exec.addr, where, sizeof where));
}

/* Appends the line that the write buffer's next entry waits for, and its place. */
static void say_written_line(struct text *t, const struct pipe *p, uint64_t due)
{
	const struct hierarchy *h = &p->mem;
	const uint64_t now = p->st->cycle;
	uint32_t i = 0;
	while (i < h->wbuf_limit && h->st->wbuf.entry[i].until != due)
		i++;
	if (i == h->wbuf_limit) {
		textbuf_add(&t->out, "none");
		return;
	}
	const uint64_t line = h->st->wbuf.entry[i].line << h->l1d.line_log2;
	const struct mshr *m = mshr_find(h->st, line, now);
	textbuf_add(&t->out, "%s, ", format_addr(t->s, line, BUFFER(128)));
	if (!m)
		textbuf_add(&t->out, "in L1D,");
	else if (m->since > now)
		textbuf_add(&t->out, "which waits for a miss register (l1d.mshrs),");
	else if (m->held > now)
		textbuf_add(&t->out,
		            "held back by the ports or miss registers of L2 (l2.ports, l2.mshrs),");
	else
		textbuf_add(&t->out, "from %s,", format_level((enum mem_level)m->level));
}

/* Expands a phrase of the table about u; `other` may be NULL if the phrase has no $i. */
static void why_text_expand_phrase(struct text *t, const char *phrase, const struct pipe *p,
                                   const struct uop *u, const struct why *w,
                                   const struct uop *other, const char *tlb)
{
	char where[128];
	for (const char *s = phrase; *s; s++) {
		if (*s != '$') {
			textbuf_add(&t->out, "%c", *s);
			continue;
		}
		switch (*++s) {
		case 'r': textbuf_add(&t->out, "%s", reg_name(w->operand)); break;
		case 'o': textbuf_add(&t->out, "#%" PRIu64, w->other); break;
		case 'i':
			if (other)
				why_text_append_uop(t, other, false);
			else if (w->other) /* it has left the pool */
				textbuf_add(&t->out, "#%" PRIu64, w->other);
			else
				textbuf_add(&t->out, "no instruction");
			break;
		case 'p': textbuf_add(&t->out, "%s", fu_pool_name[w->pool]); break;
		case 'u': textbuf_add(&t->out, "%u", p->fu_count[w->pool]); break;
		case 't': textbuf_add(&t->out, "%s", u->flags & UF_TLB_MISS ? tlb : ""); break;
		case 'c': textbuf_add(&t->out, "%s", group_digits(w->due, where)); break;
		case 'x':
			textbuf_add(&t->out, "%s",
			            group_digits(u->when.ready > u->when.dispatch
			                                 ? u->when.ready : u->when.dispatch + 1,
			                         where));
			break;
		case 'k':
			textbuf_add(&t->out, "%u", u->prefix_len ? u->profile_type : w->operand);
			break;
		case 'n':
			textbuf_add(&t->out, "%s",
			            format_addr(t->s, u->pred_next, where, sizeof where));
			break;
		case 'd': textbuf_add(&t->out, "%s", group_digits(u->when.dispatch, where)); break;
		case 's': textbuf_add(&t->out, "#%" PRIu64, u->seq); break;
		case 'f': say_fault(t, u); break;
		case 'w': say_written_line(t, p, w->due); break;
		default: textbuf_add(&t->out, "$%c", *s); break;
		}
	}
}

const char *why_words(enum why_id id)
{
	return phrases[id].words;
}

enum role why_role(const struct why *w)
{
	return phrases[w->id].role;
}

char *why_cell(const struct pipe *p, const struct uop *u, const struct why *w, char *buf, size_t n)
{
	struct text t = {NULL, {buf, n, 0}}; /* s NULL: cells name no places */
	buf[0] = '\0';
	why_text_expand_phrase(&t, phrases[w->id].cell, p, u, w, NULL, "TLB, ");
	return buf;
}

/* A story to append after the cause: the coming fault, or the handling of a profile instruction by
 * fetch and decode. */
static enum inst_history_id inst_history_of(const struct pipe *p, const struct uop *u)
{
	const bool dropped = u->state == UOP_DROPPED, waits = u->state == UOP_FETCHED;
	if (uop_faults(u) && u->state == UOP_DONE && u->at.rob != p->st->rob_head)
		return STORY_FAULT;
	if (!u->prefix_len || u->state == UOP_SQUASHED)
		return STORY_NONE;
	if (dropped && (u->flags & UF_SKIPS) && (u->flags & UF_MISFETCH))
		return STORY_STALE_SKIP;
	if (u->flags & UF_SKIPS)
		return dropped                   ? STORY_SKIPPED
		       : !waits                  ? STORY_FLAG_MISS
		       : u->flags & UF_FLAG_MISS ? STORY_FLAG_FOUND : STORY_SKIPS;
	if (dropped && (u->flags & UF_MISFETCH))
		return STORY_MISFETCH;
	if ((u->flags & UF_NOT_PREDICTED) && !dropped)
		return waits ? STORY_NOT_FOLLOWED : STORY_WRONGLY_NOT_FOLLOWED;
	return STORY_NONE;
}

char *why_line(const struct session *s, const struct uop *u, char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct text t = {s, {buf, n, 0}};
	const struct uop *const asked = u;
	buf[0] = '\0';
	why_text_append_uop(&t, u, true);
	for (int depth = 0; depth < CHAIN_MAX; depth++) {
		struct why w = uop_why(p, u);
		const struct phrase *f = &phrases[w.id];
		bool names = strstr(f->line, "$i") != NULL;
		const struct uop *other = names && w.other ? pipe_find(p, w.other) : NULL;
		if (names && !other && u->state != UOP_SQUASHED)
			f = &phrases[WHY_MOVING];
		bool place = *f->line == ':';
		textbuf_add(&t.out, depth == 0 ? place ? ": " : " " : other ? ", which " : ": ");
		why_text_expand_phrase(&t, f->line + place, p, u, &w, other, "TLB miss, then ");
		say_due(&t, p, w.due, f->due);
		/* A unit's holder may have completed long ago: only the cycle in which the unit is
		 * free matters. */
		if (!other || w.id == WHY_UNIT || u->state == UOP_SQUASHED || !uop_in_flight(other))
			break;
		u = other;
	}
	const struct why none = {.id = WHY_MOVING};
	why_text_expand_phrase(&t, stories[inst_history_of(p, asked)], p, asked, &none, NULL, "");
	return buf;
}

char *why_fetch_line(const struct session *s, char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct fetch_why w = pipe_fetch_why(p);
	const struct fetch_phrase *f = &fetch_phrases[w.id];
	struct text t = {s, {buf, n, 0}};
	char where[128];
	size_t before = strcspn(f->line, "$");
	buf[0] = '\0';
	textbuf_add(&t.out, "%.*s", (int)before, f->line);
	if (f->line[before])
		textbuf_add(&t.out, "%s%s", format_addr(s, w.addr, where, sizeof where),
		            f->line + before + 2);
	say_due(&t, p, w.due, f->due);
	return buf;
}

char *why_stalled(const struct session *s, uint64_t cycles, char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	char line[1024];
	if (p->st->rob_count)
		why_line(s, pipe_rob_at(p, 0), line, sizeof line);
	else if (p->st->fetchq_count)
		why_line(s, pipe_fetchq_at(p, 0), line, sizeof line);
	else
		why_fetch_line(s, line, sizeof line);
	snprintf(buf, n, "nothing was committed for %s cycles, and nothing can be: %s",
	         GROUPED(cycles), line);
	return buf;
}

const char *why_fetch_words(const struct pipe *p)
{
	return fetch_phrases[pipe_fetch_why(p).id].words;
}
