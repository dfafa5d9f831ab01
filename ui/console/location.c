#include "ui/console/location.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/regs.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/address.h"
#include "loader/demangle.h"
#include "loader/dwarf/entry.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/unit_info.h"
#include "scripting/expr/expr.h"
#include "ui/console/command_state.h"

size_t location_frames(const struct console *c, struct frame *out, size_t max)
{
	return frames_of(c->session, out, max);
}

unsigned location_level(const struct console *c)
{
	return (unsigned)frames_selected(c->session);
}

struct frame location_frame(const struct console *c)
{
	unsigned level = location_level(c);
	struct frame f;
	return level && frames_level(c->session, level, &f)
	               ? f
	               : location_frame_at(c, machine_seen_pc(c->session->machine));
}

struct frame location_frame_at(const struct console *c, uint64_t pc)
{
	struct inlined at;
	inlined_at(c->session->program, pc, &at);
	return (struct frame){.pc = pc, .kind = FRAME_AT, .inlined = at.count};
}

uint64_t location_line_pc(const struct console *c)
{
	const struct frame f = location_frame(c);
	return frame_look(&f);
}

bool location_line(const struct console *c, struct source_line *out)
{
	const struct frame f = location_frame(c);
	return inlined_line(c->session->program, &f, out) && out->line;
}

static void location_format_function(const struct console *c, const struct frame *f, char *buf,
                                     size_t n)
{
	/* A call that never returns may be its function's last instruction: look up the frame's
	 * function before pc. */
	const uint64_t look = frame_look(f);
	const struct symbol *sym = program_symbol_at(c->session->program, look);
	if (inlined_name(c->session->program, f, buf, n))
		return;
	/* The arguments of a C++ function are shown separately. */
	const int stem = sym ? (int)name_stem(sym->name) : 0;
	if (sym && f->pc != sym->addr)
		snprintf(buf, n, "%.*s+0x%" PRIx64, stem, sym->name, f->pc - sym->addr);
	else if (sym)
		snprintf(buf, n, "%.*s", stem, sym->name);
	else
		program_addr_text(c->session->program, f->pc, buf, n);
}

static char *location_append_line(const struct console *c, const struct frame *f, char *buf,
                                  size_t n)
{
	struct source_line at;
	size_t used = strlen(buf);
	if (!inlined_line(c->session->program, f, &at))
		return buf;
	const char *base = strrchr(at.file, '/');
	snprintf(buf + used, n - used, " at %s:%u", base ? base + 1 : at.file, at.line);
	return buf;
}

/* True if the frame is a present one. Several instructions commit in a cycle: the call may have
 * returned, or called another function. */
static bool location_frame_is_current(const struct console *c, const struct frame *f,
                                      unsigned *level)
{
	struct frame frames[FRAMES_MAX];
	const size_t n = location_frames(c, frames, FRAMES_MAX);
	for (*level = 0; *level < n; ++*level)
		if (frames[*level].call == f->call && frames[*level].inlined == f->inlined)
			return program_symbol_at(c->session->program, frame_look(f)) ==
			       program_symbol_at(c->session->program, frame_look(&frames[*level]));
	return false;
}

char *location_of_level(const struct console *c, const struct frame *f, unsigned level, bool again,
                        char *buf, size_t n)
{
	if (f->kind == FRAME_SIGNAL)
		return location_of_frame(c, f, buf, n);
	location_format_function(c, f, buf, n);
	const size_t used = strlen(buf);
	expr_arguments(c->exprs, level, again, buf + used, n - used);
	return location_append_line(c, f, buf, n);
}

char *location_of_call(const struct console *c, const struct frame *f, char *buf, size_t n)
{
	unsigned level;
	return location_frame_is_current(c, f, &level)
	               ? location_of_level(c, f, level, false, buf, n)
	               : location_of_frame(c, f, buf, n);
}

char *location_of_frame(const struct console *c, const struct frame *f, char *buf, size_t n)
{
	if (f->kind == FRAME_SIGNAL) {
		snprintf(buf, n, "%s", FRAME_SIGNAL_TEXT);
		return buf;
	}
	location_format_function(c, f, buf, n);
	return location_append_line(c, f, buf, n);
}

char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n)
{
	const struct frame f = location_frame_at(c, pc);
	return location_of_frame(c, &f, buf, n);
}

/* The file in which a bare number is a line; "" if none. */
static const char *current_file(const struct console *c, struct source_line *at)
{
	if (location_line(c, at))
		return at->file;
	if (c->state->list_file)
		return c->state->list_file;
	/* In start-up code, which has no lines, use main's file. */
	const struct symbol *main_symbol = program_symbol_by_name(c->session->program, "main");
	return main_symbol && program_line_at(c->session->program, main_symbol->addr, at) ? at->file
	                                                                                  : "";
}

bool location_code(struct console *c, uint64_t addr, struct code *out)
{
	if (code_at(c->session, addr, out))
		return true;
	if (addr & 1)
		return err_set(&c->err,
		               "0x%" PRIx64 " is odd: instructions begin at even addresses", addr);
	return err_set(&c->err, "0x%" PRIx64 " is not mapped memory of the program", addr);
}

uint64_t location_stop(const struct console *c, const struct location *l)
{
	uint64_t behind;
	const char *text = l->text;
	const struct symbol *sym = program_symbol_at(c->session->program, l->addr);
	const bool function = sym && sym->addr == l->addr && name_means(sym->name, text);
	/* A text with an offset is an address, too. */
	if (l->exact)
		return l->addr;
	const char *colon = strrchr(text, ':');
	const bool line = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
	if (!function && !line && (strchr("*$&", *text) || !strncmp(text, "0x", 2) ||
	                           strchr(text, '+') || (strchr(text, '-') && !colon)))
		return l->addr;
	return entry_behind_prologue(c->session->program, l->addr, &behind) ? behind : l->addr;
}

/* Finds the only inlined copy of a function that has no code of its own. */
static bool find_copy(struct console *c, const char *text, struct location *l)
{
	uint64_t at[2];
	const size_t n = inlined_copies(c->session->program, text, at, 2);
	l->addr = at[0];
	l->exact = n == 1;
	return n < 2 ? n == 1
	             : err_set(&c->err,
	                       "'%.80s' is inlined in several places: `break %.80s` stops in all "
	                       "of them",
	                       text, text);
}

const char *location_optimised(const struct console *c, uint64_t pc, char *buf, size_t n)
{
	struct unit_info u = {0};
	const char *option = unit_info_at(c->session->program, pc, &u) && u.producer
	                             ? strstr(u.producer, " -O")
	                             : NULL;
	if (!option || !strncmp(option, " -O0", 4))
		return NULL;
	snprintf(buf, n, "%.*s", (int)strcspn(option + 1, " "), option + 1);
	return buf;
}

/* Adds to the error, if the program's source calls this function, that the compiler removed it. */
static void location_explain_removed(struct console *c, const char *name)
{
	struct source_line at;
	char option[32], call[128];
	unsigned lines = 0;
	const struct program *p = c->session->program;
	const struct symbol *sym = program_symbol_by_name(p, "main");
	const size_t used = strlen(c->err.msg);
	snprintf(call, sizeof call, "%.120s(", name);
	if (!sym || !program_line_at(p, sym->addr, &at) ||
	    !location_optimised(c, sym->addr, option, sizeof option) ||
	    !program_source_text(c->session->program, at.file, 1, &lines))
		return;
	for (unsigned i = 1; i <= lines; i++) {
		const char *line = program_source_text(c->session->program, at.file, i, NULL);
		if (!line || !strstr(line, call))
			continue;
		snprintf(c->err.msg + used, sizeof c->err.msg - used,
		         "; %s:%u has it, but %s left no call of it (-O0 keeps all)",
		         basename(at.file), i, option);
		return;
	}
}

/* Resolves "+3" and "-3", lines from the current one, to "FILE:LINE" in room[n]; other texts stay.
 * Returns the text; NULL with c->err. */
static const char *location_resolve_offset(struct console *c, const char *text, char *room,
                                           size_t n)
{
	struct source_line at;
	if ((*text != '+' && *text != '-') || !text[1] || text[1 + strspn(text + 1, "0123456789")])
		return text;
	const long long distance = strtoll(text, NULL, 10);
	if (!location_line(c, &at)) {
		console_fail(c, "%s: there is no current line; expected FILE:LINE", text);
		return NULL;
	}
	if (distance > INT_MAX || distance < INT_MIN || at.line + distance < 1) {
		console_fail(c, "%s: the current line is %u of %s", text, at.line, at.file);
		return NULL;
	}
	snprintf(room, n, "%s:%lld", at.file, at.line + distance);
	return room;
}

bool location_parse(struct console *c, const char *text, struct location *out)
{
	struct location l = {0};
	struct source_line at;
	char room[PATH_MAX];
	if (!(text = location_resolve_offset(c, text, room, sizeof room)))
		return false;
	if (!*text) {
		l.addr = location_frame(c).pc;
		program_addr_text(c->session->program, l.addr, l.text, sizeof l.text);
	} else {
		/* An inlined function comes before a register of its name, too. */
		const bool copy = reg_from_name(text) >= 0 && find_copy(c, text, &l);
		if (!copy &&
		    !address_parse(c->session, text, current_file(c, &at), &l.addr, &c->err) &&
		    !find_copy(c, text, &l)) {
			location_explain_removed(c, text);
			return false;
		}
		snprintf(l.text, sizeof l.text, "%.*s", (int)sizeof l.text - 1, text);
	}
	*out = l;
	return true;
}

size_t location_lines(struct console *c, const char *text, uint64_t *out, size_t max)
{
	const struct program *p = c->session->program;
	struct source_line here;
	struct err err;
	char file[PATH_MAX], room[PATH_MAX];
	uint64_t behind;
	if (!(text = location_resolve_offset(c, text, room, sizeof room)))
		return 0;
	const char *digits = strrchr(text, ':');
	digits = digits ? digits + 1 : text;
	if (!*digits || digits[strspn(digits, "0123456789")] || strlen(text) >= sizeof file)
		return 0;
	if (digits > text)
		snprintf(file, sizeof file, "%.*s", (int)(digits - text - 1), text);
	else
		snprintf(file, sizeof file, "%s", current_file(c, &here));
	const unsigned long line = strtoul(digits, NULL, 10);
	const size_t n = line && line <= UINT_MAX && *file
	                         ? program_places_of_line(p, file, (unsigned)line, out, max, &err)
	                         : 0;
	/* A function's beginning and a block in it may have the same address. */
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t at = entry_behind_prologue(p, out[i], &behind) ? behind : out[i];
		bool again = false;
		for (size_t k = 0; k < kept && !again; k++)
			again = out[k] == at;
		if (!again)
			out[kept++] = at;
	}
	return kept > 1 ? kept : 0;
}

size_t location_stops(struct console *c, const char *text, uint64_t *out, size_t max)
{
	enum { MOST = 200 };
	const struct program *p = c->session->program;
	const struct symbol *meant[MOST];
	const size_t functions = program_functions_meant(p, text, meant, max < MOST ? max : MOST);
	const size_t copies = inlined_copies(p, text, out + functions, max - functions);
	struct location l;
	const size_t lines = functions + copies ? 0 : location_lines(c, text, out, max);
	if (lines)
		return lines;
	if (!functions && !copies) {
		if (!location_parse(c, text, &l))
			return 0;
		out[0] = location_stop(c, &l);
		return 1;
	}
	for (size_t i = 0; i < functions; i++)
		if (!entry_behind_prologue(p, meant[i]->addr, &out[i]))
			out[i] = meant[i]->addr;
	return functions + copies;
}
