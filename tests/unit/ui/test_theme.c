/* The colour contract of ui/screen/themes.def, computed from its rows: contrast by WCAG 2, and
 * colours as seen without red or green cones, or in greys (Machado, Oliveira and Fernandes 2009,
 * severity 1). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ui/screen/theme.h"
#include "tests/cases.h"

enum which { NIGHT, DAY, MONO, THEMES };
enum { night = NIGHT, day = DAY, mono = MONO };
#define CONTRAST 4.5
#define APART 8.0 /* in CIE Lab; 2.3 is just noticeable */

struct row {
	enum which theme;
	unsigned meaning;
	int c256, c16, c8;
	const char *attributes;
};

#define THEME(...)
static const struct row inks[] = {
#define INK(theme, meaning, c256, c16, c8, attributes)                                             \
	{(enum which)theme, meaning, c256, c16, c8, attributes},
#define GROUND(...)
#define PAPER(...)
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
#undef PAPER
};
static const struct row grounds[] = {
#define INK(...)
#define GROUND(theme, meaning, c256, c16, c8, attributes)                                          \
	{(enum which)theme, meaning, c256, c16, c8, attributes},
#define PAPER(theme, c256, c16, c8, ...) {(enum which)theme, GROUND_NONE, c256, c16, c8, ""},
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
#undef PAPER
};
static const struct row papers[] = {
#define INK(...)
#define GROUND(...)
#define PAPER(theme, c256, c16, c8, t256, t16, t8)                                                 \
	{(enum which)theme, ROLE_PLAIN, t256, t16, t8, ""},
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
#undef PAPER
};
enum { INKS = sizeof inks / sizeof *inks, GROUNDS = sizeof grounds / sizeof *grounds };

/* The terminal's own backgrounds that a theme is for. */
static const uint32_t own_grounds[][2] = {
	[NIGHT] = {0x000000, 0x1e1e1e}, [DAY] = {0xffffff, 0xf2f2f2}};

/* xterm's palette. */
static uint32_t palette_colour(int i)
{
	static const uint32_t basic[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	static const uint32_t steps[6] = {0, 95, 135, 175, 215, 255};
	if (i < 16)
		return basic[i];
	if (i >= 232)
		return 0x010101u * (8 + 10 * (uint32_t)(i - 232));
	i -= 16;
	return steps[i / 36] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

static void linear_of(uint32_t rgb, double out[3])
{
	for (int i = 0; i < 3; i++) {
		const double c = (rgb >> (16 - 8 * i) & 255) / 255.0;
		out[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
}

static double luminance_of(const double linear[3])
{
	return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

static double contrast_of(uint32_t a, uint32_t b)
{
	double la[3], lb[3];
	linear_of(a, la);
	linear_of(b, lb);
	const double x = luminance_of(la), y = luminance_of(lb);
	return ((x > y ? x : y) + 0.05) / ((x > y ? y : x) + 0.05);
}

static const struct eye {
	const char *name;
	double of[3][3];
} eyes[] = {
	{"all cones", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"deuteranopia",
         {{0.367322, 0.860646, -0.227968},
          {0.280085, 0.672501, 0.047413},
          {-0.011820, 0.042940, 0.968881}}},
	{"protanopia",
         {{0.152286, 1.052583, -0.204868},
          {0.114503, 0.786281, 0.099216},
          {-0.003882, -0.048116, 1.051998}}},
	{"greys", {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}},
};
enum { EYES = sizeof eyes / sizeof *eyes };

static double lab_part(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16 / 116.0;
}

static void lab_of(uint32_t rgb, const struct eye *eye, double lab[3])
{
	double c[3], seen[3];
	linear_of(rgb, c);
	for (int i = 0; i < 3; i++) {
		seen[i] = eye->of[i][0] * c[0] + eye->of[i][1] * c[1] + eye->of[i][2] * c[2];
		seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
	}
	const double x = lab_part((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) /
	                          0.9505),
		     y = lab_part(luminance_of(seen)),
		     z = lab_part((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) /
	                          1.0888);
	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double colour_distance(uint32_t a, uint32_t b, const struct eye *eye)
{
	double p[3], q[3];
	lab_of(a, eye, p);
	lab_of(b, eye, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
	            (p[2] - q[2]) * (p[2] - q[2]));
}

static const struct row *ink_of(enum which theme, unsigned meaning)
{
	for (int i = 0; i < INKS; i++)
		if (inks[i].theme == theme && inks[i].meaning == meaning)
			return &inks[i];
	fail_msg("theme %d has no ink for meaning %u", theme, meaning);
	return NULL;
}

static bool is_reversed(const struct row *r)
{
	return strchr(r->attributes, 'R') != NULL;
}

/* The formulas give published values. */
TEST(test_formulas)
{
	assert_true(fabs(contrast_of(0x000000, 0xffffff) - 21) < 0.01);
	assert_true(fabs(contrast_of(0x777777, 0xffffff) - 4.48) < 0.01);
	double lab[3];
	lab_of(0xff0000, &eyes[0], lab);
	assert_true(fabs(lab[0] - 53.2) < 0.1 && fabs(lab[1] - 80.1) < 0.2 &&
	            fabs(lab[2] - 67.2) < 0.2);
	/* Red and green of equal lightness differ for most eyes, hardly without green cones. */
	assert_true(colour_distance(0xd06060, 0x80902a, &eyes[0]) > 60);
	assert_true(colour_distance(0xd06060, 0x80902a, &eyes[1]) < 40);
	assert_true(colour_distance(0xd06060, 0x80902a, &eyes[3]) < 8);
}

TEST(test_contrast)
{
	unsigned texts = 0;
	for (int i = 0; i < INKS; i++) {
		const struct row *r = &inks[i];
		if (r->theme == MONO || r->meaning == INK_LINE || r->c256 < 0)
			continue;
		texts++;
		double least = contrast_of(palette_colour(r->c16), own_grounds[r->theme][0]);
		if (least < CONTRAST)
			fail_msg("theme %d, meaning %u: contrast %.2f with 16 colours", r->theme,
			         r->meaning, least);
		for (int g = 0; g < 2 + GROUNDS; g++) {
			if (g >= 2 && (grounds[g - 2].theme != r->theme || grounds[g - 2].c256 < 0))
				continue;
			const uint32_t ground = g < 2 ? own_grounds[r->theme][g]
			                              : palette_colour(grounds[g - 2].c256);
			least = contrast_of(palette_colour(r->c256), ground);
			if (least < CONTRAST)
				fail_msg("theme %d, meaning %u: contrast %.2f with #%06x", r->theme,
				         r->meaning, least, (unsigned)ground);
		}
	}
	assert_true(texts > 50);
	/* Plain text of a theme with a background of its own. */
	for (int i = 0; i < 2 * GROUNDS; i++) {
		const struct row *p = &papers[i % 2], *g = &grounds[i / 2];
		if (g->theme == p->theme && g->c256 >= 0)
			assert_true(contrast_of(palette_colour(p->c256), palette_colour(g->c256)) >=
			            CONTRAST);
	}
	assert_int_equal(sizeof papers / sizeof *papers, 2);
}

static const unsigned alarms[] = {ROLE_MISS, ROLE_HOT, ROLE_BREAKPOINT, ROLE_ERROR, INK_PAST};
enum { ALARMS = sizeof alarms / sizeof *alarms };

TEST(test_alarms_are_told_apart_by_any_eye)
{
	for (enum which theme = NIGHT; theme <= DAY; theme++)
		for (int a = 0; a < ALARMS; a++)
			for (int b = a + 1; b < ALARMS; b++) {
				const struct row *p = ink_of(theme, alarms[a]),
						 *q = ink_of(theme, alarms[b]);
				for (int e = 0; e < EYES && is_reversed(p) == is_reversed(q); e++) {
					const double d =
						colour_distance(palette_colour(p->c256),
					                        palette_colour(q->c256), &eyes[e]);
					if (d < APART)
						fail_msg("theme %d: meanings %u and %u are %.1f "
						         "apart, %s",
						         theme, alarms[a], alarms[b], d,
						         eyes[e].name);
				}
			}
}

/* With few colours or none, attributes distinguish. */
TEST(test_alarms_are_told_apart_with_few_colours)
{
	for (enum which theme = NIGHT; theme < THEMES; theme++)
		for (int a = 0; a < ALARMS; a++)
			for (int b = a + 1; b < ALARMS; b++) {
				const struct row *p = ink_of(theme, alarms[a]),
						 *q = ink_of(theme, alarms[b]);
				const bool same = !strcmp(p->attributes, q->attributes);
				assert_false(same && p->c16 == q->c16);
				assert_false(same && p->c8 == q->c8);
			}
}

/* Neighbours in one view that only colour separates; sight of greys alone is not tested. */
TEST(test_neighbours_are_told_apart)
{
	static const unsigned pairs[][2] = {
		{ROLE_MISS, ROLE_RUNNING}, {ROLE_WAITING, ROLE_RUNNING}, {ROLE_HIT, ROLE_MISS},
		{ROLE_CURRENT, ROLE_MISS}, {ROLE_DONE, ROLE_MISS},       {INK_RANK_1, INK_RANK_2},
		{INK_RANK_1, INK_RANK_3},  {INK_RANK_2, INK_RANK_3},     {INK_RANK_1, INK_RANK_4},
		{INK_RANK_2, INK_RANK_4},  {INK_RANK_3, INK_RANK_4},     {INK_RANK_1, INK_RANK_5},
		{INK_RANK_2, INK_RANK_5},  {INK_RANK_3, INK_RANK_5},     {INK_RANK_4, INK_RANK_5},
	};
	(void)state;
	for (enum which theme = NIGHT; theme <= DAY; theme++)
		for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
			for (int e = 0; e + 1 < EYES; e++) {
				const double d = colour_distance(
					palette_colour(ink_of(theme, pairs[i][0])->c256),
					palette_colour(ink_of(theme, pairs[i][1])->c256), &eyes[e]);
				if (d < APART)
					fail_msg("theme %d: meanings %u and %u are %.1f apart, %s",
					         theme, pairs[i][0], pairs[i][1], d, eyes[e].name);
			}
}

/* The causes of the timeline, whose columns have no other mark; greys separate the first four. */
TEST(test_causes_are_told_apart)
{
	static const unsigned causes[] = {ROLE_MISS,    INK_CAUSE_L2,    INK_CAUSE_L1D,
	                                  INK_CAUSE_DEPENDENCY, ROLE_RUNNING, ROLE_WRONG_PATH,
	                                  ROLE_HIT};
	enum { CAUSES = sizeof causes / sizeof *causes, IN_GREYS = 4 };
	(void)state;
	for (enum which theme = NIGHT; theme <= DAY; theme++)
		for (int a = 0; a < CAUSES; a++)
			for (int b = a + 1; b < CAUSES; b++)
				for (int e = 0; e < EYES - (b >= IN_GREYS); e++) {
					const double d = colour_distance(
						palette_colour(ink_of(theme, causes[a])->c256),
						palette_colour(ink_of(theme, causes[b])->c256),
						&eyes[e]);
					if (d < APART)
						fail_msg("theme %d: causes %u and %u are %.1f "
						         "apart, %s",
						         theme, causes[a], causes[b], d,
						         eyes[e].name);
				}
}

TEST(test_changed_is_a_mark)
{
	for (enum which theme = NIGHT; theme < THEMES; theme++) {
		const struct row *r = ink_of(theme, ROLE_CHANGED);
		assert_string_equal(r->attributes, "U");
		assert_true(r->c256 == -1 && r->c16 == -1 && r->c8 == -1);
	}
	for (int i = 0; i < INKS; i++)
		if (inks[i].meaning != ROLE_CHANGED && strchr(inks[i].attributes, 'U'))
			fail_msg("theme %d: meaning %u is underlined, as what has changed",
			         inks[i].theme, inks[i].meaning);
	/* The mark keeps the colour and the pair of the meaning. */
	struct theme t = {.name = "any"};
	t.inks[GROUND_NONE][ROLE_CHANGED] = (struct ink){.attr = 1, .pair = 7};
	const struct ink ink = theme_changed(&t, (struct ink){.attr = 2, .pair = 3});
	assert_true(ink.attr == 3 && ink.pair == 3);
}
