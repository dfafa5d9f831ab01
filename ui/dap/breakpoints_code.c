/* Breakpoints that an editor sets in code: on lines, functions and instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/entry.h"
#include "ui/console/location.h"
#include "ui/dap/breakpoints.h"

enum { PLACES_MAX = 200 };

/* ---- by line ---- */
/* True unless both this file and the source of addr are found and differ. */
static bool may_be_of(const struct dap *d, const char *path, uint64_t addr)
{
	struct program *p = d->m.s->program;
	struct source_line at;
	const char *found = program_line_at(p, addr, &at) ? program_source_path(p, at.file) : NULL;
	struct err err;
	const bool may_look = reach_allows(d->m.s->reach, "a path reaches files", &err);
	char *asked = found && *path == '/' && may_look ? alloc_real_path(path) : NULL;
	const bool may = !asked || !strcmp(asked, found);
	free(asked);
	return may;
}

/* Finds the addresses at which a line has code. The editor gives the absolute path, debug
 * information the one that the compiler got: matches as many trailing names as possible. Returns
 * their count; 0 with *err. */
static size_t find_line(struct dap *d, const char *path, unsigned line, uint64_t *out, size_t max,
                        struct err *err)
{
	const struct program *p = d->m.s->program;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/' && at != path;
		const size_t n = program_places_of_line(p, at, line, out, max, err);
		if (n)
			return may_be_of(d, path, *out)
			               ? n
			               : err_set(err, "the program was compiled of another file "
			                              "of this name");
		if (*at == '/')
			at++;
	}
	return 0;
}

static void set_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *source = json_object_get(args, "source"), *one;
	const json_t *asked = json_object_get(args, "breakpoints");
	const char *path = asked_text(source, "path");
	if (!path)
		path = asked_text(source, "name");
	if (!path || (asked && !json_is_array(asked))) {
		dap_refuse(d, request,
		           "setBreakpoints: expected a source with its path, and a list");
		return;
	}
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_LINE, path);
	uint64_t at[PLACES_MAX], behind;
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		struct breakpoint b = {.kind = BREAKPOINT_LINE, .path = alloc_text(path)};
		int64_t line = 0;
		struct err err;
		asked_number(one, "line", &line);
		line += d->lines_from_0;
		size_t n = 0;
		if (line < 1 || line > INT32_MAX)
			err_set(&err, "a line has a number");
		else
			n = find_line(d, path, (unsigned)line, at, PLACES_MAX, &err);
		/* Move from a function's entry past its prologue, where its arguments are valid. */
		for (size_t k = 0; k < n; k++)
			if (entry_behind_prologue(d->m.s->program, at[k], &behind))
				at[k] = behind;
		json_array_append_new(list, n ? breakpoints_set_all(d, &b, at, n, one, &old)
		                              : breakpoints_refuse(&b, &err));
	}
	breakpoints_answer(d, request, list, &old);
}

/* breakpointLocations: the lines of a range that have code. */
static void breakpoint_locations(struct dap *d, const json_t *request, const json_t *args)
{
	enum { LINES_MAX = 2000 };
	const char *path = asked_text(json_object_get(args, "source"), "path");
	int64_t from = 0, to = 0;
	json_t *list = json_array();
	struct source_line at;
	uint64_t addr;
	struct err err;
	asked_number(args, "line", &from);
	if (!asked_number(args, "endLine", &to))
		to = from;
	from += d->lines_from_0;
	to += d->lines_from_0;
	for (int64_t line = from; path && line >= 1 && line <= to && line < from + LINES_MAX;
	     line++)
		if (find_line(d, path, (unsigned)line, &addr, 1, &err) &&
		    program_stop_line_at(d->m.s->program, addr, &at) && at.line == line)
			json_array_append_new(
				list,
				json_pack("{s:I}", "line", (json_int_t)(line - d->lines_from_0)));
	dap_answer(d, request, json_pack("{s:o}", "breakpoints", list));
}

/* ---- by function, by instruction ---- */
static void set_function_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_FUNCTION, NULL);
	uint64_t at[PLACES_MAX];
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		const char *name = asked_text(one, "name");
		struct breakpoint b = {.kind = BREAKPOINT_FUNCTION,
		                       .path = name && *name ? alloc_text(name) : NULL};
		size_t n = 0;
		if (!name || !*name)
			console_fail(d->console, "a function has a name");
		else
			n = location_stops(d->console, name, at, PLACES_MAX);
		json_array_append_new(list, n ? breakpoints_set_all(d, &b, at, n, one, &old)
		                              : breakpoints_refuse(&b, &d->console->err));
	}
	breakpoints_answer(d, request, list, &old);
}

static void set_instruction_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_INSTRUCTION, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		struct breakpoint b = {.kind = BREAKPOINT_INSTRUCTION, .type = 1};
		int64_t offset = 0;
		struct err err;
		asked_number(one, "offset", &offset);
		bool ok = dap_parse_address(asked_text(one, "instructionReference"), &b.addr) ||
		          err_set(&err, "instructionReference: expected a text as \"0x10440\"");
		b.addr += (uint64_t)offset;
		if (ok && b.addr & 1)
			ok = err_set(&err, "0x%" PRIx64 " is odd: no instruction begins there",
			             b.addr);
		json_array_append_new(list, ok ? breakpoints_set(d, &b, one, &old)
		                               : breakpoints_refuse(&b, &err));
	}
	breakpoints_answer(d, request, list, &old);
}

const struct request breakpoints_code_requests[] = {
	{"setBreakpoints", set_breakpoints, ANY_TIME, false},
	{"breakpointLocations", breakpoint_locations, ANY_TIME, false},
	{"setFunctionBreakpoints", set_function_breakpoints, ANY_TIME, false},
	{"setInstructionBreakpoints", set_instruction_breakpoints, ANY_TIME, false},
	{0},
};
