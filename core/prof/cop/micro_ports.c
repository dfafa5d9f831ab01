/* Allocation of a microinstruction's units, ports and registers to its operations. */
#include <inttypes.h>
#include <stdio.h>

#include "core/prof/cop/micro_build.h"

static const char *const unit_what[UNIT_COUNT] = {"the main ALU", "the index ALU",
                                                  "the associative array's port",
                                                  "the data array's port", "the branch slot"};

static bool micro_ports_claim_resource(struct building *b, struct span *s, const struct op *op,
                                       const char *what)
{
	if (s->at)
		return READ_FAIL(
			b->r, op->at,
			"both '%.*s' (column %u) and '%.*s' need %s; use two microinstructions",
			(int)(s->end - s->at), s->at, (unsigned)(s->at - b->r->line) + 1,
			(int)(op->end - op->at), op->at, what);
	*s = (struct span){op->at, op->end};
	return true;
}

bool claim_unit(struct building *b, enum unit u, const struct op *op)
{
	return micro_ports_claim_resource(b, &b->unit[u], op, unit_what[u]);
}

bool claim_v(struct building *b, const struct op *op, unsigned n)
{
	char what[16];
	snprintf(what, sizeof what, "to write v%u", n);
	return micro_ports_claim_resource(b, &b->wrote_v[n], op, what);
}

bool claim_x(struct building *b, const struct op *op, unsigned n)
{
	char what[16];
	snprintf(what, sizeof what, "to write x%u", n);
	return micro_ports_claim_resource(b, &b->wrote_x[n], op, what);
}

bool take_literal(struct building *b, const struct op *op, const struct operand *o)
{
	if (!o->has_literal)
		return true;
	if (b->literal.at && b->in.literal != o->literal)
		return READ_FAIL(b->r, o->at,
		                 "two literals, %u ('%.*s', column %u) and %" PRIu64
		                 ": there is room for one; put one of them into a constant (.const "
		                 "k0 = ...)",
		                 b->in.literal, (int)(b->literal.end - b->literal.at),
		                 b->literal.at, (unsigned)(b->literal.at - b->r->line) + 1,
		                 o->literal);
	b->literal = (struct span){op->at, op->end};
	b->in.literal = (uint16_t)o->literal;
	return true;
}

/* Takes the main ALU's first source, which the index ALU may share. */
bool take_a(struct building *b, const struct op *op, const struct operand *o)
{
	if (b->port_a.at && b->in.alu_a != o->number)
		return READ_FAIL(b->r, o->at,
		                 "both '%.*s' (column %u) and '%.*s' need the main ALU's first "
		                 "source; use the same one, or two microinstructions",
		                 (int)(b->port_a.end - b->port_a.at), b->port_a.at,
		                 (unsigned)(b->port_a.at - b->r->line) + 1, (int)(op->end - op->at),
		                 op->at);
	b->port_a = (struct span){op->at, op->end};
	b->in.alu_a = (uint16_t)o->number;
	return true;
}
