#include "ui/screen/theme.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "ui/screen/term_keys.h"

enum theme_id {
#define THEME(id, name, also, help) THEME_##id,
#define INK(...)
#define GROUND(...)
#include "ui/screen/themes.def"
#undef THEME
	THEME_COUNT
};

struct look {
	short c256, c16, c8;
	const char *attributes;
	bool given;
};

static const struct {
	const char *name, *also, *help;
} themes[THEME_COUNT] = {
#define THEME(id, name, also, help) [THEME_##id] = {name, also, help},
#include "ui/screen/themes.def"
#undef THEME
};
#undef INK
#undef GROUND
#define THEME(...)

static const struct look ink_looks[THEME_COUNT][INK_COUNT] = {
#define INK(theme, meaning, c256, c16, c8, attributes)                                             \
	[THEME_##theme][meaning] = {c256, c16, c8, attributes, true},
#define GROUND(...)
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
};

static const struct look ground_looks[THEME_COUNT][GROUND_COUNT] = {
#define INK(...)
#define GROUND(theme, ground, c256, c16, c8, attributes)                                           \
	[THEME_##theme][ground] = {c256, c16, c8, attributes, true},
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
};
#undef THEME

const char *theme_name(unsigned i, const char **help)
{
	if (i >= THEME_COUNT)
		return NULL;
	*help = themes[i].help;
	return themes[i].name;
}

static attr_t attributes_of(const char *letters)
{
	attr_t a = A_NORMAL;
	for (const char *l = letters; l && *l; l++)
		a |= *l == 'B'   ? A_BOLD
		     : *l == 'D' ? A_DIM
		     : *l == 'U' ? A_UNDERLINE
		     : *l == 'R' ? A_REVERSE
		                 : A_ITALIC;
	return a;
}

static int colour_of(const struct look *l)
{
	if (!l->given)
		return -1;
	return COLORS >= 256 ? l->c256 : COLORS >= 16 ? l->c16 : l->c8;
}

static bool has_colours(void)
{
	const char *no = getenv("NO_COLOR");
	return !(no && *no) && has_colors() && COLORS >= 8;
}

static int find_theme(const char *name, struct err *err)
{
	struct nearest n;
	nearest_init(&n, name);
	for (int i = 0; i < THEME_COUNT; i++) {
		if (!strcmp(themes[i].name, name) || !strcmp(themes[i].also, name))
			return i;
		nearest_offer(&n, themes[i].name);
		nearest_offer(&n, themes[i].also);
	}
	err_set(err, "no theme is called '%s'; %s", name,
	        nearest_said(&n, "there are night, day, mono"));
	return -1;
}

bool theme_load(struct theme *t, const char *name, struct err *err)
{
	const char *wanted = name ? name : getenv("CYCLOPS_THEME");
	const bool automatic = !wanted || !*wanted;
	int id = !automatic                ? find_theme(wanted, err)
	         : term_background_light() ? THEME_day
	                                   : THEME_night;
	if (id < 0)
		return false;
	if (!has_colours())
		id = THEME_mono;
	t->name = themes[id].name;
	t->automatic = automatic;
	for (unsigned g = 0; g < GROUND_COUNT; g++) {
		const struct look *below = &ground_looks[id][g];
		for (unsigned i = 0; i < INK_COUNT; i++) {
			const struct look *look = &ink_looks[id][i];
			int fg = colour_of(look), bg = colour_of(below);
			/* Text of the same colour as its ground becomes plain text. */
			if (fg == bg && fg != -1)
				fg = COLORS >= 16 ? 15 : 7;
			t->inks[g][i].attr =
				attributes_of(look->attributes) | attributes_of(below->attributes);
			int pair = fg == -1 && bg == -1 ? 0 : alloc_pair(fg, bg);
			t->inks[g][i].pair = pair < 0 ? 0 : pair;
		}
	}
	return true;
}

bool theme_follow(struct theme *t)
{
	const int fitting = term_background_light() ? THEME_day : THEME_night;
	return t->automatic && t->name != themes[THEME_mono].name &&
	       t->name != themes[fitting].name &&
	       theme_load(t, NULL, &(struct err){0});
}
