/* The sampler's selector: reads streams, and picks tuples of committed instructions. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/defs/events.h"
#include "core/isa/op.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/uop.h"
#include "core/prof/common/device.h"
#include "core/prof/sampler/sampler.h"

const char *const tuple_kind_name[TUPLE_KIND_COUNT] = {
#define K(id, name, help) [TUPLE_##id] = name,
	TUPLE_KINDS(K)
#undef K
};

/* ---- as text ---- */
enum { WORD_MAX = 48 };
#define ADDRESS_MAX (UINT64_C(1) << TUPLE_TAG_SHIFT)

struct reader {
	const char *at;
	struct err *err;
};

static void sampler_select_skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

/* The next word: up to a blank, a comma or a bar. "" at one of these two and at the end. */
static const char *sampler_select_parse_word(struct reader *r, char *out)
{
	size_t n = 0;
	sampler_select_skip_blanks(r);
	for (; *r->at && !isspace((unsigned char)*r->at) && *r->at != ',' && *r->at != '|'; r->at++)
		if (n < WORD_MAX - 1)
			out[n++] = *r->at;
	out[n] = '\0';
	return out;
}

static bool sampler_select_accept_bar(struct reader *r)
{
	sampler_select_skip_blanks(r);
	if (*r->at != '|')
		return false;
	r->at++;
	return true;
}

static bool sampler_select_parse_kinds(struct reader *r, struct sampler_stream *s)
{
	char w[WORD_MAX];
	do {
		int i = nearest_choice(sampler_select_parse_word(r, w), inst_kind_name,
		                       INST_KIND_COUNT, "kind of instruction", r->err);
		if (i < 0)
			return false;
		s->kinds |= UINT64_C(1) << i;
	} while (sampler_select_accept_bar(r));
	return true;
}

/* "0x10000-0x12000". */
static bool sampler_select_parse_range(struct reader *r, struct sampler_stream *s)
{
	char w[WORD_MAX], *end = w;
	sampler_select_parse_word(r, w);
	errno = 0;
	uint64_t lo = isdigit((unsigned char)*w) ? strtoull(w, &end, 0) : 0;
	if (!isdigit((unsigned char)*w) || *end != '-' || !isdigit((unsigned char)end[1]))
		return err_set(
			r->err,
			"'%s' is no range of addresses; expected one such as in 0x10000-0x12000",
			w);
	uint64_t hi = strtoull(end + 1, &end, 0);
	if (*end || errno || lo >= hi || hi > ADDRESS_MAX)
		return err_set(r->err,
		               "'%s' is no range of addresses: its first must be below its end, as "
		               "in 0x10000-0x12000",
		               w);
	if (s->ranges == SAMPLER_RANGES_MAX)
		return err_set(r->err, "a stream has at most %d ranges of addresses",
		               SAMPLER_RANGES_MAX);
	s->range[s->ranges][0] = lo;
	s->range[s->ranges++][1] = hi;
	return true;
}

static bool sampler_select_parse_ranges(struct reader *r, struct sampler_stream *s)
{
	do {
		if (!sampler_select_parse_range(r, s))
			return false;
	} while (sampler_select_accept_bar(r));
	return true;
}

static bool sampler_select_parse_tag(struct reader *r, struct sampler_stream *s)
{
	char w[WORD_MAX], *end = w;
	sampler_select_parse_word(r, w);
	unsigned long n = isdigit((unsigned char)*w) ? strtoul(w, &end, 0) : 0;
	if (!isdigit((unsigned char)*w) || *end || n > TUPLE_TAG_MAX)
		return err_set(r->err, "a tag is a number of 0 to %d, not '%s'", TUPLE_TAG_MAX, w);
	s->tag = n;
	return true;
}

static bool sampler_select_parse_stream(struct reader *r, struct sampler_stream *s)
{
	static const char *const parts[] = {"of", "in", "marked", "tag"};
	char w[WORD_MAX];
	int kind = nearest_choice(sampler_select_parse_word(r, w), tuple_kind_name,
	                          TUPLE_KIND_COUNT, "kind of tuple", r->err);
	if (kind < 0)
		return false;
	*s = (struct sampler_stream){.kind = 1 + (uint64_t)kind};
	while (*sampler_select_parse_word(r, w)) {
		int part = nearest_choice(w, parts, sizeof parts / sizeof *parts,
		                          "word of a stream", r->err);
		if (part < 0)
			return false;
		if (part == 2)
			s->marked = 1;
		else if (!(part == 0   ? sampler_select_parse_kinds(r, s)
		           : part == 1 ? sampler_select_parse_ranges(r, s)
		                       : sampler_select_parse_tag(r, s)))
			return false;
	}
	return true;
}

bool sampler_parse_select(const char *text, struct sampler_select *out, struct err *err)
{
	struct reader r = {text, err};
	struct sampler_select s = {0};
	for (;;) {
		if (s.count == SAMPLER_STREAMS_MAX)
			return err_set(err, "there are at most %d streams", SAMPLER_STREAMS_MAX);
		if (!sampler_select_parse_stream(&r, &s.stream[s.count++]))
			return false;
		if (!*r.at)
			break;
		if (*r.at != ',')
			return err_set(err,
			               "'|' belongs between kinds of instructions or ranges, not "
			               "at '%.30s'",
			               r.at);
		r.at++;
	}
	*out = s;
	return true;
}

bool sampler_check_select(const char *text, struct err *err)
{
	struct sampler_select s;
	return sampler_parse_select(text, &s, err);
}

bool sampler_check_compressor(const char *text, struct err *err)
{
	struct compressor_spec s;
	return compressor_parse(text, &s, err);
}

char *sampler_format_stream(const struct sampler_stream *s, char *buf, size_t n)
{
	size_t at = 0;
	const char *between = " of ";
#define ADD(...) (at += at < n ? (size_t)snprintf(buf + at, n - at, __VA_ARGS__) : 0)
	ADD("%s",
	    s->kind && s->kind <= TUPLE_KIND_COUNT ? tuple_kind_name[s->kind - 1] : "nothing");
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		if (!(s->kinds >> i & 1))
			continue;
		ADD("%s%s", between, inst_kind_name[i]);
		between = "|";
	}
	for (unsigned i = 0; i < s->ranges && i < SAMPLER_RANGES_MAX; i++)
		ADD("%s0x%" PRIx64 "-0x%" PRIx64, i ? "|" : " in ", s->range[i][0], s->range[i][1]);
	if (s->marked)
		ADD(" marked");
	if (s->tag)
		ADD(" tag %" PRIu64, s->tag);
#undef ADD
	return buf;
}

/* ---- picking ---- */
/* An instruction that has committed, with timing or without. */
struct seen {
	uint64_t pc, next_pc, result, addr;
	uint64_t receiver; /* a0 */
	const struct inst *in;
	unsigned flags;  /* enum op_flag */
	unsigned level;  /* enum mem_level; LEVEL_NONE without timing */
	bool delayed;    /* its line was on its way */
	unsigned size;   /* bytes accessed */
	bool mispredicted, marked;
};

/* Records the first word of an object that is loaded: it may be a method table's address. */
static void note_first_word(struct sampler_state *st, const struct seen *s)
{
	if (!(s->flags & OPF_LOAD) || s->size != 8 || s->in->imm || s->in->rd == REG_SINK)
		return;
	for (unsigned i = 0; i < FIRST_WORDS; i++) {
		if (st->first_word[i].addr == s->addr) {
			st->first_word[i].value = s->result;
			return;
		}
	}
	st->first_word[st->first_word_next] = (struct first_word){s->addr, s->result};
	st->first_word_next = (st->first_word_next + 1) % FIRST_WORDS;
}

static bool method_table(const struct sampler_state *st, const struct seen *s, uint64_t *value)
{
	for (unsigned i = 0; i < FIRST_WORDS; i++) {
		if (st->first_word[i].addr == s->receiver && s->receiver) {
			*value = st->first_word[i].value;
			return true;
		}
	}
	return false;
}

/* The second word of its tuple of this kind; false if it has none. */
static bool sampler_select_tuple_value(const struct sampler_state *st, const struct seen *s,
                                       uint64_t kind, uint64_t *value)
{
	const bool call = inst_pushes_ras(s->in);
	switch (kind) {
	case TUPLE_VALUE:
		*value = s->result;
		return s->in->rd != REG_SINK;
	case TUPLE_ADDRESS:
		*value = s->addr;
		return s->size != 0;
	case TUPLE_EDGE:
		*value = s->next_pc;
		return (s->flags & (OPF_BRANCH | OPF_INDIRECT)) && !call;
	case TUPLE_CALL:
		*value = s->next_pc;
		return call;
	case TUPLE_TYPE:
		return call && (s->flags & OPF_INDIRECT) && method_table(st, s, value);
	case TUPLE_MISPREDICT:
		*value = s->next_pc;
		return s->mispredicted;
	case TUPLE_MISS:
		*value = s->level;
		return (s->flags & OPF_LOAD) && level_is_miss(s->level, s->delayed);
	default:
		return false;
	}
}

static bool sampler_select_pc_in_ranges(const struct sampler_stream *w, uint64_t pc)
{
	for (unsigned i = 0; i < w->ranges && i < SAMPLER_RANGES_MAX; i++)
		if (pc >= w->range[i][0] && pc < w->range[i][1])
			return true;
	return !w->ranges;
}

static unsigned sampler_select_pick_tuples(struct sampler_state *st, const struct seen *s,
                                           struct tuple *out, uint8_t *kind)
{
	unsigned n = 0;
	for (uint64_t left = st->wanted[s->in->op] & WANTED_BY_STREAM; left; left &= left - 1) {
		const struct sampler_stream *w = &st->stream[__builtin_ctzll(left)];
		uint64_t value;
		if ((w->marked && !s->marked) || !sampler_select_pc_in_ranges(w, s->pc) ||
		    !sampler_select_tuple_value(st, s, w->kind - 1, &value))
			continue;
		kind[n] = (uint8_t)(w->kind - 1);
		out[n++] =
			(struct tuple){s->pc | (w->tag & TUPLE_TAG_MAX) << TUPLE_TAG_SHIFT, value};
	}
	if (st->wanted[s->in->op] & WANTED_FIRST_WORD)
		note_first_word(st, s);
	return n;
}

static struct seen seen_of(const struct uop *u, uint64_t a0)
{
	return (struct seen){
		.pc = u->pc,
		.next_pc = u->exec.next_pc,
		.result = u->result,
		.addr = u->exec.addr,
		.receiver = a0,
		.in = &u->inst,
		.flags = u->op_flags,
		.level = u->mem.level,
		.delayed = u->mem.delayed,
		.size = u->exec.size,
		.mispredicted = (u->flags & UF_MISPREDICT) != 0,
		.marked = uop_is_marked(u),
	};
}

unsigned sampler_pick_retired(struct sampler_state *st, const struct retired *r, struct tuple *out,
                              uint8_t *kind)
{
	const struct seen s = seen_of(r->u, r->a0);
	return sampler_select_pick_tuples(st, &s, out, kind);
}

bool sampler_takes(const struct sampler_state *st, const struct uop *u)
{
	/* no receiver: the words loaded through it are no longer known */
	const struct seen s = seen_of(u, 0);
	uint64_t value;
	if (u->flags & UF_MACHINE)
		return false;
	for (uint64_t left = st->wanted[s.in->op] & WANTED_BY_STREAM; left; left &= left - 1) {
		const struct sampler_stream *w = &st->stream[__builtin_ctzll(left)];
		if ((!w->marked || s.marked) && sampler_select_pc_in_ranges(w, s.pc) &&
		    sampler_select_tuple_value(st, &s, w->kind - 1, &value))
			return true;
	}
	return false;
}

unsigned sampler_pick_executed(struct sampler_state *st, const struct executed *e,
                               struct tuple *out, uint8_t *kind)
{
	const struct seen s = {
		.pc = e->pc,
		.next_pc = e->done->next_pc,
		.result = e->result,
		.addr = e->done->addr,
		.receiver = e->h->r[REG_A0],
		.in = e->in,
		.flags = inst_flags(e->in),
		.level = LEVEL_NONE,
		.size = e->done->size,
		.marked = e->marked,
	};
	return sampler_select_pick_tuples(st, &s, out, kind);
}

/* ---- operations to look at ---- */
/* Whether an instruction of this operation can have such a tuple. */
static bool can_have(enum tuple_kind kind, enum op op)
{
	const unsigned flags = op_info[op].flags;
	switch (kind) {
	case TUPLE_ADDRESS:
		return flags & OPF_MEMORY;
	case TUPLE_EDGE:
		return flags & (OPF_BRANCH | OPF_INDIRECT);
	case TUPLE_CALL:
		return flags & OPF_JUMP;
	case TUPLE_TYPE:
		return flags & OPF_INDIRECT;
	case TUPLE_MISPREDICT:
		return flags & OPF_CONTROL;
	case TUPLE_MISS:
		return flags & OPF_LOAD;
	default:
		return true;
	}
}

void sampler_streams_changed(struct sampler_state *st)
{
	st->kinds = st->plain = 0;
	memset(st->wanted, 0, sizeof st->wanted);
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		const struct sampler_stream *w = &st->stream[i];
		if (!w->kind || w->kind > TUPLE_KIND_COUNT || !(st->control & 1))
			continue;
		const enum tuple_kind kind = (enum tuple_kind)(w->kind - 1);
		if (kind == TUPLE_VALUE && !w->marked && !w->ranges)
			st->plain |= UINT64_C(1) << i;
		for (unsigned op = 0; op < OP_COUNT; op++) {
			const enum inst_kind of = inst_kind(op);
			if (can_have(kind, (enum op)op) && (!w->kinds || w->kinds >> of & 1))
				st->wanted[op] |= (uint16_t)(1u << i);
			if (kind == TUPLE_TYPE && (op_info[op].flags & OPF_LOAD) &&
			    op_info[op].mem_bytes == 8)
				st->wanted[op] |= WANTED_FIRST_WORD;
			st->kinds |= (uint64_t)(st->wanted[op] != 0) << of;
		}
	}
}
