/* `view config`: the machine's parameters. */
#include <string.h>

#include "core/defs/devices.h"
#include "core/machine/params.h"
#include "hwviews/session/view_text.h"

/* Without arguments, true if p has an effect now or in the next run; with arguments, any p may
 * match. */
static bool view_config_param_is_wanted(const struct session *s, const struct param *p,
                                        const struct view_args *args)
{
	for (int i = 0; i < args->argc; i++)
		if (strstr(p->name, args->argv[i]))
			return true;
	return args->argc == 0 &&
	       (param_exists(machine_config(s->machine), p) || param_exists(&s->cfg, p));
}

static void view_config_append_value_cell(struct grid *g, enum role role, const struct config *cfg,
                                          const struct param *p)
{
	char buf[PARAM_TEXT_MAX];
	config_format(cfg, p, buf, sizeof buf);
	if (p->type == PARAM_INT)
		grid_uint_text(g, role, (uint64_t)config_get(cfg, p), "%s",
		               GROUPED((uint64_t)config_get(cfg, p)));
	else
		grid_text(g, role, "%s", buf);
}

struct row {
	const struct session *s;
	const struct param *p;
	const struct config *defaults;
};

static bool view_config_differs_from_default(const struct row *r)
{
	return !config_same(machine_config(r->s->machine), r->defaults, r->p);
}

FILL(fill_name, struct row, grid_text(g, ROLE_PLAIN, "%s", r->p->name))
FILL(fill_value, struct row,
     view_config_append_value_cell(g, view_config_differs_from_default(r) ? ROLE_HOT : ROLE_NUMBER,
                                   machine_config(r->s->machine), r->p))
FILL(fill_unit, struct row, grid_text(g, ROLE_DIM, "%s", r->p->type == PARAM_INT ? r->p->unit : ""))
FILL(fill_next, struct row,
     !config_same(&r->s->cfg, machine_config(r->s->machine), r->p)
             ? view_config_append_value_cell(g, ROLE_CURRENT, &r->s->cfg, r->p)
             : grid_blank(g))
FILL(fill_default, struct row,
     view_config_differs_from_default(r)
             ? view_config_append_value_cell(g, ROLE_DIM, r->defaults, r->p)
             : grid_blank(g))
FILL(fill_meaning, struct row, r->p->type == PARAM_ENUM || r->p->type == PARAM_TEXT
	? grid_text(g, ROLE_DIM, "%s (%s)", r->p->help, r->p->unit)
	: grid_text(g, ROLE_DIM, "%s", r->p->help))

static const struct grid_column columns[] = {
	{"name", "parameter", "", fill_name, .help = "its name"},
	{"value", "value", "", fill_value, AT_RIGHT,
	 .help = "the value that this machine was built with"},
	{"unit", "unit", "", fill_unit, .help = "of numbers"},
	{"next", "next run", "", fill_next, AT_RIGHT,
	 .help = "values changed by `set`: the next `run` builds the machine with them"},
	{"default", "default", "", fill_default, AT_RIGHT,
	 .help = "of parameters that differ from the default configuration"},
	{"meaning", "meaning", "", fill_meaning, FLEXIBLE,
	 .help = "its effect, and the source of its default"},
};

static bool view_config_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	struct config defaults;
	for (int k = 0; k < args->argc; k++) {
		size_t i = 0;
		while (i < param_count && !strstr(params[i].name, args->argv[k]))
			i++;
		if (i == param_count && !param_find(args->argv[k], err))
			return false;
	}
	config_default(&defaults);
	grid_init(out, "Parameters", GRID_TABLE(columns));
	grid_texts(out, "value");
	grid_texts(out, "next");
	grid_texts(out, "default");
	grid_summary(out, "%s", s->config_name ? s->config_name : "");
	for (size_t i = 0; i < param_count; i++) {
		if (!view_config_param_is_wanted(s, &params[i], args))
			continue;
		grid_row(out, 1 + params[i].offset, ROLE_PLAIN);
		grid_cells(out, &(struct row){s, &params[i], &defaults});
	}
	return true;
}

const struct view view_config = {
	.name = "config",
	.title = "Parameters",
	.args = "[NAME...]",
	.build = view_config_build_grid,
	.help.about =
		"The parameters of the machine. With words, those whose\n"
		"names contain one: `config l1d lsq`. Those of devices that the machine doesn't\n"
		"have are shown only then.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints = "The same names work everywhere: -o NAME=VALUE, configuration files, `set`,\n"
		      "Lua.",
};
