#include "core/isa/op.h"

const unsigned op_count = OP_COUNT;

/* A row's flags, and the flags that follow from its other columns. */
#define FLAGS(unit, flag)                                                                          \
	((flag) | (CLASS_##unit == CLASS_AMO ? OPF_ATOMIC : 0) |                                   \
	 ((flag) & OPF_CONTROL ? OPF_REDIRECT : 0))

const struct op_info op_info[OP_ALL] = {
	[OP_ILLEGAL] = { .mnemonic = "illegal", .klass = CLASS_NOP },
#define OP(id, name, match, format, unit, flag, bytes, ...) \
	[OP_##id] = { .mnemonic = name, .klass = CLASS_##unit, .mem_bytes = bytes, \
	              .flags = FLAGS(unit, flag) },
#include "core/isa/rv64.def"
#define OP32(id, name, unit, flag, bytes, ...) \
	[OP_RV32_##id] = { .mnemonic = name, .klass = CLASS_##unit, .mem_bytes = bytes, \
	                   .flags = FLAGS(unit, flag) },
#include "core/isa/rv32.def"
};

const uint16_t form_flags[OP_FORM(OP_ALL, 4)] = {
#define OP(id, name, match, format, unit, flag, ...) \
	[OP_FORM(OP_##id, 0)] = FLAGS(unit, flag), [OP_FORM(OP_##id, 2)] = FLAGS(unit, flag), \
	[OP_FORM(OP_##id, 4)] = FLAGS(unit, flag),
#include "core/isa/rv64.def"
#define OP32(id, name, unit, flag, ...) \
	[OP_FORM(OP_RV32_##id, 0)] = FLAGS(unit, flag), \
	[OP_FORM(OP_RV32_##id, 2)] = FLAGS(unit, flag), \
	[OP_FORM(OP_RV32_##id, 4)] = FLAGS(unit, flag),
#include "core/isa/rv32.def"
};

static const uint16_t rv64_op[OP_ALL - OP_COUNT] = {
#define OP32(id, ...) [OP_RV32_##id - OP_COUNT] = OP_##id,
#include "core/isa/rv32.def"
};

unsigned inst_rv64_op(unsigned op)
{
	return op < OP_COUNT ? op : rv64_op[op - OP_COUNT];
}

static const uint8_t extension_of[OP_ALL] = {
#define EXTENSION(id, name, probe, first, last) [OP_##first ... OP_##last] = EXT_##id,
#include "core/isa/rv64.def"
};

/* True for short forms of Zcb: funct3 4 of quadrant 0, and the two reserved rows of C's
 * arithmetic. */
static bool is_zcb(const struct inst *in)
{
	return in->len == 2 && ((in->raw & 0xe003) == 0x8000 || (in->raw & 0xfc43) == 0x9c41);
}

enum extension inst_extension(const struct inst *in)
{
	if (in->op == OP_ILLEGAL)
		return EXT_NONE;
	return is_zcb(in) ? EXT_ZCB : (enum extension)extension_of[in->op];
}

const char *extension_name(enum extension e)
{
	static const char *const names[EXT_COUNT] = {
		[EXT_NONE] = "rv64gc",
		[EXT_ZCB] = "zcb",
#define EXTENSION(id, name, ...) [EXT_##id] = name,
#include "core/isa/rv64.def"
	};
	return names[e];
}
