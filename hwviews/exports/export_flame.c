/* A flame graph as SVG: each calling context a box, as wide as the cost of it and everything below
 * it, on top of its caller.
 *
 * One file, without scripts or fonts; its bytes depend only on the tree. Colours only distinguish
 * procedures; they follow the reader's light or dark theme. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/exports/export.h"
#include "hwviews/flow/contexts.h"

enum {
	NAME = 256,
	WIDTH = 1200, MARGIN = 10, HEAD = 58, FOOT = 28, ROW = 19, /* pixels */
	LETTER = 7,   /* width of a character, estimated: the font is unknown here */
	COLOURS = 8
};

/* Narrower boxes are left out; pixels. */
static const double least = 0.4;

struct flame {
	const struct session *s;
	struct contexts c;
	FILE *out;
	uint32_t top;      /* depth of the highest box */
	uint32_t left_out; /* boxes */
	bool drawing;      /* false: only measuring */
};

static void export_flame_write_escaped_text(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		default: putc(*s, out);
		}
}

/* Equal names have equal colours. */
static unsigned export_flame_name_colour(const char *name)
{
	uint32_t h = 2166136261;
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619;
	return (h >> 7) % COLOURS;
}

/* Writes the tooltip of a box. */
static void put_title(const struct flame *f, uint32_t node, const char *name)
{
	const struct contexts *c = &f->c;
	const uint64_t whole = c->with[c->by][0], with = c->with[c->by][node];
	fputs("<title>", f->out);
	export_flame_write_escaped_text(f->out, name);
	fprintf(f->out, "\n%s %s, %.2f %%", GROUPED(with), contexts_weight_name(c, c->by),
	        whole ? 100 * (double)with / (double)whole : 0);
	fprintf(f->out, "\n%s of it here, %s call%s", GROUPED(c->own[c->by][node]),
	        GROUPED(c->tree.nodes[node].calls), c->tree.nodes[node].calls == 1 ? "" : "s");
	if (c->tree.nodes[node].site) {
		fputs("\ncalled at ", f->out);
		export_flame_write_escaped_text(
			f->out, session_where(f->s, c->tree.nodes[node].site, BUFFER(NAME)));
	}
	fprintf(f->out, "\nnode %" PRIu32 "</title>", node);
}

static void put_box(const struct flame *f, uint32_t node, double x, double width)
{
	char name[NAME];
	const uint32_t y = HEAD + (f->top - f->c.tree.nodes[node].depth) * ROW;
	contexts_name(f->s, &f->c, node, name, sizeof name);
	fputs("<g>", f->out);
	put_title(f, node, name);
	fprintf(f->out,
	        "<rect class=\"c%u\" x=\"%.2f\" y=\"%" PRIu32
	        "\" width=\"%.2f\" height=\"%d\" rx=\"2\"/>",
	        export_flame_name_colour(name), x, y, width > 1 ? width - 0.5 : width, ROW - 1);
	const size_t room = width > 8 ? (size_t)((width - 6) / LETTER) : 0;
	if (room >= 3) {
		const size_t n = strlen(name);
		if (n > room)
			strcpy(name + room - 1, "…");
		fprintf(f->out, "<text x=\"%.2f\" y=\"%" PRIu32 "\">", x + 4, y + ROW - 6);
		export_flame_write_escaped_text(f->out, name);
		fputs("</text>", f->out);
	}
	fputs("</g>\n", f->out);
}

/* Draws a node and its subtree from x on, `scale` pixels for each unit of cost. */
static void export_flame_draw_subtree(struct flame *f, uint32_t node, double x, double scale)
{
	const uint64_t with = f->c.with[f->c.by][node];
	const uint32_t depth = f->c.tree.nodes[node].depth;
	const double width = (double)with * scale;
	uint64_t sum = 0;
	uint32_t n;
	if (f->drawing)
		put_box(f, node, x, width);
	else if (depth > f->top)
		f->top = depth;
	const uint32_t *kids = contexts_children(&f->c, node, &n);
	for (uint32_t i = 0; i < n; i++)
		sum += f->c.with[f->c.by][kids[i]];
	/* Measured costs of children may exceed their caller's, if longjmp ended the caller. */
	if (sum > with)
		scale *= (double)with / (double)sum;
	for (uint32_t i = 0; i < n; i++) {
		const double wide = (double)f->c.with[f->c.by][kids[i]] * scale;
		if (wide < least) {
			f->left_out += f->drawing ? 0 : n - i;
			break;
		}
		export_flame_draw_subtree(f, kids[i], x, scale);
		x += wide;
	}
}

static void put_style(FILE *out)
{
	static const char *const light[COLOURS] = {"#f4b183", "#f8cbad", "#ffd966", "#f6c244",
	                                           "#e8a0a0", "#dcb8a6", "#eecf9a", "#e9967a"};
	static const char *const dark[COLOURS] = {"#8a4b1f", "#7d5238", "#7a6216", "#86640f",
	                                          "#7d3b3b", "#6b4c3d", "#715628", "#8a4534"};
	fputs("<style>\nsvg{background:#fff;color:#222}\ntext{font:12px "
	      "ui-monospace,monospace;fill:currentColor;pointer-events:none}\n"
	      ".t{font-size:16px;font-weight:bold}.d{opacity:.7}\n"
	      "rect:hover{stroke:currentColor;stroke-width:1.5}\n",
	      out);
	for (unsigned i = 0; i < COLOURS; i++)
		fprintf(out, ".c%u{fill:%s}", i, light[i]);
	fputs("\n@media (prefers-color-scheme:dark){svg{background:#15171c;color:#e4e6ea}\n", out);
	for (unsigned i = 0; i < COLOURS; i++)
		fprintf(out, ".c%u{fill:%s}", i, dark[i]);
	fputs("}\n</style>\n", out);
}

static void export_flame_write_svg_header(const struct flame *f)
{
	const struct contexts *c = &f->c;
	const uint32_t height = HEAD + (f->top + 1) * ROW + FOOT;
	fprintf(f->out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu32
	        "\" viewBox=\"0 0 %d %" PRIu32 "\">\n",
	        WIDTH, height, WIDTH, height);
	put_style(f->out);
	fprintf(f->out, "<text class=\"t\" x=\"%d\" y=\"24\">", MARGIN);
	export_flame_write_escaped_text(f->out, program_path(f->s->program));
	fprintf(f->out, "</text>\n<text class=\"d\" x=\"%d\" y=\"44\">%s %s in %s calling contexts",
	        MARGIN, GROUPED(c->tree.count ? c->with[c->by][0] : 0),
	        contexts_weight_name(c, c->by), GROUPED(c->tree.count));
	if (f->left_out)
		fprintf(f->out, ", %s and what they called too narrow to be drawn",
		        GROUPED(f->left_out));
	fprintf(f->out,
	        "</text>\n<text class=\"d\" x=\"%d\" y=\"%" PRIu32
	        "\">callers below, callees above: width is cost, the costliest are on the "
	        "left</text>\n",
	        MARGIN, height - 10);
}

static bool write_flame(const struct session *s, const struct view_args *args, FILE *out,
                        struct err *err)
{
	struct contexts_args a;
	struct flame f = {.s = s, .out = out};
	if (!contexts_words(s, args, 0, "", &a, err) || !contexts_read(s, &a, &f.c, err))
		return false;
	const uint64_t whole = f.c.tree.count ? f.c.with[f.c.by][0] : 0;
	const double scale = whole ? (WIDTH - 2 * MARGIN) / (double)whole : 0;
	if (whole)
		export_flame_draw_subtree(&f, 0, MARGIN, scale);
	export_flame_write_svg_header(&f);
	f.drawing = true;
	if (whole)
		export_flame_draw_subtree(&f, 0, MARGIN, scale);
	fputs("</svg>\n", out);
	contexts_free(&f.c);
	return true;
}

const struct export_format export_flamegraph = {
	.name = "flamegraph",
	.title = "calling contexts as a picture (SVG), for a browser",
	.args = CONTEXTS_ARGS " " REGION_ARGS,
	.write = write_flame,
	.help = "A box for each calling context, as wide as its cost including\n"
		"callees, on top of its caller; the largest are on the left. Point at one to\n"
		"read its numbers and call site. The uncovered top of a box is\n"
	        "its own cost. Boxes too narrow to be seen are left out, and counted. Colours\n"
	        "distinguish procedures. Any browser opens it: it is one file, without scripts.",
};
