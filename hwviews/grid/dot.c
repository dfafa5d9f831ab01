#include "hwviews/grid/dot.h"

void dot_begin(FILE *out, const char *name)
{
	fputs("digraph ", out);
	dot_string(out, name);
	fputs(" {\n\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, "
	      "color=\"#888888\", fontname=monospace, fontsize=10];\n"
	      "\tedge [color=\"#666666\", fontname=monospace, fontsize=9];\n",
	      out);
}

void dot_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++)
		switch (*text) {
		case '"': fputs("\\\"", out); break;
		case '\\': fputs("\\\\", out); break;
		case '\n': fputs("\\n", out); break;
		default: putc(*text, out);
		}
	putc('"', out);
}

char *dot_heat(double share, char *buf)
{
	/* From white to a light orange, which keeps black text readable. */
	const unsigned green = 255 - (unsigned)(90 * share), blue = 255 - (unsigned)(190 * share);
	snprintf(buf, 8, "#ff%02x%02x", green & 0xff, blue & 0xff);
	return buf;
}
