/* The microassembler's branches. */
#include <inttypes.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/cop/micro_build.h"

static bool read_offset(struct building *b, const char *at)
{
	struct reader *r = b->r;
	uint64_t to = 0;
	int64_t offset;
	const char sign = read_peek(r);
	if (sign == '+' || sign == '-') {
		r->at++;
		if (!read_limited(r, 64, "an offset", &to))
			return false;
		offset = sign == '-' ? -(int64_t)to : (int64_t)to;
	} else {
		if (!read_label(r, &to))
			return false;
		offset = (int64_t)to - (int64_t)b->at;
	}
	if (offset < -64 || offset > 63)
		return READ_FAIL(r, at,
		                 "%" PRId64
		                 " microinstructions are too far; expected -64 to 63, or "
		                 "through a register: .target t0 = LABEL, goto t0",
		                 offset);
	b->in.branch_to = MTO_RELATIVE;
	b->in.branch_offset = (uint16_t)(offset & 0x7f);
	return true;
}

static bool read_goal(struct building *b)
{
	struct reader *r = b->r;
	char word[80];
	read_peek(r);
	const char *at = r->at;
	read_word(r, word, sizeof word);
	if (!strcmp(word, "done") || !strcmp(word, "interrupt")) {
		b->in.branch_to = *word == 'd' ? MTO_DONE : MTO_INTERRUPT;
		return true;
	}
	if (strcmp(word, "goto") != 0)
		return READ_FAIL(r, at,
		                 "no target; expected goto LABEL, goto t0, done or interrupt");
	read_peek(r);
	at = r->at;
	read_word(r, word, sizeof word);
	const struct symbol *s = symbol_find(r->symbols, word);
	const int t = micro_register_of(s && s->kind == SYMBOL_REGISTER ? s->reg : word, 't');
	if (t < 0) {
		r->at = at;
		return read_offset(b, at);
	}
	b->in.branch_to = MTO_TARGET;
	b->in.branch_offset = (uint16_t)t;
	return true;
}

static bool read_condition(struct building *b)
{
	struct nearest nearest;
	char word[80];
	const char *at = read_word(b->r, word, sizeof word);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < MB_COUNT; i++) {
		if (!strcmp(word, micro_conditions[i].name)) {
			b->in.branch_if = (uint16_t)i;
			return true;
		}
		nearest_offer(&nearest, micro_conditions[i].name);
	}
	return READ_FAIL(b->r, at, "no condition '%s'; %s", word,
	                 nearest_said(&nearest,
	                              "expected z nz lt ge sat nsat (ALU), xz xnz xlt xge (index), "
	                              "hit miss (cam), csat ncsat cz cnz (data)"));
}

/* [if COND] goto LABEL | goto tN | done | interrupt [likely | unlikely] */
bool read_branch(struct building *b, struct op *op)
{
	struct reader *r = b->r;
	r->at = op->at;
	const struct micro_inst before = b->in;
	const bool conditional = read_accept_word(r, "if");
	b->in.branch_if = MB_ALWAYS;
	if (conditional && !read_condition(b))
		return false;
	if (!read_goal(b))
		return false;
	const bool likely = read_accept_word(r, "likely");
	b->in.branch_p =
		likely || (!read_accept_word(r, "unlikely") && b->in.branch_if == MB_ALWAYS);
	op->end = r->at;
	if (!b->unit[UNIT_BRANCH].at)
		return claim_unit(b, UNIT_BRANCH, op);
	b->in = before;
	return claim_unit(b, UNIT_BRANCH, op);
}
