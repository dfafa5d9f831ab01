#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/inst.h"
#include "hwviews/tell.h"
#include "ui/args.h"
#include "ui/location.h"

enum { BYTES_MAX = 64 * 1024 };

static bool has_break(const struct console *c, uint64_t addr)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->addr == addr)
			return true;
	return false;
}

static void put_line(struct console *c, uint64_t addr, unsigned *line)
{
	struct source_line at;
	if (!program_line_at(c->session->program, addr, &at) || at.line == *line)
		return;
	const char *base = strrchr(at.file, '/');
	console_print(c, "  # %s:%u", base ? base + 1 : at.file, at.line);
	*line = at.line;
}

static int place_width(const struct console *c, uint64_t lo, uint64_t hi)
{
	char first[160], last[160];
	size_t a = strlen(program_addr_text(c->session->program, lo, first, sizeof first));
	size_t b = strlen(program_addr_text(c->session->program, hi - 1, last, sizeof last));
	return (int)(a > b ? a : b);
}

static enum command_result put(struct console *c, uint64_t lo, uint64_t hi)
{
	const struct machine *m = c->session->machine;
	int width = place_width(c, lo, hi);
	unsigned line = 0;
	for (uint64_t addr = lo; addr < hi;) {
		uint32_t raw = 0;
		struct inst in;
		char text[256], place[160];
		if (!machine_peek(m, addr, &raw, 4) && !machine_peek(m, addr, &raw, 2))
			return console_fail(c, "0x%" PRIx64 " is not mapped memory of the program", addr);
		inst_decode(raw, &in);
		program_addr_text(c->session->program, addr, place, sizeof place);
		int pad = width - (int)strlen(place);
		console_print(c, "%s%s0x%" PRIx64 " <%s>%*s  %0*" PRIx32 "%*s  %s", addr == machine_pc(m) ? "=>" : "  ",
		              has_break(c, addr) ? "*" : " ", addr, place, pad > 0 ? pad : 0, "", in.len * 2,
		              in.len == 2 ? raw & 0xffff : raw, in.len == 2 ? 4 : 0, "",
		              tell_inst(c->session, &in, addr, text, sizeof text));
		put_line(c, addr, &line);
		console_print(c, "\n");
		addr += in.len;
	}
	return CMD_OK;
}

/* The function around an address; where none is known, a few instructions. */
static void around(const struct console *c, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	const struct symbol *sym = program_symbol_at(c->session->program, addr);
	*lo = sym && sym->code && sym->size ? sym->addr : addr;
	*hi = sym && sym->code && sym->size ? sym->addr + sym->size : addr + 40;
}

/* "LOCATION", "FROM,TO", "FROM,+BYTES". */
static bool range(struct console *c, char *text, uint64_t *lo, uint64_t *hi)
{
	struct location from, to;
	char *comma = strchr(text, ',');
	if (comma)
		*comma = '\0';
	parse_trim(text);
	if (!location_parse(c, text, &from))
		return false;
	if (!comma) {
		around(c, from.addr, lo, hi);
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

static enum command_result disassemble(struct console *c, const char *args)
{
	uint64_t lo, hi;
	char *text = strdup(args);
	bool ok = text && range(c, text, &lo, &hi);
	free(text);
	if (!ok)
		return CMD_ERROR;
	if (hi <= lo || hi - lo > BYTES_MAX)
		return console_fail(c, "disassemble from 0x%" PRIx64 " to 0x%" PRIx64 ": 1 to %d bytes", lo, hi, BYTES_MAX);
	return put(c, lo, hi);
}

const struct command cmd_disassemble = {
	.name = "disassemble",
	.aliases = "disas",
	.group = "data",
	.usage = "disassemble [LOCATION | FROM,TO | FROM,+BYTES]",
	.summary = "show the instructions of a function or a range",
	.help = "`=>` stands at the oldest instruction not yet committed, `*` at breakpoints.\n"
	        "The bytes are those in memory now: patched code shows as it is.",
	.complete = COMPLETE_LOCATION,
	.exec = disassemble,
};
