#include "core/isa/inst.h"

const struct op_info op_info[OP_COUNT] = {
	[OP_ILLEGAL] = { .mnemonic = "illegal", .klass = CLASS_NOP },
#define OP(id, name, match, format, unit, flag, bytes, ...) \
	[OP_##id] = { .mnemonic = name, .klass = CLASS_##unit, .mem_bytes = bytes, \
	           .flags = (flag) | (CLASS_##unit == CLASS_AMO ? OPF_ATOMIC : 0) | \
	                    ((flag) & OPF_CONTROL ? OPF_REDIRECT : 0) },
#include "core/isa/rv64.def"
};
