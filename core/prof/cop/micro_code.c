/* The encoding's tables, valid and canonical words, and the drawing. */
#include "core/prof/cop/micro_code.h"

#include <stdio.h>
#include <string.h>

const struct micro_field_info micro_fields[MF_COUNT] = {
#define FIELD(id, unit, name, word, low, bits, help) {#unit, #name, help, word, low, bits},
#include "core/prof/cop/micro.def"
};

const struct micro_op_info micro_alu_ops[MA_COUNT] = {
#define ALU(id, name, uses, result, lt, sat, help) {name, help, uses},
#include "core/prof/cop/micro.def"
};

const struct micro_op_info micro_index_ops[MX_COUNT] = {
#define INDEX(id, name, uses, result, lt, help) {name, help, uses},
#include "core/prof/cop/micro.def"
};

const struct micro_op_info micro_cam_ops[MC_COUNT] = {
#define CAM(id, name, uses, help) {name, help, uses},
#include "core/prof/cop/micro.def"
};

const struct micro_op_info micro_data_ops[MD_COUNT] = {
#define DATA(id, name, uses, result, help) {name, help, uses},
#include "core/prof/cop/micro.def"
};

const struct micro_op_info micro_conditions[MB_COUNT] = {
#define CONDITION(id, name, when, help) {name, help, 0},
#include "core/prof/cop/micro.def"
};

#define NEEDS(field) (1u << RECORD_##field)
const struct micro_source_info micro_sources[] = {
#define SOURCE(id, name, number, count, needs, value, help) {name, help, number, count, needs},
#include "core/prof/cop/micro.def"
};

const struct micro_source_info micro_index_sources[] = {
#define INDEX_SOURCE(id, name, number, count, value, help) {name, help, number, count, 0},
#include "core/prof/cop/micro.def"
};

const struct micro_source_info micro_data_indexes[] = {
#define DATA_INDEX(id, name, number, count, value, help) {name, help, number, count, 0},
#include "core/prof/cop/micro.def"
};

const unsigned micro_source_count = sizeof micro_sources / sizeof *micro_sources;
const unsigned micro_index_source_count = sizeof micro_index_sources / sizeof *micro_index_sources;
const unsigned micro_data_index_count = sizeof micro_data_indexes / sizeof *micro_data_indexes;

/* The operations' numbers fit their fields. */
#define ALU(...) +1
static_assert(0
#include "core/prof/cop/micro.def"
              <= 32, "alu.op has 5 bits");
#define INDEX(...) +1
static_assert(0
#include "core/prof/cop/micro.def"
              <= 8, "index.op has 3 bits");
#define CAM(...) +1
static_assert(0
#include "core/prof/cop/micro.def"
              <= 8, "cam.op has 3 bits");
#define DATA(...) +1
static_assert(0
#include "core/prof/cop/micro.def"
              <= 16, "data.op has 4 bits");
#define CONDITION(...) +1
static_assert(0
#include "core/prof/cop/micro.def"
              <= 32, "branch.if has 5 bits");

const struct micro_source_info *micro_source_find(const struct micro_source_info *rows,
                                                  unsigned count, unsigned number)
{
	for (unsigned i = 0; i < count; i++)
		if (number >= rows[i].number && number < rows[i].number + rows[i].count)
			return &rows[i];
	return NULL;
}

static const struct micro_source_info *source_row(unsigned number)
{
	return micro_source_find(micro_sources, micro_source_count, number);
}

/* ---- valid ---- */
/* A bit for each number that a row has. */
#define NUMBERS(first, count) | ((((count) < 64 ? UINT64_C(1) << (count) : 0) - 1) << (first))
static const uint64_t source_numbers = 0
#define SOURCE(id, name, number, count, ...) NUMBERS(number, count)
#include "core/prof/cop/micro.def"
	;
static const uint64_t index_source_numbers = 0
#define INDEX_SOURCE(id, name, number, count, ...) NUMBERS(number, count)
#include "core/prof/cop/micro.def"
	;
static const uint64_t data_index_numbers = 0
#define DATA_INDEX(id, name, number, count, ...) NUMBERS(number, count)
#include "core/prof/cop/micro.def"
	;

static bool is_source(unsigned number)
{
	return source_numbers >> number & 1;
}

static const char *invalid_alu(const struct micro_inst *in)
{
	if (in->alu_op >= MA_COUNT)
		return "alu.op";
	if (((micro_alu_uses(in) & U_A) || micro_shares_a(in)) && !is_source(in->alu_a))
		return "alu.a";
	if ((micro_alu_uses(in) & U_B) && !is_source(in->alu_b))
		return "alu.b";
	if ((micro_index_uses(in) & U_B) && !(index_source_numbers >> in->index_b & 1))
		return "index.b";
	return NULL;
}

static const char *invalid_data(const struct micro_inst *in)
{
	if (in->data_op >= MD_COUNT)
		return "data.op";
	if (!in->data_op)
		return NULL;
	if (!(data_index_numbers >> in->data_index & 1))
		return "data.index";
	if (in->data_width > 2)
		return "data.width";
	if (in->data_lane >= 32 / micro_width_bits(in->data_width))
		return "data.lane";
	if ((micro_data_uses(in) & U_S) && !is_source(in->data_source))
		return "data.source";
	return NULL;
}

static const char *invalid_cam(const struct micro_inst *in)
{
	if (in->cam_op >= MC_COUNT)
		return "cam.op";
	return (micro_cam_uses(in) & U_S) && !is_source(in->cam_source) ? "cam.source" : NULL;
}

/* The field by which a register is written a second time; NULL: none. */
static const char *written_twice(const struct micro_inst *in)
{
	const bool alu = micro_alu_uses(in) & U_D, cam = micro_cam_uses(in) & U_D,
		   data = micro_data_writes(in);
	if ((alu && cam && in->alu_dst == in->cam_dst) ||
	    (cam && data && in->cam_dst == in->data_dst))
		return "cam.dst";
	if (alu && data && in->alu_dst == in->data_dst)
		return "data.dst";
	return (micro_index_uses(in) & U_D) && (micro_cam_uses(in) & U_X) &&
	                       in->index_dst == in->cam_index
	               ? "cam.x"
	               : NULL;
}

const char *micro_invalid(const struct micro_inst *in)
{
	const char *what;
	if ((what = invalid_alu(in)) || (what = invalid_cam(in)) || (what = invalid_data(in)) ||
	    (what = written_twice(in)))
		return what;
	return in->branch_if >= MB_COUNT ? "branch.if" : NULL;
}

/* ---- canonical ---- */
/* The index ALU's own number of a source, if it has one: it then need not take the main ALU's port.
 */
static bool own_source(unsigned source, uint16_t *out)
{
	if (source >= MS_X && source < MS_X + MICRO_INDEXES)
		*out = (uint16_t)(MIS_X + source - MS_X);
	else if (source == MS_ZERO)
		*out = MIS_ZERO;
	else if (source == MS_LITERAL)
		*out = MIS_LITERAL;
	else if (source == MS_MATCH)
		*out = MIS_MATCH;
	else
		return false;
	return true;
}

static void drop_unused(struct micro_inst *in)
{
	const unsigned alu = micro_alu_uses(in), index = micro_index_uses(in),
		       cam = micro_cam_uses(in), data = micro_data_uses(in);
	if (micro_shares_a(in))
		own_source(in->alu_a, &in->index_b);
	if (!(alu & U_D))
		in->alu_dst = 0;
	if (!(alu & U_A) && !micro_shares_a(in))
		in->alu_a = 0;
	if (!(alu & U_B))
		in->alu_b = 0;
	if (!in->alu_op)
		in->alu_size = 0;
	if (!(index & U_D))
		in->index_dst = 0;
	if (!(index & U_A))
		in->index_a = 0;
	if (!(index & U_B))
		in->index_b = 0;
	if (!(cam & (U_I | U_X)))
		in->cam_index = 0;
	if (!(cam & U_S))
		in->cam_source = 0;
	if (!(cam & U_D))
		in->cam_dst = 0;
	if (!in->data_op)
		in->data_base = in->data_index = in->data_width = in->data_lane = 0;
	if (!(data & U_S))
		in->data_source = 0;
	if (data & U_D)
		in->data_has = 1;
	else if (!(data & U_O))
		in->data_has = 0;
	if (!in->data_has)
		in->data_dst = 0;
}

/* Whether an operand is the literal. Unused fields are 0 by now, which is another source. */
static bool has_literal(const struct micro_inst *in)
{
	return in->alu_a == MS_LITERAL || in->alu_b == MS_LITERAL || in->cam_source == MS_LITERAL ||
	       in->data_source == MS_LITERAL || in->index_b == MIS_LITERAL ||
	       in->data_index == MDI_LITERAL;
}

static void plain_zero(struct micro_inst *in)
{
	uint16_t *source[] = {&in->alu_a, &in->alu_b, &in->cam_source, &in->data_source};
	for (unsigned i = 0; i < sizeof source / sizeof *source; i++)
		if (*source[i] == MS_LITERAL)
			*source[i] = MS_ZERO;
	if (in->index_b == MIS_LITERAL)
		in->index_b = MIS_ZERO;
	if (in->data_index == MDI_LITERAL)
		in->data_index = MDI_ZERO;
}

struct micro_inst micro_canonical(const struct micro_inst *word)
{
	struct micro_inst in = *word;
	if (micro_invalid(&in))
		return in;
	drop_unused(&in);
	if (!has_literal(&in))
		in.literal = 0;
	else if (!in.literal)
		plain_zero(&in);
	if (in.branch_if == MB_NEVER && !in.branch_p)
		in.branch_to = 0;
	if (in.branch_to == MTO_TARGET)
		in.branch_offset &= MICRO_TARGETS - 1;
	else if (in.branch_to != MTO_RELATIVE || (in.branch_if == MB_NEVER && !in.branch_p))
		in.branch_offset = 0;
	return in;
}

unsigned micro_needs(const struct micro_inst *word)
{
	const struct micro_inst in = micro_canonical(word);
	const unsigned used[] = {in.alu_a, in.alu_b, in.cam_source, in.data_source};
	unsigned needs = 0;
	for (unsigned i = 0; i < sizeof used / sizeof *used; i++) {
		const struct micro_source_info *row = source_row(used[i]);
		needs |= row ? row->needs : 0;
	}
	return needs;
}

/* ---- drawing ---- */
enum { BIT_COLUMNS = 3, HALF = 32, LINES_PER_HALF = 6 };

/* The field that has this bit; NULL: none. */
static const struct micro_field_info *field_at(unsigned word, unsigned bit)
{
	for (unsigned i = 0; i < MF_COUNT; i++)
		if (micro_fields[i].word == word && bit >= micro_fields[i].low &&
		    bit < micro_fields[i].low + micro_fields[i].bits)
			return &micro_fields[i];
	return NULL;
}

static void micro_code_write_column(char *line, unsigned at, const char *text, size_t most)
{
	const size_t n = strlen(text);
	memcpy(line + at, text, n < most ? n : most);
}

/* Draws one field, or the bits between two, into one of the lines of its half word. */
static void draw_field(char *line, unsigned kind, const struct micro_field_info *f,
                       const char *left, unsigned high, unsigned low)
{
	const unsigned at = (HALF - 1 - high % HALF) * BIT_COLUMNS,
		       width = (high - low + 1) * BIT_COLUMNS;
	char number[8];
	switch (kind) {
	case 1:
		snprintf(number, sizeof number, "%u", high);
		micro_code_write_column(line, at + 1, number, 2);
		snprintf(number, sizeof number, "%2u", low);
		micro_code_write_column(line, at + width - 2, number, 2);
		break;
	case 2: case 4:
		memset(line + at, '-', width);
		line[at] = line[at + width] = '+';
		break;
	case 3:
		line[at] = line[at + width] = '|';
		micro_code_write_column(line, at + 1, f ? f->name : "", width - 1);
		break;
	default:
		if (f && (!left || strcmp(left, f->unit) != 0))
			micro_code_write_column(line, at + 1, f->unit, strlen(f->unit));
		break;
	}
}

char *micro_draw_line(unsigned number, char *buf, size_t n)
{
	const unsigned half = number / LINES_PER_HALF, kind = number % LINES_PER_HALF,
		       word = half / 2, top = half % 2 ? 31 : 63;
	char line[MICRO_DRAW_COLUMNS + 1];
	const char *left = NULL;
	*buf = '\0';
	if (number >= MICRO_DRAW_LINES)
		return buf;
	if (kind == 0) {
		snprintf(buf, n, "word %u, bits %u to %u", word, top, top - 31);
		return buf;
	}
	memset(line, ' ', MICRO_DRAW_COLUMNS);
	line[MICRO_DRAW_COLUMNS] = '\0';
	for (unsigned high = top, low;; high = low - 1) {
		const struct micro_field_info *f = field_at(word, high);
		for (low = high; low > top - 31 && field_at(word, low - 1) == f; low--)
			;
		draw_field(line, kind, f, left, high, low);
		left = f ? f->unit : NULL;
		if (low == top - 31)
			break;
	}
	for (size_t end = MICRO_DRAW_COLUMNS; end && line[end - 1] == ' '; end--)
		line[end - 1] = '\0';
	snprintf(buf, n, "%s", line);
	return buf;
}
