/* Names, fields and help of events, from events.def. */
#include "core/defs/event_fields.h"

#include <string.h>

const uint8_t event_count = EV_COUNT;

#define EVENT(id, name, ...) \
	extern const uint64_t event_bit_##name; \
	const uint64_t event_bit_##name = EV_BIT(id);
#include "core/defs/events.def"
#undef EVENT

const struct event_info event_info[] = {
#define FIELD(name, type, help) {#name, FIELD_##type, help},
#define EVENT(id, name, help, ...) \
	[EV_##id] = {#name, help, sizeof(struct ev_##name) / sizeof(uint64_t), {__VA_ARGS__}},
#include "core/defs/events.def"
#undef EVENT
#undef FIELD
};

const char *const field_unit[FIELD_TYPE_COUNT] = {
#define T(id, unit) unit,
	FIELD_TYPES(T)
#undef T
};

const char *const inst_kind_name[INST_KIND_COUNT] = {
#define K(id, name) name,
	INST_KINDS(K)
#undef K
};

enum inst_kind inst_kind(unsigned op)
{
	static const enum inst_kind by_class[CLASS_COUNT] = {
		[CLASS_NOP] = INST_SYSTEM,   [CLASS_INT] = INST_INT,     [CLASS_IMUL] = INST_MUL,
		[CLASS_IDIV] = INST_DIV,     [CLASS_FADD] = INST_FP,     [CLASS_FMUL] = INST_FP,
		[CLASS_FMA] = INST_FP,       [CLASS_FDIV] = INST_FP,     [CLASS_FSQRT] = INST_FP,
		[CLASS_LOAD] = INST_LOAD,    [CLASS_STORE] = INST_STORE, [CLASS_AMO] = INST_ATOMIC,
		[CLASS_SYSTEM] = INST_SYSTEM};
	unsigned flags = op_info[op].flags;
	return flags & OPF_BRANCH ? INST_BRANCH
	       : flags & OPF_JUMP ? INST_JUMP
	                          : by_class[op_info[op].klass];
}

int event_find(const char *name)
{
	for (int i = 0; i < EV_COUNT; i++) {
		if (!strcmp(event_info[i].name, name))
			return i;
	}
	return -1;
}

int event_find_field(enum event_id id, const char *name)
{
	for (unsigned i = 0; i < event_info[id].field_count; i++) {
		if (!strcmp(event_info[id].fields[i].name, name))
			return (int)i;
	}
	return -1;
}
