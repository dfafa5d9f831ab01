#include "scripting/svg.h"

#include <math.h>
#include <string.h>

/* Pixels. Text widths are estimated, because no font is known here. */
enum {
	LEFT = 64,
	RIGHT = 16,
	TOP = 44,
	PANEL_TITLE = 20,
	PLOT_HEIGHT = 260,
	BOTTOM = 56,
	LEGEND_ROW = 20,
	PANEL_GAP = 16,
	LETTER = 7,
	PANEL_MIN = 220,
	PLACE_MIN = 36,
	BAR = 14,
	LONG_WORD = 9,
	SLANT_ROOM = 40,
};

/* Okabe and Ito's colours, which are distinct for colour-blind readers; black and yellow are
 * replaced by colours that stand out on light and dark. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#8c8c8c", "#56b4e9", "#e69f00", "#7f5ac8"};
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3"};
enum {
	COLOURS = sizeof colours / sizeof *colours,
	DASHES = sizeof dashes / sizeof *dashes,
	MARKS = 4
};

/* Positions of all parts. */
struct layout {
	int panel_width, width, height, top; /* top: of the plots */
	double max, step;                    /* of y */
	bool slanted;                        /* names of places are slanted */
};

static void svg_write_escaped(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*s, f);
		}
}

/* The distance of ticks on an axis from 0 to max: 1, 2 or 5 times a power of ten, giving four to
 * nine ticks. */
static double svg_tick_step(double max)
{
	static const double steps[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(max / 4)));
	for (unsigned i = 3; i-- > 0;)
		if (max / (steps[i] * power) >= 4)
			return steps[i] * power;
	return power;
}

/* Writes an axis number: 0.25, 1.5, 20k, 3M. */
static void svg_write_axis_number(FILE *f, double v)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
	for (unsigned i = 0; i < 4; i++)
		if (v >= units[i].unit) {
			fprintf(f, "%.6g%s", v / (i == 3 ? 1e3 : units[i].unit), units[i].name);
			return;
		}
	fprintf(f, "%.6g", v);
}

static size_t svg_longest_word(const char *const *words, size_t n)
{
	size_t most = 0;
	for (size_t i = 0; words && i < n; i++)
		if (strlen(words[i]) > most)
			most = strlen(words[i]);
	return most;
}

static int legend_width(const char *series)
{
	return 18 + (int)strlen(series) * LETTER + 16;
}

static struct layout svg_compute_layout(const struct svg_chart *c)
{
	struct layout l = {0};
	size_t bars = c->lines ? 1 : c->series_count,
	       word = svg_longest_word(c->places, c->place_count);
	int place = (int)bars * BAR + BAR;
	l.slanted = word > LONG_WORD;
	int wide = l.slanted ? 0 : (int)word * LETTER + LETTER;
	place = place > wide ? place : wide;
	place = place > PLACE_MIN ? place : PLACE_MIN;
	l.panel_width = (int)c->place_count * place;
	if (c->panel_count == 1 && l.panel_width < 2 * PANEL_MIN)
		l.panel_width = 2 * PANEL_MIN;
	else if (l.panel_width < PANEL_MIN)
		l.panel_width = PANEL_MIN;
	l.width = LEFT + RIGHT + (int)c->panel_count * (l.panel_width + PANEL_GAP) - PANEL_GAP;
	int title = LEFT + (int)(strlen(c->title) * 9), legend = LEFT;
	for (size_t i = 0; c->series && i < c->series_count; i++)
		legend += legend_width(c->series[i]);
	l.width = l.width > title ? l.width : title;
	l.width = l.width > legend ? l.width : legend;
	l.top = TOP + (c->series ? LEGEND_ROW : 0) + (c->panels ? PANEL_TITLE : 0);
	l.height = l.top + PLOT_HEIGHT + BOTTOM + (l.slanted ? SLANT_ROOM : 0);
	for (size_t i = 0; i < c->panel_count * c->series_count * c->place_count; i++)
		if (c->values[i] > l.max && isfinite(c->values[i]))
			l.max = c->values[i];
	if (!(l.max > 0))
		l.max = 1;
	l.step = svg_tick_step(l.max);
	l.max = ceil(l.max / l.step - 1e-9) * l.step;
	return l;
}

/* ---- parts ---- */

static void svg_write_head(FILE *f, const struct svg_chart *c, const struct layout *l)
{
	fprintf(f,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
	        "0 %d %d\" role=\"img\">\n<title>",
	        l->width, l->height, l->width, l->height);
	svg_write_escaped(f, c->title);
	fputs("</title>\n<style>\n"
	      "text { font: 12px system-ui, sans-serif; fill: #222 }\n"
	      ".title { font-size: 15px; font-weight: 600 }\n"
	      ".paper { fill: #fff } .grid { stroke: #ddd } .axis { stroke: #555 } .hole { stroke: "
	      "#c00; stroke-width: 2 }\n"
	      "@media (prefers-color-scheme: dark) {\n"
	      "text { fill: #ddd } .paper { fill: #16181c } .grid { stroke: #3a3d42 } .axis { "
	      "stroke: #aaa } .hole { stroke: #f66 }\n}\n",
	      f);
	for (size_t s = 0; s < c->series_count && s < COLOURS; s++)
		fprintf(f, ".s%zu { fill: %s; stroke: %s }\n", s, colours[s], colours[s]);
	fputs(".line { fill: none; stroke-width: 2 } .bar { stroke: none }\n</style>\n", f);
	fprintf(f,
	        "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<text class=\"title\" "
	        "x=\"%d\" y=\"24\">",
	        l->width, l->height, LEFT);
	svg_write_escaped(f, c->title);
	fputs("</text>\n", f);
}

/* Writes one of four shapes. */
static void svg_write_mark(FILE *f, size_t series, double x, double y)
{
	size_t colour = series % COLOURS;
	switch (series % MARKS) {
	case 0:
		fprintf(f, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", colour, x,
		        y);
		break;
	case 1:
		fprintf(f,
		        "<rect class=\"s%zu\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>\n",
		        colour, x - 3.5, y - 3.5);
		break;
	case 2:
		fprintf(f, "<path class=\"s%zu\" d=\"M%.1f %.1fl5 8h-10z\"/>\n", colour, x, y - 5);
		break;
	default:
		fprintf(f, "<path class=\"s%zu\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", colour, x,
		        y - 5);
		break;
	}
}

static void put_bar(FILE *f, size_t series, double x, double y, double width, double height)
{
	/* When colours repeat, bars are paler. */
	const char *pale = series < COLOURS ? "" : " opacity=\"0.55\"";
	fprintf(f,
	        "<rect class=\"s%zu bar\"%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%.1f\"/>\n",
	        series % COLOURS, pale, x, y, width, height);
}

static void put_legend(FILE *f, const struct svg_chart *c)
{
	double x = LEFT;
	for (size_t s = 0; c->series && s < c->series_count; s++) {
		if (c->lines)
			svg_write_mark(f, s, x + 6, TOP);
		else
			put_bar(f, s, x, TOP - 6, 12, 12);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\">", x + 18, TOP + 4);
		svg_write_escaped(f, c->series[s]);
		fputs("</text>\n", f);
		x += legend_width(c->series[s]);
	}
}

static double svg_y_of_value(const struct layout *l, double v)
{
	return l->top + PLOT_HEIGHT * (1 - v / l->max);
}

static void put_grid(FILE *f, const struct svg_chart *c, const struct layout *l, size_t panel,
                     double left)
{
	double right = left + l->panel_width;
	for (int i = 0; i * l->step <= l->max * (1 + 1e-9); i++) {
		double y = svg_y_of_value(l, i * l->step);
		fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>\n", i ? "grid" : "axis",
		        left, y, right);
		if (panel)
			continue;
		fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 6, y + 4);
		svg_write_axis_number(f, i * l->step);
		fputs("</text>\n", f);
	}
	if (!c->panels)
		return;
	fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", (left + right) / 2,
	        l->top - 8);
	svg_write_escaped(f, c->panels[panel]);
	fputs("</text>\n", f);
}

static void put_places(FILE *f, const struct svg_chart *c, const struct layout *l, double left)
{
	double each = (double)l->panel_width / (double)c->place_count, y = l->top + PLOT_HEIGHT;
	for (size_t i = 0; i < c->place_count; i++) {
		double x = left + ((double)i + 0.5) * each;
		fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", x, y);
		if (l->slanted)
			fprintf(f,
			        "<text text-anchor=\"end\" transform=\"translate(%.1f %.1f) "
			        "rotate(-30)\">",
			        x + 4, y + 16);
		else
			fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x,
			        y + 18);
		svg_write_escaped(f, c->places[i]);
		fputs("</text>\n", f);
	}
}

static void svg_write_missing_mark(FILE *f, const struct layout *l, double x)
{
	double y = l->top + PLOT_HEIGHT - 5;
	fprintf(f,
	        "<path class=\"hole\" d=\"M%.1f %.1fl6 6m0 -6l-6 6\"><title>no "
	        "result</title></path>\n",
	        x - 3, y - 3);
}

static void svg_write_value(FILE *f, double v)
{
	fprintf(f, "%.6g", v);
}

static void put_bars(FILE *f, const struct svg_chart *c, const struct layout *l,
                     const double *values, double left)
{
	double each = (double)l->panel_width / (double)c->place_count,
	       bar = each * 0.8 / (double)c->series_count;
	for (size_t i = 0; i < c->place_count; i++)
		for (size_t s = 0; s < c->series_count; s++) {
			double v = values[s * c->place_count + i];
			double x = left + ((double)i + 0.1) * each + (double)s * bar;
			if (!isfinite(v)) {
				svg_write_missing_mark(f, l, x + bar / 2);
				continue;
			}
			fputs("<g><title>", f);
			if (c->series)
				svg_write_escaped(f, c->series[s]);
			fputs(c->series ? ", " : "", f);
			svg_write_escaped(f, c->places[i]);
			fputs(": ", f);
			svg_write_value(f, v);
			fputs("</title>", f);
			put_bar(f, s, x, svg_y_of_value(l, v), bar * 0.94,
			        PLOT_HEIGHT * v / l->max);
			fputs("</g>\n", f);
		}
}

static void svg_write_line(FILE *f, const struct svg_chart *c, const struct layout *l, size_t s,
                           const double *values, double left)
{
	double each = (double)l->panel_width / (double)c->place_count;
	bool pen_down = false;
	fprintf(f, "<path class=\"s%zu line\" stroke-dasharray=\"%s\" d=\"", s % COLOURS,
	        dashes[s % DASHES]);
	for (size_t i = 0; i < c->place_count; i++) {
		if (isfinite(values[i]))
			fprintf(f, "%c%.1f %.1f", pen_down ? 'L' : 'M',
			        left + ((double)i + 0.5) * each, svg_y_of_value(l, values[i]));
		pen_down = isfinite(values[i]);
	}
	fputs("\"/>\n", f);
	for (size_t i = 0; i < c->place_count; i++) {
		double x = left + ((double)i + 0.5) * each;
		if (isfinite(values[i]))
			svg_write_mark(f, s, x, svg_y_of_value(l, values[i]));
		else
			svg_write_missing_mark(
				f, l, x + (double)s * 8 - (double)(c->series_count - 1) * 4);
	}
}

static void put_panel(FILE *f, const struct svg_chart *c, const struct layout *l, size_t panel)
{
	double left = LEFT + (double)panel * (l->panel_width + PANEL_GAP);
	const double *values = c->values + panel * c->series_count * c->place_count;
	put_grid(f, c, l, panel, left);
	put_places(f, c, l, left);
	if (!c->lines)
		put_bars(f, c, l, values, left);
	for (size_t s = 0; c->lines && s < c->series_count; s++)
		svg_write_line(f, c, l, s, values + s * c->place_count, left);
}

static void put_labels(FILE *f, const struct svg_chart *c, const struct layout *l)
{
	double middle = l->top + PLOT_HEIGHT / 2.0;
	double right = LEFT + (double)c->panel_count * (l->panel_width + PANEL_GAP) - PANEL_GAP;
	fprintf(f, "<text text-anchor=\"middle\" transform=\"translate(16 %.1f) rotate(-90)\">",
	        middle);
	svg_write_escaped(f, c->y_label);
	fprintf(f, "</text>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", (LEFT + right) / 2,
	        l->height - 12);
	svg_write_escaped(f, c->x_label);
	fputs("</text>\n", f);
}

void svg_write(FILE *f, const struct svg_chart *c)
{
	struct layout l = svg_compute_layout(c);
	svg_write_head(f, c, &l);
	put_legend(f, c);
	for (size_t p = 0; p < c->panel_count; p++)
		put_panel(f, c, &l, p);
	put_labels(f, c, &l);
	fputs("</svg>\n", f);
}
