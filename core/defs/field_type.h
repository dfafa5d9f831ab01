/* Types of fields: how to read a 64-bit word of an event or of an instruction in flight.
 */
#ifndef CYCLOPS_CORE_DEFS_FIELD_TYPE_H
#define CYCLOPS_CORE_DEFS_FIELD_TYPE_H

/*    id, unit or kind, for display */
#define FIELD_TYPES(T) \
	T(NUMBER, "") \
	T(FLAG, "true or false") \
	T(BYTES, "bytes") \
	T(CYCLE, "cycle") \
	T(CYCLES, "cycles") \
	T(SEQ, "seq") \
	T(ADDRESS, "byte address") \
	T(PC, "address") \
	T(VALUE, "64-bit value") \
	T(OP, "") \
	T(REG, "") \
	T(STATE, "") \
	T(LEVEL, "none, forward, buffer, l1, l2 or memory") \
	T(POOL, "int, imuldiv, fadd, fmuldiv or mem") \
	T(TRAP, "") \
	T(BDT_ACTION, "made, grew, unlocked, updated, stale, cut or cleared") \
	T(TUPLE_KIND, "value, address, edge, call, type, mispredict or miss") \
	T(COMPRESS_ACT, "counted, sampled, E1 to E6a, hit, placed, replaced or full") \
	T(INST_KIND, "load, store, atomic, branch, jump, int, mul, div, fp or system") \
	T(COP_STEP, "on, done, interrupt, fault or skipped") \
	T(MICRO_FAULT, "none, or what was out of range") \
	T(VSAMPLE_STOP, "length, trap, syscall, ..., as vsample.stop_* have it") \
	T(REPLAY, "order, size or synonym") \
	T(SYSCALL, "by name") \
	T(SIGNAL, "by name") \
	T(WHY, "") \
	T(INST, "")

enum field_type {
#define T(id, unit) FIELD_##id,
	FIELD_TYPES(T)
#undef T
	FIELD_TYPE_COUNT
};

extern const char *const field_unit[FIELD_TYPE_COUNT];

#endif
