/* Makes a microinstruction of a line of operations. */
#include <ctype.h>
#include <string.h>

#include "core/prof/cop/micro_build.h"

static bool read_op(struct building *b)
{
	struct reader *r = b->r;
	struct op op = {0};
	uint64_t width = 0;
	read_peek(r);
	op.at = read_word(r, op.name, sizeof op.name);
	op.end = r->at;
	if (!*op.name)
		return READ_FAIL(r, op.at,
		                 "an operation is missing; expected one as in 'match x0, pc | if "
		                 "miss goto new'");
	if (!strcmp(op.name, "if") || !strcmp(op.name, "goto") || !strcmp(op.name, "done") ||
	    !strcmp(op.name, "interrupt"))
		return read_branch(b, &op);
	if (!strcmp(op.name, "nop"))
		return true;
	if (r->at < r->end && *r->at == '.') {
		r->at++;
		if (!read_limited(r, 64, "a width", &width))
			return false;
		op.width = (unsigned)width;
		if (!width)
			return READ_FAIL(r, op.at, "a width of 0; expected .8, .16, .32 or .64");
	}
	while (read_peek(r) && *r->at != '|') {
		if (op.count == OPERANDS_MAX)
			return READ_FAIL(r, r->at,
			                 "%s has at most %d operands; separate operations by |",
			                 op.name, OPERANDS_MAX);
		if (!read_operand(r, &op.operand[op.count++]))
			return false;
		for (op.end = r->at; op.end > op.at && isspace((unsigned char)op.end[-1]); op.end--)
			;
		if (!read_accept(r, ','))
			break;
		if (!read_peek(r) || *r->at == '|')
			return READ_FAIL(r, r->at, "an operand is missing behind the comma");
	}
	return place_op(b, &op);
}

bool read_operations(struct reader *r, unsigned at, struct micro_inst *out)
{
	struct building b = {.r = r, .at = at};
	do {
		if (!read_op(&b))
			return false;
	} while (read_accept(r, '|'));
	if (!read_end(r, "operations separated by |, operands by commas"))
		return false;
	*out = micro_canonical(&b.in);
	return true;
}
