#include "ui/location.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "hwviews/frames.h"
#include "scripting/expr.h"
#include "ui/args.h"
#include "ui/state.h"

size_t location_frames(const struct console *c, struct frame *out, size_t max)
{
	return frames_of(c->session, out, max);
}

unsigned location_level(const struct console *c)
{
	return c->state->frame_cycle == machine_cycle(c->session->machine) ? c->state->frame : 0;
}

uint64_t location_pc(const struct console *c)
{
	unsigned level = location_level(c);
	struct frame frames[FRAMES_MAX];
	size_t n = level ? location_frames(c, frames, FRAMES_MAX) : 0;
	return level < n ? frames[level].pc : machine_pc(c->session->machine);
}

uint64_t location_line_pc(const struct console *c)
{
	return location_pc(c) - (location_level(c) > 0);
}

char *location_of_frame(const struct console *c, unsigned level, uint64_t pc, char *buf, size_t n)
{
	struct source_line at;
	/* A call that never returns may be its function's last instruction: the frame belongs to what is before pc. */
	const struct symbol *sym = level ? program_symbol_at(c->session->program, pc - 1) : NULL;
	if (sym)
		snprintf(buf, n, "%s+0x%" PRIx64, sym->name, pc - sym->addr);
	else
		program_addr_text(c->session->program, pc, buf, n);
	size_t used = strlen(buf);
	if (!program_line_at(c->session->program, pc - (level > 0), &at) || !at.line)
		return buf;
	const char *base = strrchr(at.file, '/');
	snprintf(buf + used, n - used, " at %s:%u", base ? base + 1 : at.file, at.line);
	return buf;
}

char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n)
{
	return location_of_frame(c, 0, pc, buf, n);
}

static bool of_line(struct console *c, const char *file, const char *line, uint64_t *addr)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);
	if (*end || !number || number > UINT_MAX) {
		console_fail(c, "'%s' is no line number", line);
		return false;
	}
	return program_addr_of_line(c->session->program, file, (unsigned)number, addr, &c->err);
}

static bool of_current_file(struct console *c, const char *line, uint64_t *addr)
{
	struct source_line at;
	const char *file = c->state->list_file;
	if (program_line_at(c->session->program, location_line_pc(c), &at))
		file = at.file;
	if (!file) {
		console_fail(c, "line %s of which file? the program is at no source line: FILE:%s", line, line);
		return false;
	}
	return of_line(c, file, line, addr);
}

static bool no_symbol(struct console *c, const char *name)
{
	struct nearest n;
	size_t count;
	const struct symbol *sym = program_symbols(c->session->program, &count);
	nearest_init(&n, name);
	for (size_t i = 0; i < count; i++)
		nearest_offer(&n, sym[i].name);
	if (n.best)
		console_fail(c, "the program has no symbol '%s'; did you mean '%s'?", name, n.best);
	else if (!count)
		console_fail(c, "the program has no symbols; a place is *ADDRESS");
	else
		console_fail(c, "the program has no symbol '%s'; a place is a symbol, symbol+OFFSET, FILE:LINE, LINE or *ADDRESS",
		             name);
	return false;
}

/* "find", "find+16", "find-0x4". */
static bool of_symbol(struct console *c, const char *text, uint64_t *addr)
{
	char name[256];
	const struct symbol *sym = program_symbol_by_name(c->session->program, text);
	if (sym) {
		*addr = sym->addr;
		return true;
	}
	size_t n = strcspn(text, "+-");
	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
	parse_trim(name);
	sym = program_symbol_by_name(c->session->program, name);
	if (!sym)
		return no_symbol(c, name);
	int64_t offset;
	if (!expr_integer(c->exprs, text + n + 1, &offset, &c->err))
		return false;
	*addr = sym->addr + (uint64_t)(text[n] == '-' ? -offset : offset);
	return true;
}

/* FILE:LINE or FILE:FUNCTION; `colon` is where it is. */
static bool of_file(struct console *c, const char *text, const char *colon, uint64_t *addr)
{
	char file[PATH_MAX];
	snprintf(file, sizeof file, "%.*s", (int)(colon - text), text);
	if (isdigit((unsigned char)colon[1]))
		return of_line(c, file, colon + 1, addr);
	return of_symbol(c, colon + 1, addr);
}

static bool find(struct console *c, const char *text, uint64_t *addr)
{
	const char *colon = strrchr(text, ':');
	int64_t v;
	if (*text == '*' || !strncmp(text, "0x", 2) || *text == '$' || *text == '(') {
		if (!expr_integer(c->exprs, text + (*text == '*'), &v, &c->err))
			return false;
		*addr = (uint64_t)v;
		return true;
	}
	if (isdigit((unsigned char)*text))
		return of_current_file(c, text, addr);
	if (colon && colon > text && colon[1])
		return of_file(c, text, colon, addr);
	return of_symbol(c, text, addr);
}

bool location_parse(struct console *c, const char *text, struct location *out)
{
	struct location l;
	if (!*text) {
		l.addr = location_pc(c);
		program_addr_text(c->session->program, l.addr, l.text, sizeof l.text);
	} else {
		if (!find(c, text, &l.addr))
			return false;
		snprintf(l.text, sizeof l.text, "%s", text);
	}
	*out = l;
	return true;
}
