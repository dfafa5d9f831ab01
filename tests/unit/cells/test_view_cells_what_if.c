/* what-if, cell by cell, against runs of machines with one change each. */
#include "core/machine/params.h"
#include "tests/by_hand.h"
#include "hwviews/why/what_if.h"
#include "tests/unit/cells/profiling_cells.h"

enum { SLOT_ROWS = SLOT_COUNT };

/* Reads settings of what_if.def into those that a machine of cfg lacks, "NAME=VALUE ...". */
static void what_if_lacking_settings(const struct config *cfg, const char *settings, char *out,
                                     size_t n)
{
	char copy[256], *save;
	snprintf(copy, sizeof copy, "%s", settings);
	*out = '\0';
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		struct config other = *cfg, old = *cfg;
		struct err err;
		const bool together = *one == '+';
		if (together && !*out)
			continue;
		one += together;
		char *value = strchr(one, '=') + 1, *op = one + strcspn(one, ":<>=");
		const char how = *op;
		*op = value[-1] = '\0';
		const struct param *p = param_find(one, &err);
		assert_true(config_set(&other, one, value, &err));
		if (how == ':')
			assert_true(config_set(&old, one, op + 1, &err));
		const int64_t has = config_get(cfg, p), wanted = config_get(&other, p);
		if (has == wanted || (how == '>' && has > wanted) || (how == '<' && has < wanted) ||
		    has != config_get(&old, p))
			continue;
		const size_t length = strlen(out);
		snprintf(out + length, n - length, "%s%s=%s", length ? " " : "", one, value);
	}
}

/* Cycles of the program's first instructions on a machine of these settings; in each row of the
 * slot stack, too. */
static uint64_t cycles_with(const struct session *s, const char *settings, uint64_t insts,
                            double rows[SLOT_ROWS])
{
	static const char *const names[] = {
#define SLOT(field, name, ...) "slots." name,
#include "core/defs/slots.def"
#undef SLOT
	};
	struct launch l = s->launch;
	struct config cfg = *machine_config(s->machine);
	struct err err;
	char copy[256], *save;
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
		assert_true(config_set_assignment(&cfg, one, &err));
	struct machine *m = launch_machine(&l, s->program, &cfg, &err);
	assert_non_null(m);
	machine_run(m, UINT64_MAX, insts);
	const uint64_t cycles = machine_cycle(m);
	const bool wide = strstr(settings, "decode_width");
	const double used = stat_value(machine_stats(m), stat_find("slots.retired", NULL)) +
	                    stat_value(machine_stats(m), stat_find("slots.in_flight", NULL)),
		     lost = (double)cycles * 16 - used;
	/* Lost slots of a wider machine: as many cycles as the narrow one would have lost. */
	for (unsigned i = 0; i < SLOT_ROWS; i++)
		rows[i] = stat_value(machine_stats(m), stat_find(names[i], NULL)) *
		          (wide ? ((double)cycles - used / 4) / lost : 0.25);
	machine_free(m);
	return cycles;
}

static const char *const slot_names[] = {
#define SLOT(field, name, ...) name,
#include "core/defs/slots.def"
#undef SLOT
};

static bool lists_word(const char *words, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = words; (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* The first remedy, in the table's order, that has a row of the slot stack. */
static const struct what_if_remedy *first_with(const struct what_if *w, const char *row)
{
	const struct what_if_remedy *first = NULL;
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		const struct what_if_remedy *r = w->row[i].remedy;
		if (lists_word(r->rows, row) && (!first || r < first))
			first = r;
	}
	return first;
}

/* The remedy of this row alone, else the first that has it. */
static const char *words_of_row(const struct what_if *w, const char *row)
{
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++)
		if (!strcmp(w->row[i].remedy->rows, row))
			return w->row[i].remedy->name;
	return first_with(w, row)->name;
}

/* The sign's largest change of another cause, unless it is less than half a per cent: the rows of a
 * remedy together, and named by it if several changed. */
static void says_largest(struct cells *c, const struct what_if *w, const struct what_if_remedy *own,
                         const double more[SLOT_ROWS], double sign, const char *name_cell,
                         const char *cycles_cell)
{
	const char *name = "";
	double most = (double)w->cycles / 200;
	for (unsigned i = 0; i < SLOT_ROWS; i++) {
		const struct what_if_remedy *cause = first_with(w, slot_names[i]);
		double sum = 0;
		unsigned changed = 0;
		for (unsigned k = 0; k < SLOT_ROWS; k++) {
			if (lists_word(own->rows, slot_names[k]) ||
			    (k != i && (!cause || first_with(w, slot_names[k]) != cause)))
				continue;
			if (k == i || fabs(more[k]) >= 1)
				sum += more[k];
			changed += k != i && fabs(more[k]) >= 1;
		}
		if (sign * sum > most) {
			most = sign * sum;
			name = changed ? cause->name : words_of_row(w, slot_names[i]);
		}
	}
	says(c, name_cell, "%s", name);
	if (*name)
		says_double(c, cycles_cell, most, sign < 0 ? "-%s" : "+%s",
		            grouped((uint64_t)(most + 0.5)));
	else
		says(c, cycles_cell, "%s", "");
}

/* A cause without a remedy has a claim, and the reason. */
static void says_kept(struct cells *c, const struct what_if_row *r)
{
	static const char *const blank[] = {"cycles", "saved", "share", "bar",
	                                    "next",   "grew",  "also",  "shrank"};
	for (unsigned i = 0; i < sizeof blank / sizeof *blank; i++)
		says(c, blank[i], "%s", "");
	if (*r->remedy->rows)
		says_double(c, "claim", r->claim, "%s", grouped((uint64_t)(r->claim + 0.5)));
	else
		says(c, "claim", "%s", "");
	says(c, "settings", "%s", r->remedy->kept);
}

static int64_t never_asked(void *ctx, const void **bytes)
{
	(void)ctx, (void)bytes;
	fail_msg("the program reads nothing");
	return 0;
}

static bool no_more(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	(void)ctx, (void)steps;
	return done < all / 2;
}

/* A stretch from the beginning is run again with nothing warm: as the program itself, on another
 * machine. */
TEST(stretches_are_run_again)
{
	struct session *s = open_program("tests/golden/guest.elf", "pipe.commit_width=3");
	struct region all = {0};
	struct err err;
	struct cells c;
	uint64_t last = 0;
	run_for(s, 3000);
	s->what_if = malloc(sizeof *s->what_if);
	assert_true(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	const struct what_if *w = s->what_if;
	double now[SLOT_ROWS], then[SLOT_ROWS];
	const uint64_t insts = machine_stats(s->machine)->insts,
		       cycles = cycles_with(s, "", insts, now);
	assert_int_equal(w->insts, insts);
	assert_true(w->cycles == cycles && cycles <= 3000);
	cells_open(&c, s, "what-if all");
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		const struct what_if_remedy *r = w->row[i].remedy;
		char settings[160];
		what_if_lacking_settings(machine_config(s->machine), r->settings, settings,
		                         sizeof settings);
		const uint64_t without = cycles_with(s, settings, insts, then);
		const int64_t saved = (int64_t)(cycles - without);
		const double share = 100 * (double)saved / (double)cycles;
		char bar[100] = "", copy[128], *save;
		double claim = 0;
		assert_true(r->kept || without >= last);
		last = without;
		for (int k = 0; k < (int)(share / 100 * 24 + 0.5); k++)
			strcat(bar, "█");
		if (share <= -0.1)
			strcpy(bar, "would cost");
		snprintf(copy, sizeof copy, "%s", r->rows);
		for (char *row = strtok_r(copy, " ", &save); row;
		     row = strtok_r(NULL, " ", &save)) {
			char name[64];
			snprintf(name, sizeof name, "slots.%s", row);
			claim += stat_value(machine_stats(s->machine), stat_find(name, NULL)) / 4;
		}
		cells_row(&c);
		says(&c, "cause", "%s", r->name);
		/* the session is up to a cycle past the commit of its last instruction */
		assert_true(w->row[i].claim <= claim + 1 &&
		            claim <= w->row[i].claim + (double)(3000 - cycles) + 1);
		if (r->kept) {
			says_kept(&c, &w->row[i]);
			continue;
		}
		says_uint(&c, "cycles", without);
		says_word(&c, "saved", RAW_INT, (uint64_t)saved, "%s%s", saved < 0 ? "-" : "",
		          grouped((uint64_t)(saved < 0 ? -saved : saved)));
		says_double(&c, "share", share, "%.1f%%", share);
		says(&c, "bar", "%s", bar);
		if (*r->rows)
			says_double(&c, "claim", w->row[i].claim, "%s",
			            grouped((uint64_t)(w->row[i].claim + 0.5)));
		else
			says(&c, "claim", "%s", "");
		double more[SLOT_ROWS];
		for (unsigned k = 0; k < SLOT_ROWS; k++)
			more[k] = then[k] - now[k];
		says_largest(&c, w, r, more, 1, "next", "grew");
		says_largest(&c, w, r, more, -1, "also", "shrank");
		says(&c, "settings", "%s",
		     *settings ? settings : "nothing: this machine has no such limit");
	}
	cells_close(&c);
	session_ask_for_input(s, never_asked, NULL);
	assert_true(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	assert_false(what_if_run(s, &all, no_more, NULL, s->what_if, &err));
	assert_string_equal(err.msg, "interrupted");
	assert_true(machine_set_reg(s->machine, 5, 1, &err));
	run_for(s, 10);
	assert_false(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	assert_non_null(strstr(err.msg, "changed by hand"));
	session_free(s);
}

TEST(what_if_cells_are_complete)
{
	views_are_complete("what_if");
}
