#include "ui/link/origin.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "core/os/os.h"
#include "scripting/config/config_lua.h"
#include "ui/console/command.h"

/* A process has one session that a command line began. */
static struct link_origin link_origin;

void link_origin_set(struct link_origin *o)
{
	link_deinit(&link_origin.begins);
	link_origin = *o;
	link_init(&o->begins);
}

/* Why the session's run can't be repeated from its beginning alone; false with *err. */
static bool link_repeats(const struct session *s, struct err *err)
{
	struct run_history h;
	run_history(s->run, &h);
	const struct os_state *os = os_state_const(machine_os_const(s->machine));
	if (s->adopted)
		return err_set(err, "this run was restored from a checkpoint, which a link can't "
		                    "carry; use `save FILE`");
	if (h.changes_before || s->microprogram_count)
		return err_set(err, "the machine was changed by hand before this cycle, and a link "
		                    "carries no changes; use `save FILE`");
	if (s->twin)
		return err_set(err, "two machines run in step, and a link carries one");
	if (s->input >= 0)
		return err_set(err, "`run < FILE` gave the program its input, and a link carries "
		                    "no files");
	if (!link_origin.input && (os->out_bytes[2] || os->file[0].offset))
		return err_set(err, "the program has read input, which a link can't carry");
	return true;
}

/* Takes the arguments with which the program runs, which `set args` may have changed. */
static bool link_take_args(struct link *l, const struct session *s, struct err *err)
{
	l->arg_count = 0;
	for (int i = 1; i < s->launch.argc; i++)
		if (!link_add_arg(l, s->launch.argv[i], err))
			return false;
	return true;
}

struct link_preset {
	const char *name;
	bool found;
};

static void link_match_preset(void *ctx, const char *name)
{
	struct link_preset *p = ctx;
	p->found |= !strcmp(p->name, name);
}

char *link_here(const struct console *c, const char *layout, const char *tree, struct err *err)
{
	const struct session *s = c->session;
	struct link l = link_origin.begins; /* borrowed but for its tree and arguments */
	struct link_preset preset = {.name = s->config_name};
	if (!*l.demo && !l.text_count)
		return err_set(err, "%s",
		               *link_origin.lacks ? link_origin.lacks
		                                  : "this session's program can't be in a link"),
		       NULL;
	if (!link_repeats(s, err))
		return NULL;
	l.config = *machine_config(s->machine);
	config_each_preset(link_match_preset, &preset);
	if (preset.found)
		snprintf(l.config_name, sizeof l.config_name, "%s", s->config_name);
	l.ff = s->fast_forward;
	l.warm = s->warm;
	l.cycle = machine_cycle(s->machine);
	l.insts = machine_insts(s->machine);
	if (layout)
		snprintf(l.layout, sizeof l.layout, "%s", layout);
	l.tree = tree ? alloc_text(tree) : NULL;
	char *out = link_take_args(&l, s, err) ? link_write(&l, err) : NULL;
	free(l.tree);
	for (unsigned i = 0; i < l.arg_count; i++)
		free(l.arg[i]);
	return out;
}

char *link_address(const char *fragment, struct err *err)
{
	const char *page = getenv("CYCLOPS_PAGE");
	size_t n = page ? strcspn(page, "#") : 0;
	bool good =
		n && n < 2048 && (!strncmp(page, "https://", 8) || !strncmp(page, "http://", 7));
	for (size_t i = 0; i < n; i++)
		good = good && isgraph((unsigned char)page[i]) && !strchr("'\"<>\\`", page[i]);
	char *out = good ? alloc_format("%.*s#%s", (int)n, page, fragment)
	                 : alloc_format("#%s", fragment);
	if (!out)
		err_set(err, "out of memory");
	return out;
}
