#include "ui/render/render_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"

void render_json_text(FILE *f, const char *s)
{
	render_json_bytes(f, s, strlen(s));
}

void render_json_or_null(FILE *f, const char *s)
{
	if (s && *s)
		render_json_text(f, s);
	else
		fputs("null", f);
}

void render_json_bytes(FILE *f, const char *s, size_t n)
{
	fputc('"', f);
	while (n) {
		uint32_t code; /* U+FFFD for invalid UTF-8, which JSON does not allow */
		const size_t one = utf8_decode(s, n, &code);
		if (code == '"' || code == '\\')
			fprintf(f, "\\%c", (char)code);
		else if (!utf8_is_shown(code) && code > 0xffff)
			fprintf(f, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
			        0xdc00 + (code & 0x3ff));
		else if (!utf8_is_shown(code) || code == 0xfffd)
			fprintf(f, "\\u%04x", code);
		else
			fwrite(s, 1, one, f);
		s += one;
		n -= one;
	}
	fputc('"', f);
}

static void render_json_write_cell(FILE *f, const struct cell *c)
{
	switch (c->kind) {
	case RAW_UINT: fprintf(f, "%" PRIu64, c->raw.u); break;
	case RAW_INT: fprintf(f, "%" PRId64, c->raw.i); break;
	case RAW_DOUBLE: fprintf(f, "%.10g", c->raw.d); break;
	case RAW_HEX: fprintf(f, "\"0x%" PRIx64 "\"", c->raw.u); break;
	case RAW_LIST:
		for (uint32_t i = 0; i < c->count; i++)
			fprintf(f, "%s%" PRIu64, i ? ", " : "[", c->raw.list[i]);
		fputs(c->count ? "]" : "[]", f);
		break;
	default: render_json_or_null(f, c->text); break;
	}
}

static void row_object(FILE *f, const struct grid *g, const struct grid_row *row)
{
	bool any = false;
	fputs("  {", f);
	for (unsigned c = 0; c < g->column_count; c++) {
		render_json_text(f, g->columns[c].name);
		fputs(": ", f);
		const bool quoted = c < 64 && (g->texts >> c & 1) &&
		                    row->cells[c].kind != RAW_NONE && row->cells[c].kind != RAW_HEX;
		fputs(quoted ? "\"" : "", f);
		render_json_write_cell(f, &row->cells[c]);
		fputs(quoted ? "\"" : "", f);
		fputs(", ", f);
	}
	fprintf(f, "\"role\": \"%s\", \"changed\": [", role_name[row->role]);
	for (unsigned c = 0; c < g->column_count; c++) {
		if (!row->cells[c].changed)
			continue;
		fputs(any ? ", " : "", f);
		render_json_text(f, g->columns[c].name);
		any = true;
	}
	fprintf(f, "]%s}", row->fresh ? ", \"new\": true" : "");
}

void render_json(FILE *f, const struct grid *g, const char *view, uint64_t cycle)
{
	fputs("{\"view\": ", f);
	render_json_text(f, view);
	fprintf(f, ", \"schema\": %d, \"title\": ", RENDER_JSON_SCHEMA);
	render_json_text(f, g->title);
	fputs(", \"summary\": ", f);
	render_json_or_null(f, g->summary);
	if (cycle != RENDER_NO_CYCLE)
		fprintf(f, ", \"cycle\": %" PRIu64, cycle);
	fputs(",\n \"columns\": [", f);
	for (unsigned c = 0; c < g->column_count; c++) {
		fputs(c ? ", {\"name\": " : "{\"name\": ", f);
		render_json_text(f, g->columns[c].name);
		fputs(", \"unit\": ", f);
		render_json_or_null(f, g->columns[c].unit);
		fputc('}', f);
	}
	fputs("],\n \"rows\": [", f);
	bool any = false;
	for (unsigned r = 0; r < g->row_count; r++) {
		if (g->rows[r].role == ROLE_HEAD)
			continue;
		fputs(any ? ",\n" : "\n", f);
		row_object(f, g, &g->rows[r]);
		any = true;
	}
	fputs(any ? "\n ]}\n" : "]}\n", f);
}

char *render_json_string(const struct grid *g, const char *view, uint64_t cycle)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	render_json(f, g, view, cycle);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
