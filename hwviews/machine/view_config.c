/* `view config`: the machine's parameters. */
#include <inttypes.h>
#include <string.h>

#include "core/defs/devices.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"name", "parameter", "", ALIGN_LEFT, 0, false, false},
	{"value", "value", "", ALIGN_RIGHT, 0, false, false},
	{"unit", "unit", "", ALIGN_LEFT, 0, false, false},
	{"next", "next run", "", ALIGN_RIGHT, 0, false, false},
	{"default", "default", "", ALIGN_RIGHT, 0, false, false},
	{"meaning", "meaning", "", ALIGN_LEFT, 0, true, false},
};

/* Alone, what means something now or in the next run; words find all. */
static bool wanted(const struct session *s, const struct param *p, const struct view_args *args)
{
	for (int i = 0; i < args->argc; i++)
		if (strstr(p->name, args->argv[i]))
			return true;
	return args->argc == 0 &&
	       (param_exists(machine_config(s->machine), p) || param_exists(&s->cfg, p));
}

static void cell_value(struct grid *g, enum role role, const struct config *cfg,
                       const struct param *p)
{
	char buf[PARAM_TEXT_MAX], digits[32];
	config_format(cfg, p, buf, sizeof buf);
	if (p->type == PARAM_INT)
		grid_uint_text(g, role, (uint64_t)config_get(cfg, p), "%s",
		               group_digits((uint64_t)config_get(cfg, p), digits));
	else
		grid_text(g, role, "%s", buf);
}

static void param_row(struct grid *g, const struct session *s, const struct param *p,
                      const struct config *defaults)
{
	const struct config *now = machine_config(s->machine);
	bool differs = !config_same(now, defaults, p);
	grid_row(g, 1 + p->offset, ROLE_PLAIN);
	grid_text(g, ROLE_PLAIN, "%s", p->name);
	cell_value(g, differs ? ROLE_HOT : ROLE_NUMBER, now, p);
	grid_text(g, ROLE_DIM, "%s", p->type == PARAM_INT ? p->unit : "");
	if (!config_same(&s->cfg, now, p))
		cell_value(g, ROLE_CHANGED, &s->cfg, p);
	else
		grid_blank(g);
	if (differs)
		cell_value(g, ROLE_DIM, defaults, p);
	else
		grid_blank(g);
	if (p->type == PARAM_ENUM || p->type == PARAM_TEXT)
		grid_text(g, ROLE_DIM, "%s (%s)", p->help, p->unit);
	else
		grid_text(g, ROLE_DIM, "%s", p->help);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	struct config defaults;
	size_t found = 0;
	for (size_t i = 0; i < param_count; i++)
		found += wanted(s, &params[i], args);
	if (!found)
		return param_find(args->argv[0], err) != NULL;
	config_default(&defaults);
	grid_init(out, "Parameters", columns, sizeof columns / sizeof *columns);
	grid_texts(out, "value");
	grid_texts(out, "next");
	grid_texts(out, "default");
	grid_summary(out, "%s", s->config_name ? s->config_name : "");
	for (size_t i = 0; i < param_count; i++)
		if (wanted(s, &params[i], args))
			param_row(out, s, &params[i], &defaults);
	return true;
}

const struct view view_config = {
	.name = "config",
	.title = "Parameters",
	.args = "[NAME...]",
	.help = "The parameters of the machine: what it is made of. With words, those whose\n"
		"names contain one: `config l1d lsq`. Those of devices that the machine doesn't\n"
		"have are shown only then.\n"
		"\n"
		"  parameter  its name\n"
		"  value     what this machine was built with\n"
		"  unit      of numbers\n"
		"  next run  what `set` has changed: the machine is built with it when the\n"
		"            program is started again with `run`\n"
		"  default   of parameters that differ from the default configuration\n"
		"  meaning   what it does, and where its default comes from\n"
		"\n"
		"The same names work everywhere: -o NAME=VALUE, configuration files, `set`,\n"
		"Lua.",
	.build = build,
};
