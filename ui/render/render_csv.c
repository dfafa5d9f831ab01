#include "ui/render/render_csv.h"

#include <inttypes.h>

#include "hwviews/grid/csv_cell.h"

static void render_csv_write_cell(FILE *f, const struct cell *c)
{
	switch (c->kind) {
	case RAW_UINT: fprintf(f, "%" PRIu64, c->raw.u); break;
	case RAW_INT: fprintf(f, "%" PRId64, c->raw.i); break;
	case RAW_DOUBLE: fprintf(f, "%.10g", c->raw.d); break;
	case RAW_HEX: fprintf(f, "0x%" PRIx64, c->raw.u); break;
	case RAW_LIST:
		for (uint32_t i = 0; i < c->count; i++)
			fprintf(f, "%s%" PRIu64, i ? " " : "", c->raw.list[i]);
		break;
	default: csv_cell(f, c->text); break;
	}
}

void render_csv(FILE *f, const struct grid *g)
{
	for (unsigned c = 0; c < g->column_count; c++) {
		fputs(c ? "," : "", f);
		csv_cell(f, g->columns[c].name);
	}
	fputc('\n', f);
	for (unsigned r = 0; r < g->row_count; r++) {
		if (g->rows[r].role == ROLE_HEAD)
			continue;
		for (unsigned c = 0; c < g->column_count; c++) {
			fputs(c ? "," : "", f);
			render_csv_write_cell(f, &g->rows[r].cells[c]);
		}
		fputc('\n', f);
	}
}
