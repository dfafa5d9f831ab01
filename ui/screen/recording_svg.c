#include "ui/screen/recording_svg.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"

#define MARGIN 10.0

/* One version of a row, and its time. */
struct span {
	int row;
	double from, to; /* seconds; to < 0: it is the last one */
};

struct recording_svg {
	int rows, cols;
	struct svg_look look;
	char *body; /* owned by f */
	size_t bytes;
	FILE *f;            /* of the body; owned */
	struct span *spans; /* [count], owned: of version i */
	unsigned count;
	long *shown;        /* [rows], owned: version that each row has now; -1: none yet */
	unsigned marked;    /* versions up to the marked picture */
	long marked_bytes;  /* of the body */
	long dropped, dropped_end; /* bytes of `body` that a return dropped */
	bool full, failed;
};

struct recording_svg *recording_svg_new(int rows, int cols, bool light)
{
	struct recording_svg *v = alloc_zeroed(1, sizeof *v);
	if (!v)
		return NULL;
	v->rows = rows;
	v->cols = cols;
	v->look = svg_look(light);
	v->shown = alloc_zeroed((size_t)rows, sizeof *v->shown);
	v->f = v->shown ? alloc_stream(&v->body, &v->bytes) : NULL;
	for (int y = 0; v->f && y < rows; y++)
		v->shown[y] = -1;
	if (v->f)
		return v;
	free(v->shown);
	free(v);
	return NULL;
}

void recording_svg_free(struct recording_svg *v)
{
	if (!v)
		return;
	if (v->f)
		fclose(v->f);
	free(v->body);
	free(v->spans);
	free(v->shown);
	free(v);
}

void recording_svg_row(struct recording_svg *v, int y, const struct glyph *row, double at)
{
	if (v->full || v->failed || y >= v->rows)
		return;
	struct span *more = alloc_resize(v->spans, (v->count + 1) * sizeof *more);
	if (!more) {
		v->failed = true;
		return;
	}
	v->spans = more;
	if (v->shown[y] >= 0)
		v->spans[v->shown[y]].to = at;
	v->shown[y] = v->count;
	v->spans[v->count] = (struct span){y, at, -1};
	fprintf(v->f, "<g id='v%u' transform='translate(%.0f %.1f)'>", v->count++, MARGIN,
	        MARGIN + y * SVG_CELL_HEIGHT);
	svg_row_write(v->f, &v->look, row, v->cols);
	fputs("</g>\n", v->f);
	v->full = ftell(v->f) > RECORDING_SVG_BYTES_MAX;
}

void recording_svg_mark(struct recording_svg *v)
{
	v->marked = v->count;
	v->marked_bytes = ftell(v->f);
}

void recording_svg_return(struct recording_svg *v)
{
	v->dropped = v->marked_bytes;
	v->dropped_end = ftell(v->f);
	v->count = v->marked;
	for (int y = 0; y < v->rows; y++)
		v->shown[y] = -1;
	for (unsigned i = 0; i < v->count; i++) {
		struct span *s = &v->spans[i];
		if (v->shown[s->row] >= 0)
			v->spans[v->shown[s->row]].to = s->from;
		s->to = -1;
		v->shown[s->row] = i;
	}
}

/* ---- the film ---- */
/* Writes when each version is seen: in `length` seconds, again and again. */
static void svg_write_times(const struct recording_svg *v, FILE *f, double length)
{
	fprintf(f, "<style>g[id]{visibility:hidden;animation:%.3fs step-end infinite}\n", length);
	for (unsigned i = 0; i < v->count; i++) {
		const struct span *s = &v->spans[i];
		const double from = 100 * s->from / length, to = 100 * s->to / length;
		fprintf(f, "@keyframes k%u{0%%{visibility:%s}", i,
		        s->from > 0 ? "hidden" : "visible");
		if (s->from > 0)
			fprintf(f, "%.4f%%{visibility:visible}", from);
		if (s->to >= 0 && to < 100)
			fprintf(f, "%.4f%%{visibility:hidden}", to);
		fprintf(f, "}#v%u{animation-name:k%u%s}\n", i, i,
		        s->to < 0 ? ";visibility:visible" : "");
	}
	fputs("@media(prefers-reduced-motion:reduce){g[id]{animation:none}}</style>\n", f);
}

bool recording_svg_write(struct recording_svg *v, const char *path, double end, struct err *err)
{
	struct output_file o;
	fflush(v->f);
	if (v->failed || ferror(v->f))
		return err_set(err, "%s: out of memory while the screen was recorded", path);
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	svg_begin(o.f, &v->look, 2 * MARGIN + v->cols * SVG_CELL_WIDTH,
	          2 * MARGIN + v->rows * SVG_CELL_HEIGHT);
	svg_write_times(v, o.f, end > 0 ? end : 1);
	fputs(SVG_GROUP, o.f);
	fwrite(v->body, 1, (size_t)v->dropped, o.f);
	fwrite(v->body + v->dropped_end, 1, v->bytes - (size_t)v->dropped_end, o.f);
	fputs("</g>\n</svg>\n", o.f);
	return output_end(&o, path, err);
}
