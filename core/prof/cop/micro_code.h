/* The encoding of microinstructions: core/prof/cop/micro.def as C.
 *
 * A word whose fields are all within their tables is valid. Several words may mean the same: they
 * differ in fields of a unit that does nothing, in operands that an operation does not have, or in
 * a literal of 0 for the source `zero`. The assembler makes only one of them, the canonical word.
 */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_CODE_H
#define CYCLOPS_CORE_PROF_COP_MICRO_CODE_H

#include <stddef.h>

#include "core/prof/cop/micro.h"

enum micro_field {
#define FIELD(id, ...) MF_##id,
#include "core/prof/cop/micro.def"
	MF_COUNT
};

/* The fields of a word, by name; the branch's offset without its sign's extension. */
struct micro_inst {
#define FIELD(id, ...) uint16_t id;
#include "core/prof/cop/micro.def"
};

struct micro_field_info {
	const char *unit, *name, *help;
	uint8_t word, low, bits;
};

enum micro_alu_op {
#define ALU(id, ...) MA_##id,
#include "core/prof/cop/micro.def"
	MA_COUNT
};

enum micro_index_op {
#define INDEX(id, ...) MX_##id,
#include "core/prof/cop/micro.def"
	MX_COUNT
};

enum micro_cam_op {
#define CAM(id, ...) MC_##id,
#include "core/prof/cop/micro.def"
	MC_COUNT
};

enum micro_data_op {
#define DATA(id, ...) MD_##id,
#include "core/prof/cop/micro.def"
	MD_COUNT
};

enum micro_condition {
#define CONDITION(id, ...) MB_##id,
#include "core/prof/cop/micro.def"
	MB_COUNT
};

/* Numbers of the sources: the first of several registers. */
enum {
#define SOURCE(id, name, number, ...) MS_##id = number,
#define INDEX_SOURCE(id, name, number, ...) MIS_##id = number,
#define DATA_INDEX(id, name, number, ...) MDI_##id = number,
#include "core/prof/cop/micro.def"
};

enum micro_to { MTO_RELATIVE, MTO_TARGET, MTO_DONE, MTO_INTERRUPT };

/* Operands of an operation. */
enum micro_uses {
	U_D = 1 << 0, /* a destination */
	U_A = 1 << 1, /* source a */
	U_B = 1 << 2, /* source b */
	U_S = 1 << 3, /* source */
	U_I = 1 << 4, /* an index register that it reads */
	U_X = 1 << 5, /* one that it writes */
	U_O = 1 << 6, /* a destination that may be missing */
};

struct micro_op_info {
	const char *name, *help;
	uint8_t uses;
};

struct micro_source_info {
	const char *name, *help;
	uint8_t number, count;
	uint16_t needs; /* 1 << enum record_field */
};

extern const struct micro_field_info micro_fields[MF_COUNT];
extern const struct micro_op_info micro_alu_ops[MA_COUNT], micro_index_ops[MX_COUNT],
	micro_cam_ops[MC_COUNT], micro_data_ops[MD_COUNT], micro_conditions[MB_COUNT];
extern const struct micro_source_info micro_sources[], micro_index_sources[], micro_data_indexes[];
extern const unsigned micro_source_count, micro_index_source_count, micro_data_index_count;

/* The row of a source's number; NULL if there is none. */
const struct micro_source_info *micro_source_find(const struct micro_source_info *rows,
                                                  unsigned count, unsigned number);

static inline struct micro_inst micro_unpack(struct micro_word w)
{
	return (struct micro_inst){
#define FIELD(id, unit, name, word, low, bits, help)                                               \
	.id = (uint16_t)(w.w[word] >> (low) & ((UINT64_C(1) << (bits)) - 1)),
#include "core/prof/cop/micro.def"
	};
}

/* Fields that are too wide lose their upper bits. */
static inline struct micro_word micro_pack(const struct micro_inst *in)
{
	struct micro_word w = {{0, 0}};
#define FIELD(id, unit, name, word, low, bits, help)                                               \
	w.w[word] |= ((uint64_t)in->id & ((UINT64_C(1) << (bits)) - 1)) << (low);
#include "core/prof/cop/micro.def"
	return w;
}

/* The branch's offset with its sign. */
static inline int micro_offset(const struct micro_inst *in)
{
	return in->branch_offset & 0x40 ? in->branch_offset - 0x80 : in->branch_offset;
}

/* Bits of a width's code. */
static inline unsigned micro_width_bits(unsigned code)
{
	return 8u << code;
}

/* enum micro_uses of each unit in this microinstruction. */
static inline unsigned micro_alu_uses(const struct micro_inst *in)
{
	return in->alu_op < MA_COUNT ? micro_alu_ops[in->alu_op].uses : 0;
}

static inline unsigned micro_index_uses(const struct micro_inst *in)
{
	return micro_index_ops[in->index_op].uses;
}

static inline unsigned micro_cam_uses(const struct micro_inst *in)
{
	return in->cam_op < MC_COUNT ? micro_cam_ops[in->cam_op].uses : 0;
}

static inline unsigned micro_data_uses(const struct micro_inst *in)
{
	return in->data_op < MD_COUNT ? micro_data_ops[in->data_op].uses : 0;
}

/* Whether the data array writes a value register. */
static inline bool micro_data_writes(const struct micro_inst *in)
{
	const unsigned uses = micro_data_uses(in);
	return (uses & U_D) || ((uses & U_O) && in->data_has);
}

/* Whether the index ALU takes the main ALU's first source. */
static inline bool micro_shares_a(const struct micro_inst *in)
{
	return (micro_index_uses(in) & U_B) && in->index_b == MIS_A;
}

/* ---- core/prof/cop/micro_run.c ---- */
/* Values that a microinstruction's operations read; 0 if they read none. */
struct micro_operands {
	uint64_t a, b;       /* of the main ALU, cut to its width */
	uint16_t xa, xb;     /* of the index ALU */
	uint32_t cam, data;
	uint32_t entry;      /* of the associative array, from the index register */
	uint32_t address;    /* word of the data array */
};
void micro_read_operands(const struct micro *m, const struct micro_inst *in,
                         const struct cop_record *r, struct micro_operands *o);
/* Value of a source (micro_sources), with this record and literal. */
uint64_t micro_source_value(const struct micro *m, const struct cop_record *r, uint64_t literal,
                            unsigned number);

/* NULL, or the name of an invalid field ("alu.op"): a number not in its table, or a register that
 * another unit writes, too. */
const char *micro_invalid(const struct micro_inst *in);
/* The canonical word that means the same; an invalid word is returned unchanged. */
struct micro_inst micro_canonical(const struct micro_inst *word);
/* Record fields that its sources need: 1 << enum record_field. */
unsigned micro_needs(const struct micro_inst *word);

/* A line of the drawing of the words, from 0 on; "" after the last. Returns buf. */
char *micro_draw_line(unsigned number, char *buf, size_t n);
enum { MICRO_DRAW_COLUMNS = 97, MICRO_DRAW_LINES = 24 };

/* Text that assembles to the canonical word: "match x0, pc | if miss goto +3". For an invalid word,
 * the invalid field in <>. With labels: micro_text() of micro_asm.h. Returns buf; MICRO_TEXT_MAX is
 * enough. */
char *micro_disassemble(struct micro_word w, char *buf, size_t n);
enum { MICRO_TEXT_MAX = 256 };

/* micro_perform.c: executes a microinstruction; its successor is in t->next. Returns a fault, with
 * nothing executed, or MICRO_FAULT_NONE. */
enum micro_fault micro_perform(struct micro *m, const struct micro_slot *s,
                               const struct cop_record *r, struct micro_trace *t);

/* Where the branch of the microinstruction at `at` leads if it is taken. */
struct micro_next micro_branch_goal(const struct micro_state *st, const struct micro_inst *in,
                                     uint16_t at);

#endif
