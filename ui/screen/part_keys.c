#include "ui/screen/part_keys.h"

#include "ui/screen/narration.h"
#include "ui/screen/screen_state.h"

const char timeline_keys_title[] = "While the timeline has the focus";

static const struct key of_timeline[] = {
	{"Left", "scrub -1", "earlier", "", "a column earlier"},
	{"Right", "scrub 1", "later", "", "a column later"},
	{"PgUp", "scrub -10", "", "", "ten columns earlier"},
	{"PgDn", "scrub 10", "", "", "ten columns later"},
	{"Home", "scrub first", "", "", "to the beginning"},
	{"End", "scrub last", "", "", "to the newest cycle"},
	{"Enter", "scrub go", "go there", "", "the machine goes to the cursor's cycle"},
	{"S-Left", "scrub extend -1", "", "", "select, from here to earlier"},
	{"S-Right", "scrub extend 1", "", "", "select, from here to later"},
	{"[", "scrub begin", "begin", "", "the selection begins here"},
	{"]", "scrub end", "end", "", "and ends here"},
	{"+", "scrub in", "closer", "", "half as much of the run, around the cursor"},
	{"-", "scrub out", "farther", "", "twice as much"},
	{"0", "scrub all", "all", "", "all of it"},
	{"Esc", "scrub leave", "back", "", "nothing selected; then keys are for panes again"},
	{"T", "scrub focus", "", "", "keys are for panes again"},
};

const struct key *timeline_key_at(unsigned i)
{
	return i < sizeof of_timeline / sizeof *of_timeline ? &of_timeline[i] : NULL;
}

const struct key *timeline_key(const struct timeline *t, int key)
{
	const struct key *k;
	for (unsigned i = 0; t->focused && (k = timeline_key_at(i)); i++)
		if (key_canonical(key) == key_code(k->name))
			return k;
	return NULL;
}

static const struct key end_page_keys[] = {
	{"Enter", "explain", "go there", "", "to the middle of the place's time"},
	{"S", "reverse-step", "back", "", "a cycle back from the end"},
	{"r", "again", "run again", "",
	 "from the beginning, built anew if its source has changed, and compare"},
	{"e", "edit", "edit", "", "the line that takes most of the time, with $EDITOR"},
	{"x", "prompt export html", "export", "", "this run as a page"},
	{"q", "quit", "quit", "", "leave"},
};

const struct key *end_page_key_at(unsigned i)
{
	return i < sizeof end_page_keys / sizeof *end_page_keys ? &end_page_keys[i] : NULL;
}

const struct key *end_page_key(const struct end_page *e, int key)
{
	const struct key *k;
	for (unsigned i = 0; e->shown && (k = end_page_key_at(i)); i++)
		if (key_canonical(key) == key_code(k->name))
			return k;
	return NULL;
}

const struct key *narration_own_key(int key)
{
	static const struct key own[] = {
		{"Space", "tour next", "", "", "on in the tour, or back to it"},
		{"BackSpace", "tour back", "", "", "a step back in the tour"},
	};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (key_canonical(key) == key_code(own[i].name))
			return &own[i];
	return NULL;
}

const struct key *narration_key(const struct narration *n, int key)
{
	return narration_on(n) ? narration_own_key(key) : NULL;
}

const char *screen_bound(const struct screen *s, int key)
{
	const struct key *own = timeline_key(&s->timeline, key),
			 *end = own ? own : end_page_key(&s->end, key),
			 *k = end ? end : narration_key(&s->narration, key);
	return k ? k->command : key_bound(&s->bindings, key);
}
