/* x: memory. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/address.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/location.h"
#include "ui/console/value_text.h"

enum { LINE_BYTES = 16, COUNT_MAX = 65536 };

static unsigned cmd_x_unit_bytes(char size)
{
	return size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
}

static void put_address(struct console *c, uint64_t addr)
{
	char place[160];
	program_addr_text(c->session->program, addr, place, sizeof place);
	if (place[0] == '0')
		console_print(c, "0x%" PRIx64 ":", addr);
	else
		console_print(c, "0x%" PRIx64 " <%s>:", addr, place);
}

static enum command_result cmd_x_report_unmapped(struct console *c, uint64_t addr)
{
	return console_fail(c, "Cannot access memory at address 0x%" PRIx64, addr);
}

/* Evaluates text as an expression; if that fails, parses it as an address (FILE:LINE). */
static bool where_to(struct console *c, const char *text, uint64_t *addr)
{
	bool is_code;
	struct err why, place;
	struct expr *e = expr_compile(c->exprs, text, &why);
	const bool ok = e && expr_compute(e, &why) &&
	                expr_computed_address(c->exprs, addr, &is_code, &why);
	const bool typed = e && expr_has_variables(e);
	expr_free(e);
	if (ok || address_parse(c->session, text, NULL, addr, &place))
		return true;
	c->err = typed ? why : place;
	return false;
}

/* Formats all bits, as gdb does for memory. */
static void bits_text(uint64_t v, unsigned size, char *text)
{
	for (unsigned bit = 8 * size; bit-- > 0;)
		*text++ = v >> bit & 1 ? '1' : '0';
	*text = '\0';
}

/* Formats a float with 9 digits, a double with 17, as gdb does for memory. */
static void cmd_x_format_float(uint64_t v, unsigned size, char *text, size_t n)
{
	float f;
	double d;
	memcpy(&f, &v, sizeof f);
	memcpy(&d, &v, sizeof d);
	snprintf(text, n, "%.*g", size == 4 ? 9 : 17, size == 4 ? (double)f : d);
}

static enum command_result put_numbers(struct console *c, uint64_t addr, uint64_t count,
                                       char letter, unsigned size)
{
	unsigned per_line = letter == 'c' ? 8 : LINE_BYTES / size;
	json_t *rows = answer_data_rows(c, "values");
	uint64_t last = 0;
	for (uint64_t i = 0; i < count; i++, addr += size) {
		uint64_t v = 0;
		char text[256];
		if (!machine_peek(c->session->machine, addr, &v, size)) {
			console_print(c, i % per_line ? "\n" : "");
			return cmd_x_report_unmapped(c, addr);
		}
		if (i % per_line == 0)
			put_address(c, addr);
		if (letter == 't')
			bits_text(v, size, text);
		else if (letter == 'f' && size >= 4)
			cmd_x_format_float(v, size, text, sizeof text);
		else
			value_bits_text(c, v, size, letter == 'x'   ? 'z'
			                            : letter == 'f' ? 'd' /* no float is so small */
			                                            : letter,
			                text, sizeof text);
		last = v;
		json_t *row = data_row(rows);
		data_addr(row, "address", addr);
		data_count(row, "size", size);
		data_addr(row, "value", v);
		data_text(row, "text", text);
		console_print(c, "\t%s%s", text,
		              i % per_line == per_line - 1 || i + 1 == count ? "\n" : "");
	}
	c->state->x_addr = addr;
	expr_keep_variable(c->exprs, "_", (int64_t)(addr - size));
	expr_keep_variable(c->exprs, "__", (int64_t)last);
	return CMD_OK;
}

static enum command_result put_texts(struct console *c, uint64_t addr, uint64_t count,
                                     unsigned width)
{
	enum { TEXT_MAX = 1 << 16 };
	char *text = alloc_bytes(TEXT_MAX);
	json_t *rows = answer_data_rows(c, "texts");
	for (uint64_t i = 0; i < count; i++) {
		char byte;
		if (!text || !machine_peek(c->session->machine, addr, &byte, 1)) {
			free(text);
			return text ? cmd_x_report_unmapped(c, addr)
			            : console_fail(c, "out of memory");
		}
		const uint64_t next = expr_text_at(c->exprs, addr, width, text, TEXT_MAX);
		put_address(c, addr);
		console_print(c, "\t%s\n", text);
		json_t *row = data_row(rows);
		data_addr(row, "address", addr);
		data_text(row, "text", text);
		addr = next;
	}
	free(text);
	c->state->x_addr = addr;
	return CMD_OK;
}

static enum command_result cmd_x_print_instructions(struct console *c, uint64_t addr,
                                                    uint64_t count)
{
	json_t *rows = answer_data_rows(c, "instructions");
	for (uint64_t i = 0; i < count; i++) {
		struct code code;
		char text[256];
		if (!location_code(c, addr, &code))
			return CMD_ERROR;
		console_print(c, "%s",
		              addr == machine_seen_pc(c->session->machine) ? "=> " : "   ");
		put_address(c, addr);
		console_print(c, "\t%s\n", code_text(c->session, &code, text, sizeof text));
		data_instruction(rows, c, &code);
		addr += code.len;
	}
	c->state->x_addr = addr;
	return CMD_OK;
}

/* Goes back over count instructions, which are known from the function's beginning on. */
static bool cmd_x_rewind_instructions(struct console *c, uint64_t *addr, uint64_t count)
{
	uint64_t start[1024];
	const struct symbol *sym =
		*addr ? program_symbol_at(c->session->program, *addr - 1) : NULL;
	uint64_t at = sym ? sym->addr : *addr, n = 0;
	if (count > sizeof start / sizeof start[0])
		return console_fail(c, "x: at most 1024 instructions back"), false;
	while (at < *addr) {
		struct code code;
		if (!location_code(c, at, &code))
			return false;
		start[n++ % count] = at;
		at += code.len;
	}
	if (n < count)
		return console_fail(c, "only %" PRIu64 " instructions of the function are before",
		                    n), false;
	*addr = start[n % count];
	return true;
}

/* Goes back over count texts, each of which ends with a byte 0. */
static bool cmd_x_rewind_texts(struct console *c, uint64_t *addr, uint64_t count)
{
	const struct machine *m = c->session->machine;
	char byte;
	while (count--) {
		if (!machine_peek(m, --*addr, &byte, 1))
			return cmd_x_report_unmapped(c, *addr), false;
		while (machine_peek(m, *addr - 1, &byte, 1) && byte)
			--*addr;
	}
	return true;
}

static bool cmd_x_rewind(struct console *c, uint64_t *addr, uint64_t count, char letter,
                         unsigned size)
{
	if (letter == 'i')
		return cmd_x_rewind_instructions(c, addr, count);
	if (letter == 's' && size != 1)
		return console_fail(c, "x: wide texts are shown forwards only"), false;
	if (letter == 's')
		return cmd_x_rewind_texts(c, addr, count);
	*addr -= count * size;
	return true;
}

/* Parses /FMT; *back: its count is negative. */
static bool cmd_x_parse_format(struct console *c, const char **args, struct value_format *f,
                               bool *back)
{
	char text[32];
	*back = (*args)[0] == '/' && (*args)[1] == '-' && isdigit((unsigned char)(*args)[2]);
	if (!*back)
		return parse_format(c, args, f);
	const char *rest = *args + 2;
	snprintf(text, sizeof text, "/%s", rest);
	text[1 + strcspn(text + 1, " \t")] = '\0';
	const char *at = text;
	if (!parse_format(c, &at, f))
		return false;
	*args = rest + strcspn(rest, " \t");
	*args += strspn(*args, " \t");
	return f->count || (console_fail(c, "x: no count; expected as in /-8xg"), false);
}

static enum command_result cmd_x_exec(struct console *c, const char *args)
{
	struct command_state *st = c->state;
	struct value_format f;
	uint64_t addr = st->x_addr;
	bool back;
	if (!cmd_x_parse_format(c, &args, &f, &back))
		return CMD_ERROR;
	if (*args && !c->repeating && !where_to(c, args, &addr))
		return CMD_ERROR;
	if (!*args && !st->x_format)
		return console_fail(c, "no address given; expected x/8xg ADDRESS");
	if (f.count > COUNT_MAX)
		return console_fail(c, "x: at most %d at a time", COUNT_MAX);
	if (!f.count)
		f.count = 1;
	st->x_format = f.letter ? f.letter : st->x_format ? st->x_format : 'x';
	if (f.size)
		st->x_size = f.size;
	else if (f.letter == 'c')
		st->x_size = 'b';
	else if (f.letter == 'a' || (f.letter == 'f' && strchr("bh", st->x_size)))
		st->x_size = 'g';
	else if (!st->x_size)
		st->x_size = 'w';
	const unsigned size = st->x_format != 's' || f.size == 'h' || f.size == 'w'
	                              ? cmd_x_unit_bytes(st->x_size)
	                              : 1;
	if (back && !cmd_x_rewind(c, &addr, f.count, st->x_format, size))
		return CMD_ERROR;
	const uint64_t start = addr;
	const enum command_result r =
		st->x_format == 's'   ? put_texts(c, addr, f.count, size)
		: st->x_format == 'i' ? cmd_x_print_instructions(c, addr, f.count)
				      : put_numbers(c, addr, f.count, st->x_format, size);
	if (back)
		st->x_addr = start;
	return r;
}

const struct command cmd_x = {
	.name = "x",
	.aliases = "",
	.group = "data",
	.usage = "x[/COUNT FORMAT SIZE] [ADDRESS]",
	.summary = "show memory",
	.help = "FORMAT: x and z hex, d signed, u unsigned, o octal, t binary, a address,\n"
		"c character, f floating point, s text (hs, ws: of wide characters),\n"
		"i instruction. SIZE: b 1, h 2, w 4, g 8 bytes; without, as last time, at\n"
		"first w. ADDRESS is the value of an expression: x/s node->name and\n"
		"x/8xb head show their targets, x &head the place of head. FILE:LINE is one,\n"
		"too. $_ is then the last address shown, $__ its contents. Memory is shown as\n"
		"written by committed instructions. Without ADDRESS, and on Enter, it\n"
		"continues where it stopped. A negative COUNT shows what is before ADDRESS.\n"
		"    x/8xg sp        x/s a0        x/5i pc        x/16xb buffer + 32",
	.complete = COMPLETE_EXPR,
	.repeats = true,
	.exec = cmd_x_exec,
};
