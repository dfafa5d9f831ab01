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
#define PAPER(...)
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
#undef PAPER

static const struct paper {
	struct look ground, text;
} papers[THEME_COUNT] = {
#define INK(...)
#define GROUND(...)
#define PAPER(theme, c256, c16, c8, t256, t16, t8)                                                 \
	[THEME_##theme] = {{c256, c16, c8, "", true}, {t256, t16, t8, "", true}},
#include "ui/screen/themes.def"
#undef INK
#undef GROUND
#undef PAPER
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

/* Makes the paper the background of what ncurses erases. */
static void theme_set_paper(const struct paper *p)
{
	cchar_t blank;
	int pair = p->ground.given ? alloc_pair(colour_of(&p->text), colour_of(&p->ground)) : 0;
	pair = pair < 0 ? 0 : pair;
	setcchar(&blank, L" ", A_NORMAL, 0, &pair);
	bkgrndset(&blank);
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
	t->on_paper = id != THEME_mono && (id == THEME_day) != term_background_light();
	const struct paper *paper = &papers[t->on_paper ? id : THEME_mono];
	theme_set_paper(paper);
	for (unsigned g = 0; g < GROUND_COUNT; g++) {
		const struct look *below = &ground_looks[id][g];
		for (unsigned i = 0; i < INK_COUNT; i++) {
			const struct look *look = &ink_looks[id][i];
			int fg = colour_of(look), bg = colour_of(below);
			fg = fg == -1 ? colour_of(&paper->text) : fg;
			bg = bg == -1 ? colour_of(&paper->ground) : bg;
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
	const bool fits =
		t->name == themes[term_background_light() ? THEME_day : THEME_night].name;
	return t->name != themes[THEME_mono].name && (t->automatic ? !fits : fits == t->on_paper) &&
	       theme_load(t, t->automatic ? NULL : t->name, &(struct err){0});
}
