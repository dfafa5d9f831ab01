/* Texts of the customisation modules that are part of the program. */
#include "scripting/values/value_modules.h"

#include "core/host/embedded_file.h"

#define TEXT(name) EMBEDDED_FILE(value_text_##name, "scripting/lua/values/" #name ".lua")

TEXT(results);
TEXT(args);
TEXT(addresses);
TEXT(halves);
TEXT(callers);
TEXT(jumps);
TEXT(operands);
TEXT(latency);
TEXT(cycles);
TEXT(strides);
TEXT(pairs);
TEXT(vreplay);

const struct value_shipped value_shipped[] = {
	{"results", value_text_results},     {"halves", value_text_halves},
	{"addresses", value_text_addresses}, {"args", value_text_args},
	{"callers", value_text_callers},     {"jumps", value_text_jumps},
	{"operands", value_text_operands},   {"latency", value_text_latency},
	{"cycles", value_text_cycles},
	{"strides", value_text_strides},     {"pairs", value_text_pairs},
	{"vreplay", value_text_vreplay},
};
const unsigned value_shipped_count = sizeof value_shipped / sizeof *value_shipped;
