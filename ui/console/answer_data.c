#include "ui/console/answer_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/grid/view.h"
#include "hwviews/program/code_lines.h"
#include "scripting/script.h"

json_t *answer_data(struct console *c)
{
	if (!c->answer || !c->answer->whole)
		return NULL;
	json_decref(c->answer->data);
	return c->answer->data = json_object();
}

json_t *answer_data_rows(struct console *c, const char *name)
{
	json_t *data = answer_data(c), *rows = data ? json_array() : NULL;
	json_object_set_new(data, name, rows);
	return rows;
}

void answer_view(struct console *c, const char *name)
{
	struct command_answer *a = c->answer;
	if (!a || !a->whole || a->shown)
		return;
	a->shown = view_build(c->session, name, &(struct view_args){0}, &a->grid, &c->err);
	a->view = name;
}

/* Returns a string that the caller owns. The guest's text may have any bytes: C1 controls are
 * removed, too. */
static json_t *answer_data_clean_string(const char *text, size_t n)
{
	char *clean = n ? alloc_bytes(3 * n) : NULL;
	json_t *s = clean ? json_stringn(clean, utf8_clean(clean, text, n, "\t")) : json_null();
	free(clean);
	return s;
}

void data_text(json_t *to, const char *name, const char *text)
{
	if (to)
		json_object_set_new(to, name,
		                    answer_data_clean_string(text, text ? strlen(text) : 0));
}

void data_line(json_t *to, const char *name, const char *text)
{
	if (to)
		json_object_set_new(
			to, name, answer_data_clean_string(text, text ? strcspn(text, "\r\n") : 0));
}

void data_addr(json_t *to, const char *name, uint64_t addr)
{
	char text[24];
	snprintf(text, sizeof text, "0x%" PRIx64, addr);
	data_text(to, name, text);
}

void data_count(json_t *to, const char *name, uint64_t n)
{
	json_object_set_new(to, name, json_integer((json_int_t)n));
}

void data_bool(json_t *to, const char *name, bool yes)
{
	json_object_set_new(to, name, json_boolean(yes));
}

void data_null(json_t *to, const char *name)
{
	json_object_set_new(to, name, json_null());
}

void data_place(json_t *to, const struct console *c, const char *name, uint64_t addr)
{
	const struct program *p = c->session->program;
	const struct symbol *sym = program_symbol_at(p, addr);
	struct source_line at;
	if (!to)
		return;
	data_addr(to, name, addr);
	data_text(to, "symbol", sym ? sym->name : NULL);
	if (sym)
		data_count(to, "offset", addr - sym->addr);
	else
		data_null(to, "offset");
	const bool known = program_line_at(p, addr, &at) && at.line;
	data_text(to, "file", known ? at.file : NULL);
	if (known)
		data_count(to, "line", at.line);
	else
		data_null(to, "line");
}

void data_instruction(json_t *array, const struct console *c, const struct code *code)
{
	char text[256];
	json_t *row = data_row(array);
	if (!row)
		return;
	data_place(row, c, "pc", code->pc);
	data_text(row, "bytes", code_bytes(c->session, code, text, sizeof text));
	data_text(row, "instruction", code_text(c->session, code, text, sizeof text));
	data_bool(row, "current", machine_seen_pc(c->session->machine) - code->pc < code->len);
}

void data_word(json_t *array, const char *text)
{
	if (array)
		json_array_append_new(array, answer_data_clean_string(text, strlen(text)));
}

json_t *data_row(json_t *array)
{
	json_t *row = array ? json_object() : NULL;
	return json_array_append_new(array, row) == 0 ? row : NULL;
}
