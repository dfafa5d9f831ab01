/* `view fregs`: floating-point registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/program/regfile.h"

/* The shortest decimal that reads back as the same number. */
static char *view_fregs_format_shortest_double(double v, int most, char *buf, size_t n)
{
	for (int digits = 1; digits <= most; digits++) {
		snprintf(buf, n, "%.*g", digits, v);
		double back = strtod(buf, NULL);
		if (most == 9 ? (float)back == (float)v : back == v)
			break;
	}
	return buf;
}

static char *view_fregs_format_meaning(const struct session *s, unsigned reg, uint64_t v, char *buf,
                                       size_t n)
{
	(void)s;
	(void)reg;
	if (v >> 32 == UINT32_MAX) {
		float f;
		uint32_t low = (uint32_t)v;
		memcpy(&f, &low, sizeof f);
		snprintf(buf, n, "%s single",
		         view_fregs_format_shortest_double((double)f, 9, BUFFER(40)));
	} else {
		double d;
		memcpy(&d, &v, sizeof d);
		view_fregs_format_shortest_double(d, 17, buf, n);
	}
	return buf;
}

static bool view_fregs_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	static const char *const rounding[8] = {
		"nearest, ties to even", "towards zero", "down",     "up",
		"nearest, ties away",    "reserved",     "reserved", "reserved"};
	static const char flag[5][3] = {"NX", "UF", "OF", "DZ", "NV"};
	char flags[24] = "";
	uint64_t fcsr = machine_seen_fcsr(s->machine);
	if (!arg_count(args, 0, "fregs", err))
		return false;
	regfile_build(out, "Floating point registers", s, args, REG_F0, view_fregs_format_meaning);
	for (unsigned i = 5; i-- > 0;)
		if (fcsr >> i & 1)
			snprintf(flags + strlen(flags), sizeof flags - strlen(flags), " %s",
			         flag[i]);
	grid_summary(out, "rounding %s, flags%s", rounding[fcsr >> 5 & 7],
	             *flags ? flags : " none");
	return true;
}

const struct view view_fregs = {
	.name = "fregs",
	.title = "Floating point registers",
	.args = "",
	.build = view_fregs_build_grid,
	.help.about =
		"The committed floating point registers. A register holds 64 bits; a single\n"
		"precision number is boxed: its upper half is all ones, which makes it a NaN to\n"
		"double precision instructions (\"single\" after a number marks it).",
	.help.tables = {{GRID_TABLE(regfile_columns), .indent = 19}},
	.help.hints =
		"The line above shows fcsr: rounding mode, and the exceptions raised so far:\n"
		"NX inexact, UF underflow, OF overflow, DZ division by zero, NV invalid.",
};
