/* `disassemble`: instructions of a function or a range. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/origin.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/location.h"

enum { BYTES_MAX = 64 * 1024 };

static bool has_break(const struct console *c, const struct code *code)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->addr - code->pc < code->len)
			return true;
	return false;
}

static void cmd_disassemble_print_source_line(struct console *c, uint64_t addr, unsigned *line)
{
	struct source_line at;
	if (!program_line_at(c->session->program, addr, &at) || at.line == *line)
		return;
	const char *base = strrchr(at.file, '/');
	console_print(c, "  # %s:%u", base ? base + 1 : at.file, at.line);
	*line = at.line;
}

/* Characters that the bytes of the widest instruction take; the caller has checked that the range
 * is readable. */
static int bytes_width(struct console *c, uint64_t lo, uint64_t hi)
{
	struct code code;
	char text[32];
	size_t most = 8;
	for (uint64_t addr = lo; addr < hi && code_at(c->session, addr, &code); addr += code.len) {
		size_t n = strlen(code_bytes(c->session, &code, text, sizeof text));
		most = n > most ? n : most;
	}
	return (int)most;
}

static int place_width(const struct console *c, uint64_t lo, uint64_t hi)
{
	char first[160], last[160];
	size_t a = strlen(program_addr_text(c->session->program, lo, first, sizeof first));
	size_t b = strlen(program_addr_text(c->session->program, hi - 1, last, sizeof last));
	return (int)(a > b ? a : b);
}

/* Prints the instruction's address before instrumentation, or the instrumentation that inserted it.
 */
static void cmd_disassemble_print_origin(struct console *c, uint64_t addr)
{
	char kinds[96];
	const struct origin o = origin_of(c->session, addr);
	if (o.kind == ORIGIN_MOVED)
		console_print(c, "  # was 0x%" PRIx64, o.was);
	else if (o.kind == ORIGIN_PUT_IN)
		console_print(c, "  # + %s", origin_kinds(c->session, kinds, sizeof kinds));
}

static enum command_result cmd_disassemble_print_range(struct console *c, uint64_t lo, uint64_t hi)
{
	const uint64_t pc = machine_seen_pc(c->session->machine);
	const int width = place_width(c, lo, hi), bytes = bytes_width(c, lo, hi);
	unsigned line = 0;
	struct code code;
	json_t *rows = answer_data_rows(c, "instructions");
	for (uint64_t addr = lo; addr < hi; addr += code.len) {
		char text[256], place[160], raw[32];
		if (!location_code(c, addr, &code))
			return CMD_ERROR;
		program_addr_text(c->session->program, addr, place, sizeof place);
		int pad = width - (int)strlen(place);
		console_print(c, "%s%s0x%" PRIx64 " <%s>%*s  %-*s  %s",
		              pc - addr < code.len ? "=>" : "  ", has_break(c, &code) ? "*" : " ",
		              addr, place, pad > 0 ? pad : 0, "", bytes,
		              code_bytes(c->session, &code, raw, sizeof raw),
		              code_text(c->session, &code, text, sizeof text));
		data_instruction(rows, c, &code);
		cmd_disassemble_print_source_line(c, addr, &line);
		cmd_disassemble_print_origin(c, addr);
		console_print(c, "\n");
	}
	return CMD_OK;
}

/* Range of the function around an address; a few instructions if none is known. */
static void cmd_disassemble_function_range(const struct console *c, uint64_t addr, uint64_t *lo,
                                           uint64_t *hi)
{
	const struct symbol *sym = program_symbol_at(c->session->program, addr);
	*lo = sym && sym->code && sym->size ? sym->addr : addr;
	*hi = sym && sym->code && sym->size ? sym->addr + sym->size : addr + 40;
}

/* Parses "LOCATION", "FROM,TO" or "FROM,+BYTES". */
static bool cmd_disassemble_parse_range(struct console *c, char *text, uint64_t *lo, uint64_t *hi)
{
	struct location from, to;
	char *comma = strchr(text, ',');
	if (comma)
		*comma = '\0';
	parse_trim(text);
	if (!location_parse(c, text, &from)) {
		const struct err why = c->err;
		char *space = comma ? NULL : strrchr(text, ' ');
		if (space)
			*space = '\0';
		if (space && location_parse(c, text, &from) && location_parse(c, space + 1, &to))
			console_fail(c, "a range has a comma: disassemble %s,%s", text, space + 1);
		else
			c->err = why;
		return false;
	}
	if (!comma) {
		cmd_disassemble_function_range(c, from.addr, lo, hi);
		return true;
	}
	comma += 1 + strspn(comma + 1, " \t");
	*lo = from.addr;
	if (*comma == '+') {
		uint64_t n;
		if (!parse_count(c, comma + 1, 0, &n))
			return false;
		*hi = *lo + n;
		return true;
	}
	if (!location_parse(c, comma, &to))
		return false;
	*hi = to.addr;
	return true;
}

static enum command_result cmd_disassemble_exec(struct console *c, const char *args)
{
	uint64_t lo, hi;
	char *text = alloc_text(args);
	bool ok = text && cmd_disassemble_parse_range(c, text, &lo, &hi);
	free(text);
	if (!ok)
		return CMD_ERROR;
	if (hi <= lo || hi - lo > BYTES_MAX)
		return console_fail(
			c, "disassemble from 0x%" PRIx64 " to 0x%" PRIx64 ": 1 to %d bytes", lo, hi,
			BYTES_MAX);
	return cmd_disassemble_print_range(c, lo, hi);
}

const struct command cmd_disassemble = {
	.name = "disassemble",
	.aliases = "disas",
	.group = "data",
	.usage = "disassemble [LOCATION | FROM,TO | FROM,+BYTES]",
	.summary = "show the instructions of a function or a range",
	.help = "`=>` stands at the oldest instruction not yet committed, `*` at breakpoints.\n"
		"The bytes are those in memory now: patched code shows as it is. A profile\n"
		"instruction is shown with the prefix before it, pi.0, as the machine takes it.\n"
		"In an instrumented program, the original address of each, and `+` at added\n"
		"code.",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_disassemble_exec,
};
