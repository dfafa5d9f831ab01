/* Makes a microinstruction of a line of operations. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/cop/micro_build.h"

/* ---- operands: registers, fields, numbers, entries of the two arrays ---- */

static bool read_source_word(const char *word, struct operand *o)
{
	static const struct {
		char letter;
		unsigned first;
	} files[] = {{'v', MS_V}, {'k', MS_K}, {'x', MS_X}};
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		const int n = micro_register_of(word, files[i].letter);
		if (n >= 0) {
			o->number = files[i].first + (unsigned)n;
			return true;
		}
	}
	for (unsigned i = 0; i < micro_source_count; i++) {
		if (micro_sources[i].count == 1 && micro_sources[i].number != MS_LITERAL &&
		    !strcmp(word, micro_sources[i].name)) {
			o->number = micro_sources[i].number;
			return true;
		}
	}
	return false;
}

static bool unknown_operand(struct reader *r, const char *at, const char *word)
{
	struct nearest nearest;
	const struct symbol *s = symbol_find(r->symbols, word);
	const int target = micro_register_of(s && s->kind == SYMBOL_REGISTER ? s->reg : word, 't');
	if (target >= 0)
		return READ_FAIL(r, at,
		                 "'%s' is a target register, which no operation reads or writes; "
		                 "expected .target t%d = LABEL, and goto t%d there",
		                 word, target, target);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < micro_source_count; i++)
		if (micro_sources[i].count == 1)
			nearest_offer(&nearest, micro_sources[i].name);
	for (unsigned i = 0; i < r->symbols->count; i++)
		if (r->symbols->at[i].kind != SYMBOL_LABEL)
			nearest_offer(&nearest, r->symbols->at[i].name);
	if (strchr("vkxbt", *word) && strlen(word) > 1 &&
	    strspn(word + 1, "0123456789") == strlen(word + 1))
		return READ_FAIL(r, at, "no register '%s'; expected %c0 to %c%d", word, *word,
		                 *word, strchr("vk", *word) ? MICRO_VALUES - 1 : 7);
	if (s)
		return READ_FAIL(
			r, at,
			"'%s' is a label, which is no operand; expected a register, a field "
			"of the record or a number",
			word);
	return READ_FAIL(r, at, "nothing is called '%s'; %s", word,
	                 nearest_said(&nearest, "expected v0-v15, k0-k15, x0-x7, a field of the "
	                                        "record (pc, result, ...), a number"));
}

static bool set_literal(struct reader *r, struct operand *o, const char *at)
{
	if (!o->literal)
		return true;
	if (o->literal > 0xffff)
		return READ_FAIL(r, at,
		                 "%" PRId64 " does not fit the literal; expected 0 to 65535; put "
		                            "larger numbers into a constant (.const k0 = ...)",
		                 (int64_t)o->literal);
	o->has_literal = true;
	return true;
}

/* Reads the index in brackets after a base register. */
static bool read_data_index(struct reader *r, struct operand *o)
{
	char word[80];
	read_peek(r);
	const char *at = r->at;
	read_word(r, word, sizeof word);
	const struct symbol *s = symbol_find(r->symbols, word);
	const char *meant = s && s->kind == SYMBOL_REGISTER ? s->reg : word;
	const int x = micro_register_of(meant, 'x');
	if (x >= 0) {
		o->index = MDI_X + (unsigned)x;
	} else if (!strcmp(word, "match")) {
		o->index = MDI_MATCH;
	} else if (*word && (!s || s->kind != SYMBOL_NUMBER)) {
		return READ_FAIL(
			r, at, "'%s' can't be added to a base; expected x0 to x7, match, a number",
			word);
	} else {
		r->at = at;
		if (!read_number(r, &o->literal) || !set_literal(r, o, at))
			return false;
		o->index = o->has_literal ? MDI_LITERAL : MDI_ZERO;
	}
	return read_expect(r, ']', "b0[x1]");
}

static bool micro_operand_read_memory(struct reader *r, unsigned base, struct operand *o)
{
	uint64_t lane;
	o->kind = OPERAND_MEMORY;
	o->number = base;
	o->index = MDI_ZERO;
	if (read_accept(r, '[')) {
		o->bracketed = true;
		if (!read_data_index(r, o))
			return false;
	}
	if (!read_accept(r, '.'))
		return true;
	if (!read_limited(r, 3, "a lane", &lane))
		return false;
	o->lane = (unsigned)lane;
	o->has_lane = true;
	return true;
}

static bool read_cam(struct reader *r, struct operand *o)
{
	o->kind = OPERAND_CAM;
	if (!read_accept(r, '['))
		return true;
	o->kind = OPERAND_ENTRY;
	return read_register(r, 'x', &o->number) && read_expect(r, ']', "cam[x0]");
}

static bool read_operand(struct reader *r, struct operand *o)
{
	char word[80];
	const char c = read_peek(r);
	*o = (struct operand){.kind = OPERAND_SOURCE, .at = r->at};
	read_word(r, word, sizeof word);
	if (!strcmp(word, "cam"))
		return read_cam(r, o);
	const struct symbol *s = symbol_find(r->symbols, word);
	const char *meant = s && s->kind == SYMBOL_REGISTER ? s->reg : word;
	const int base = micro_register_of(meant, 'b');
	if (base >= 0)
		return micro_operand_read_memory(r, (unsigned)base, o);
	if (*word && read_source_word(meant, o))
		return true;
	if (*word && (!s || s->kind != SYMBOL_NUMBER))
		return unknown_operand(r, o->at, word);
	if (!c || c == ',' || c == '|')
		return READ_FAIL(r, r->at, "an operand is missing");
	r->at = o->at;
	if (!read_number(r, &o->literal) || !set_literal(r, o, o->at))
		return false;
	o->number = o->has_literal ? MS_LITERAL : MS_ZERO;
	return true;
}

/* ---- forms: which unit an operation is for, and how it is written ---- */

static bool bad_form(struct building *b, const struct op *op, const char *right)
{
	return READ_FAIL(b->r, op->at, "'%.*s' is not how %s is written; expected %s",
	                 (int)(op->end - op->at), op->at, op->name, right);
}

/* Number of a name in a table of operations, 0 (which does nothing) if it has none. */
static unsigned find_op(const struct micro_op_info *ops, unsigned count, const char *name)
{
	for (unsigned i = 1; i < count; i++)
		if (!strcmp(ops[i].name, name))
			return i;
	return 0;
}

static bool width_code(struct building *b, const struct op *op, unsigned largest, unsigned *code)
{
	*code = largest == 64 ? 3 : 2;
	if (!op->width)
		return true;
	for (*code = 0; micro_width_bits(*code) <= largest; ++*code)
		if (micro_width_bits(*code) == op->width)
			return true;
	return READ_FAIL(b->r, op->at, "%s.%u: no such width here; expected .8, .16, .32%s",
	                 op->name, op->width, largest == 64 ? ", .64" : "");
}

static bool no_width(struct building *b, const struct op *op, const char *kind)
{
	return !op->width || READ_FAIL(b->r, op->at, "%s has no widths (.%u); expected %s", kind,
	                               op->width, op->name);
}

static bool alu_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_alu_ops, MA_COUNT, op->name),
		       uses = micro_alu_ops[number].uses;
	const unsigned sources = (uses & U_A ? 1u : 0) + (uses & U_B ? 1u : 0),
		       dst = uses & U_D ? 1 : 0;
	char right[160];
	unsigned code;
	snprintf(right, sizeof right, "%s %s%s%s%s%s", op->name, dst ? "v0" : "",
	         dst && sources ? ", " : "", uses & U_A ? "a" : "", uses & U_B ? ", b" : "",
	         ", where a and b are sources");
	bool ok = op->count == dst + sources && (!dst || operand_is_v(&op->operand[0]));
	for (unsigned i = 0; i < op->count; i++)
		ok = ok && op->operand[i].kind == OPERAND_SOURCE;
	const struct operand *to = &op->operand[0];
	if (!ok && dst && op->count == dst + sources && to->kind == OPERAND_SOURCE &&
	    to->number >= MS_K && to->number < MS_K + MICRO_VALUES)
		return READ_FAIL(b->r, to->at,
		                 "k%u is a constant, which no operation writes; expected a value "
		                 "register, v0 to v15, or .const k%u = NUMBER",
		                 to->number - MS_K, to->number - MS_K);
	if (!ok && dst && op->count == dst + sources && to->kind == OPERAND_MEMORY &&
	    !to->bracketed)
		return READ_FAIL(b->r, to->at,
		                 "b%u is a base register, which no operation writes; expected "
		                 ".base b%u = NUMBER, or for the data array write b%u, v0",
		                 to->number, to->number, to->number);
	if (!ok)
		return bad_form(b, op, right);
	if (!claim_unit(b, UNIT_ALU, op) || !width_code(b, op, 64, &code) ||
	    (dst && !claim_v(b, op, op->operand[0].number)))
		return false;
	for (unsigned i = dst; i < op->count; i++)
		if (!take_literal(b, op, &op->operand[i]))
			return false;
	b->in.alu_op = (uint16_t)number;
	b->in.alu_size = (uint16_t)code;
	if (dst)
		b->in.alu_dst = (uint16_t)op->operand[0].number;
	if (uses & U_B)
		b->in.alu_b = (uint16_t)op->operand[dst + 1].number;
	return take_a(b, op, &op->operand[dst]);
}

/* The index ALU's second source. */
static bool index_b(struct building *b, const struct op *op, const struct operand *o)
{
	if (o->kind == OPERAND_MEMORY && !o->bracketed && !o->has_lane) {
		b->in.index_b = (uint16_t)(MIS_B + o->number);
	} else if (o->kind != OPERAND_SOURCE) {
		return READ_FAIL(
			b->r, o->at,
			"the index ALU reads registers, fields and numbers; expected x0-x7, "
			"b0-b7, match, a number, or a source of the main ALU");
	} else if (operand_is_x(o)) {
		b->in.index_b = (uint16_t)(MIS_X + o->number - MS_X);
	} else if (o->number == MS_ZERO) {
		b->in.index_b = MIS_ZERO;
	} else if (o->number == MS_LITERAL) {
		b->in.index_b = MIS_LITERAL;
	} else if (o->number == MS_MATCH) {
		b->in.index_b = MIS_MATCH;
	} else {
		b->in.index_b = MIS_A;
		return take_a(b, op, o);
	}
	return take_literal(b, op, o);
}

/* inc x1 | inc x1, x2 | inc x1, x2, b */
static bool index_step(struct building *b, const struct op *op)
{
	static const struct operand zero = {.kind = OPERAND_SOURCE, .number = MS_ZERO};
	const struct operand *from = op->count > 1 ? &op->operand[1] : &op->operand[0];
	if (!op->count || !operand_is_x(&op->operand[0]) || !operand_is_x(from))
		return bad_form(b, op,
		                !strcmp(op->name, "inc")
		                        ? "inc x0, or inc x0, x1, b: x1 + 1, but 0 if that is b"
		                        : "dec x0, or dec x0, x1, b: x1 - 1, but b - 1 below 0");
	b->in.index_dst = (uint16_t)(op->operand[0].number - MS_X);
	b->in.index_a = (uint16_t)(from->number - MS_X);
	return claim_x(b, op, b->in.index_dst) &&
	       index_b(b, op, op->count > 2 ? &op->operand[2] : &zero);
}

static bool index_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_index_ops, MX_COUNT, op->name),
		       uses = micro_index_ops[number].uses;
	const unsigned dst = uses & U_D ? 1 : 0, a = uses & U_A ? 1 : 0;
	char right[160];
	if (!no_width(b, op, "the index ALU") || !claim_unit(b, UNIT_INDEX, op))
		return false;
	b->in.index_op = (uint16_t)number;
	if (number == MX_INC || number == MX_DEC)
		return index_step(b, op);
	snprintf(right, sizeof right, "%s %s%s%sb, where b is a source", op->name,
	         dst ? "x0, " : "", a ? "x1" : "", a ? ", " : "");
	if (op->count != dst + a + 1 || (dst && !operand_is_x(&op->operand[0])) ||
	    (a && !operand_is_x(&op->operand[dst])))
		return bad_form(b, op, right);
	if (a)
		b->in.index_a = (uint16_t)(op->operand[dst].number - MS_X);
	if (dst) {
		b->in.index_dst = (uint16_t)(op->operand[0].number - MS_X);
		if (!claim_x(b, op, b->in.index_dst))
			return false;
	}
	return index_b(b, op, &op->operand[dst + a]);
}

static bool cam_source(struct building *b, const struct op *op, const struct operand *o)
{
	b->in.cam_source = (uint16_t)o->number;
	return take_literal(b, op, o);
}

static bool cam_op(struct building *b, const struct op *op)
{
	const struct operand *o = op->operand;
	const bool entry0 = op->count > 0 && o[0].kind == OPERAND_ENTRY,
		   all = op->count == 1 && o[0].kind == OPERAND_CAM;
	if (!no_width(b, op, "the associative array") || !claim_unit(b, UNIT_CAM, op))
		return false;
	if (!strcmp(op->name, "match") || !strcmp(op->name, "free")) {
		const bool match = *op->name == 'm';
		if (op->count != (match ? 2u : 1u) || !operand_is_x(&o[0]) ||
		    (match && o[1].kind != OPERAND_SOURCE))
			return bad_form(b, op, match ? "match x0, source" : "free x0");
		b->in.cam_op = match ? MC_MATCH : MC_FREE;
		b->in.cam_index = (uint16_t)(o[0].number - MS_X);
		return claim_x(b, op, b->in.cam_index) && (!match || cam_source(b, op, &o[1]));
	}
	if (!strcmp(op->name, "read")) {
		if (op->count != 2 || !operand_is_v(&o[0]) || o[1].kind != OPERAND_ENTRY)
			return bad_form(b, op, "read v0, cam[x0]");
		b->in.cam_op = MC_READ;
		b->in.cam_index = (uint16_t)o[1].number;
		b->in.cam_dst = (uint16_t)o[0].number;
		return claim_v(b, op, o[0].number);
	}
	if (!strcmp(op->name, "write")) {
		if (op->count != 2 || !entry0 || o[1].kind != OPERAND_SOURCE)
			return bad_form(b, op, "write cam[x0], source");
		b->in.cam_op = MC_WRITE;
		b->in.cam_index = (uint16_t)o[0].number;
		return cam_source(b, op, &o[1]);
	}
	if (strcmp(op->name, "invalidate") != 0 || op->count != 1 || !(entry0 || all))
		return READ_FAIL(
			b->r, op->at,
			"'%.*s': the associative array can't do that; expected match x0, a; "
			"free x0; read v0, cam[x0]; write cam[x0], a; "
			"invalidate cam[x0]; invalidate cam",
			(int)(op->end - op->at), op->at);
	b->in.cam_op = entry0 ? MC_INVALIDATE : MC_INVALIDATE_ALL;
	b->in.cam_index = entry0 ? (uint16_t)o[0].number : 0;
	return true;
}

/* read v0, b0[x0] | write b0[x0], a | inc b0[x0] | inc v0, b0[x0] | add v0, b0[x0], a */
static bool data_op(struct building *b, const struct op *op)
{
	const unsigned number = find_op(micro_data_ops, MD_COUNT, op->name),
		       uses = micro_data_ops[number].uses;
	const unsigned dst = op->count && operand_is_v(&op->operand[0]) ? 1 : 0,
		       sources = uses & U_S ? 1 : 0;
	const struct operand *m = &op->operand[dst];
	char right[240];
	unsigned code;
	snprintf(right, sizeof right, "%s %sb0[x0]%s, with a width as in %s.8", op->name,
	         uses & U_D ? "v0, " : "", sources ? ", source" : "", op->name);
	if (op->count != dst + 1 + sources || m->kind != OPERAND_MEMORY ||
	    (sources && m[1].kind != OPERAND_SOURCE) || ((uses & U_D) && !dst) ||
	    (!(uses & (U_D | U_O)) && dst))
		return bad_form(b, op, right);
	if (!claim_unit(b, UNIT_DATA, op) || !width_code(b, op, 32, &code) ||
	    (dst && !claim_v(b, op, op->operand[0].number)) || !take_literal(b, op, m))
		return false;
	if (m->lane >= 32 / micro_width_bits(code))
		return READ_FAIL(b->r, m->at,
		                 "no lane %u of %u bits in a word of 32; expected 0 to %u", m->lane,
		                 micro_width_bits(code), 32 / micro_width_bits(code) - 1);
	b->in.data_op = (uint16_t)number;
	b->in.data_base = (uint16_t)m->number;
	b->in.data_index = (uint16_t)m->index;
	b->in.data_width = (uint16_t)code;
	b->in.data_lane = (uint16_t)m->lane;
	b->in.data_has = (uint16_t)dst;
	b->in.data_dst = dst ? (uint16_t)op->operand[0].number : 0;
	if (!sources)
		return true;
	b->in.data_source = (uint16_t)m[1].number;
	return take_literal(b, op, &m[1]);
}

/* ---- which unit ---- */
static bool unknown_op(struct building *b, const struct op *op)
{
	static const char *const words[] = {"if", "goto", "done", "interrupt", "nop"};
	struct nearest nearest;
	nearest_init(&nearest, op->name);
	for (unsigned i = 1; i < MA_COUNT; i++)
		nearest_offer(&nearest, micro_alu_ops[i].name);
	for (unsigned i = 1; i < MX_COUNT; i++)
		nearest_offer(&nearest, micro_index_ops[i].name);
	for (unsigned i = 1; i < MC_COUNT; i++)
		nearest_offer(&nearest, micro_cam_ops[i].name);
	for (unsigned i = 1; i < MD_COUNT; i++)
		nearest_offer(&nearest, micro_data_ops[i].name);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&nearest, words[i]);
	return READ_FAIL(b->r, op->at, "no operation '%s'; %s", op->name,
	                 nearest_said(&nearest, "expected one of `cyclops help microcode`"));
}

static bool place_op(struct building *b, const struct op *op)
{
	const bool alu = find_op(micro_alu_ops, MA_COUNT, op->name),
		   index = find_op(micro_index_ops, MX_COUNT, op->name),
		   cam = find_op(micro_cam_ops, MC_COUNT, op->name),
		   data = find_op(micro_data_ops, MD_COUNT, op->name);
	const struct operand *o = op->operand;
	bool memory = false, entry = false;
	for (unsigned i = 0; i < op->count; i++) {
		memory = memory || (o[i].kind == OPERAND_MEMORY &&
		                    (i == 0 || o[i].bracketed || o[i].has_lane ||
		                     (i == 1 && operand_is_v(&o[0]))));
		entry = entry || o[i].kind == OPERAND_ENTRY || o[i].kind == OPERAND_CAM;
	}
	if (!alu && !index && !cam && !data)
		return unknown_op(b, op);
	if (cam && (entry || !data))
		return cam_op(b, op);
	if (data && (memory || !(alu || index)))
		return data_op(b, op);
	if (index && ((op->count && operand_is_x(&o[0]) &&
	               !(alu && !strcmp(op->name, "cmp") && op->width)) ||
	              !alu))
		return index_op(b, op);
	return alu_op(b, op);
}

/* ---- branches ---- */

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
static bool micro_read_branch(struct building *b, struct op *op)
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
		return micro_read_branch(b, &op);
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
			return READ_FAIL(r, r->at, "an operand is missing after the comma");
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
