#include "ui/help/help_microcode.h"

#include <stdio.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"
#include "ui/console/command.h"

/* Formats an operation as source, with its name and operands. Returns buf. */
static char *help_microcode_format_op(const struct micro_op_info *op, const char *dst,
                                      const char *a, const char *b, char *buf, size_t n)
{
	const char *parts[] = {op->uses & U_D ? dst : NULL, op->uses & (U_A | U_I | U_X) ? a : NULL,
	                       op->uses & (U_B | U_S) ? b : NULL};
	size_t used = (size_t)snprintf(buf, n, "%s", op->name);
	for (unsigned i = 0, put = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i] && *parts[i] && used < n)
			used += (size_t)snprintf(buf + used, n - used, "%s%s", put++ ? ", " : " ",
			                         parts[i]);
	return buf;
}

static void put_alu(struct console *c)
{
	char form[64];
	console_print(c, "\nMain ALU, of 64 bits, or of the suffix `.8`, `.16` or `.32`: it reads "
	                 "that many bits of its sources,\n"
	                 "the other bits of the result are 0. Any source will do.\n");
	for (unsigned i = 1; i < MA_COUNT; i++)
		console_print(c, "  %-22s %s\n",
		              help_microcode_format_op(&micro_alu_ops[i], "v0", "a", "b", form,
		                                       sizeof form),
		              micro_alu_ops[i].help);
}

static void put_index(struct console *c)
{
	char form[64];
	console_print(c, "\nIndex ALU, of 16 bits. a is an index register, b is x0-x7, b0-b7, "
	                 "match, a number, or any other source, which then\n"
	                 "occupies the port of the main ALU's first source: both may read the same "
	                 "one. Operations with an index\n"
	                 "register as first operand are the index ALU's; `cmp.64 x0, v1` is the "
	                 "main ALU's.\n");
	for (unsigned i = 1; i < MX_COUNT; i++)
		console_print(c, "  %-22s %s\n",
		              help_microcode_format_op(&micro_index_ops[i], "x0", "x1", "b", form,
		                                       sizeof form),
		              micro_index_ops[i].help);
	console_print(c, "  %-22s %s\n", "inc x0", "x0 + 1, as inc x0, x0, zero; dec likewise");
}

static const char *cam_form(unsigned op, char *buf, size_t n)
{
	if (op == MC_INVALIDATE_ALL)
		return "invalidate cam";
	return help_microcode_format_op(&micro_cam_ops[op], "v0",
	                                micro_cam_ops[op].uses & U_X ? "x0" : "cam[x0]", "source",
	                                buf, n);
}

static void put_arrays(struct console *c)
{
	char form[64];
	console_print(c, "\nAssociative array: entries of 32 bits, each valid or not. One "
	                 "operation in a microinstruction.\n");
	for (unsigned i = 1; i < MC_COUNT; i++)
		console_print(c, "  %-22s %s\n", cam_form(i, form, sizeof form),
		              micro_cam_ops[i].help);
	console_print(c, "\nData array: words of 32 bits. A suffix `.8` or `.16` of the name is a "
	                 "counter's width, `.LANE` after the word selects one of\n"
	                 "the word's counters, lowest bits first. One operation in a "
	                 "microinstruction; all but write may put the\n"
	                 "new value into a value register: `inc.8 v1, b1[x0].2`.\n");
	for (unsigned i = 1; i < MD_COUNT; i++) {
		struct micro_op_info op = micro_data_ops[i];
		op.uses |= U_I;
		console_print(
			c, "  %-22s %s\n",
			help_microcode_format_op(&op, "v0", "b0[x0]", "source", form, sizeof form),
			op.help);
	}
	console_print(c,
	              "Address of the word: a base register plus the value in brackets, one of\n");
	for (unsigned i = 0; i < micro_data_index_count; i++)
		console_print(c, "  %-22s %s\n", micro_data_indexes[i].name,
		              micro_data_indexes[i].help);
}

static void put_branches(struct console *c)
{
	console_print(c, "\nBranch: [if CONDITION] goto LABEL | goto t0 | done | interrupt [likely "
	                 "| unlikely]\n"
	                 "done: the next record's routine. interrupt: the same, but the engine "
	                 "halts until the host lets it go on. Labels are\n"
	                 "at most 64 microinstructions back or 63 on. The branch sees the "
	                 "conditions that its own microinstruction sets;\n"
	                 "each unit keeps its own until its next operation. A wrong prediction "
	                 "costs two clocks; a likely branch is\n"
	                 "predicted taken; without a hint, so is an unconditional one.\n");
	for (unsigned i = 1; i < MB_COUNT; i++)
		console_print(c, "  %-22s %s\n", micro_conditions[i].name,
		              micro_conditions[i].help);
}

static void help_microcode_print_sources(struct console *c)
{
	console_print(c, "\nSources. A microinstruction has room for one number; put others into "
	                 "constants.\n");
	for (unsigned i = 0; i < micro_source_count; i++) {
		const struct micro_source_info *s = &micro_sources[i];
		char name[32];
		snprintf(name, sizeof name, s->count > 1 ? "%s0-%s%u" : "%s", s->name, s->name,
		         s->count - 1u);
		console_print(c, "  %-22s %s\n", name, s->help);
	}
	console_print(c, "Numbers with a name in every program, bits of `events`:\n");
	for (unsigned i = 0; i < RECORD_EVENT_COUNT; i++)
		console_print(c, "  %-22s %s\n", record_event_name[i], record_event_help[i]);
	console_print(c, "and classes, for `class`: CLASS_LOAD, CLASS_STORE, ... of");
	for (unsigned i = 0; i < INST_KIND_COUNT; i++)
		console_print(c, "%s %s", i ? "," : "", inst_kind_name[i]);
	console_print(c, ".\n");
}

static void put_directives(struct console *c)
{
	console_print(c, "\nDirectives. A NUMBER may be computed: + - * / & << >> ( ), 0x1f, "
	                 "0b101, names of numbers.\n");
	for (unsigned i = 0; i < micro_directive_count; i++)
		console_print(c, "  %s\n      %s\n", micro_directives[i].usage,
		              micro_directives[i].help);
	console_print(c, "Fields that records may carry, a word each after the first, which has "
	                 "class, events and latency:\n");
	for (unsigned i = 0; i < RECORD_FIELD_COUNT; i++)
		console_print(c, "  %-22s %s\n", record_field_name[i], record_field_help[i]);
}

static void put_encoding(struct console *c)
{
	char line[MICRO_DRAW_COLUMNS + 1];
	console_print(c, "\nThe two words of a microinstruction:\n");
	for (unsigned i = 0; i < MICRO_DRAW_LINES; i++)
		console_print(c, "%s\n", micro_draw_line(i, line, sizeof line));
	for (unsigned i = 0; i < MF_COUNT; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s.%s", micro_fields[i].unit, micro_fields[i].name);
		console_print(c, "  %-16s %s\n", name, micro_fields[i].help);
	}
}

static void help_microcode_print_registers(struct console *c)
{
	console_print(c, "\nRegisters, as firmware reaches them (demos/firmware/cop.h) and scripts "
	                 "by name (`m.cop:read 'status'`): offset, name,\n"
	                 "meaning. Beyond an array's size they read as 0 and ignore writes.\n");
	for (unsigned i = 0; i < COP_REGISTER_COUNT; i++) {
		const struct cop_register_info *r = &cop_register_info[i];
		char name[32];
		if (r->count == 1)
			snprintf(name, sizeof name, "%s", r->name);
		else if (r->count)
			snprintf(name, sizeof name, "%s0-%s%u", r->name, r->name, r->count - 1);
		else
			snprintf(name, sizeof name, "%s0, ...", r->name);
		console_print(c, "  0x%05x  %-15s %s\n", r->at, name, r->help);
	}
}

void help_put_microcode(struct console *c)
{
	console_print(c, "The profiling co-processor (Zilles and Sohi, 2001) runs a routine for "
	                 "each instruction that it samples. Its\n"
	                 "programs are text, one microinstruction a line; operations separated by "
	                 "`|` execute in the same clock, and all\n"
	                 "read registers as they were before:\n\n"
	                 "  .program count-loads \"how often each load is executed\"\n"
	                 "  .fields load: pc\n"
	                 "  .on load: load\n"
	                 "  .column pc = cam as pc\n"
	                 "  .column count = data b0\n"
	                 "  load:   match x0, pc | if miss goto new\n"
	                 "          inc b0[x0] | done\n"
	                 "  new:    free x0 | if miss interrupt         # the array is full\n"
	                 "          write cam[x0], pc | write b0[x0], 1 | done\n\n"
	                 "`cyclops microcode FILE` assembles it, demos/microcode/ has more.\n");
	put_alu(c);
	put_index(c);
	put_arrays(c);
	put_branches(c);
	help_microcode_print_sources(c);
	put_directives(c);
	help_microcode_print_registers(c);
	put_encoding(c);
}
