#include "ui/cli/restore_run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine/params.h"
#include "core/os/os.h"
#include "core/machine/plugin_places.h"
#include "core/pipe/plugin.h"
#include "ui/checkpoint/checkpoint.h"

/* ---- configuration ---- */
/* Makes the requested configuration: the file's, with the command line's changes. */
static bool restore_run_requested_config(const struct session *s, const struct options *o,
                                         const struct config *saved, struct config *out,
                                         struct err *err)
{
	*out = *saved;
	if (o->given[OPT_CONFIG])
		*out = o->config;
	if (s->launch.plugins)
		plugins_ask(s->launch.plugins, out);
	for (unsigned i = 0; i < o->set_count; i++)
		if (!config_set_assignment(out, o->sets[i], err))
			return false;
	launch_config(&s->launch, s->program, out);
	return true;
}

/* Returns the first parameter in which a and b differ, NULL if none. seen: compares only parameters
 * that programs can observe. */
static const struct param *restore_run_first_difference(const struct config *a,
                                                        const struct config *b, bool seen)
{
	for (size_t i = 0; i < param_count; i++)
		if (!config_same(a, b, &params[i]) &&
		    (!seen || !strncmp(params[i].name, "sim.", 4)))
			return &params[i];
	return NULL;
}

/* True if m holds only a program: moved into a new machine of the same configuration, it has the
 * same hash. */
static bool program_alone(const struct machine *m, const struct plugins *plugins)
{
	struct err err;
	const struct plugins asked = plugins_asked(plugins, machine_config(m));
	struct machine *fresh =
		machine_cycle(m) ? NULL : machine_new_with(machine_config(m), &asked, &err);
	bool alone = fresh && machine_move_program(fresh, m, &err) &&
	             machine_hash(fresh) == machine_hash(m);
	machine_free(fresh);
	return alone;
}

/* Moves m's program into a machine of another configuration and frees m. */
static struct machine *restore_run_transfer_program(struct machine *m, const struct config *cfg,
                                                    const struct session *s, struct err *err)
{
	const struct launch *l = &s->launch;
	const struct plugins asked = plugins_asked(l->plugins, cfg);
	struct machine *to = machine_new_with(cfg, &asked, err);
	if (to && !(machine_move_program(to, m, err) && launch_procedures(s->program, to, err))) {
		machine_free(to);
		to = NULL;
	}
	if (to) {
		launch_index(s->program, to);
		launch_capture(l, to);
	}
	machine_free(m);
	return to;
}

/* True if m's program may go on in a machine of configuration `now`; else *err. */
static bool may_differ(const struct machine *m, const struct options *o, const struct config *now,
                       const struct plugins *plugins, struct err *err)
{
	const struct config *saved = machine_config(m);
	const struct param *seen = restore_run_first_difference(saved, now, true),
			   *p = seen ? seen : restore_run_first_difference(saved, now, false);
	const char *quote = p->type == PARAM_TEXT ? "'" : "";
	char was[100], is[100]; /* truncated: the message has limited room */
	config_format(saved, p, was, sizeof was);
	config_format(now, p, is, sizeof is);
	if (seen)
		return err_set(err,
		               "%s was saved with %s=%s, not %s: the program depends on it; add -o "
		               "%s%s=%s%s",
		               o->restore, p->name, was, is, quote, p->name, was, quote);
	if (machine_cycle(m))
		return err_set(err,
		               "%s was saved with %s=%s, not %s: instructions were in flight; only "
		               "a checkpoint without timing "
		               "(--functional) fits other machines",
		               o->restore, p->name, was, is);
	if (!program_alone(m, plugins))
		return err_set(err,
		               "%s was saved with %s=%s, not %s: warmed caches and predictors, "
		               "firmware or profiling devices are in "
		               "it; only a checkpoint of the program alone fits other machines",
		               o->restore, p->name, was, is);
	return true;
}

/* Returns m or its replacement; NULL with *err, and m is freed. */
static struct machine *restore_run_reconfigure_machine(struct machine *m, const struct session *s,
                                                       const struct options *o, struct err *err)
{
	struct config now;
	bool ok = restore_run_requested_config(s, o, machine_config(m), &now, err);
	if (ok && !restore_run_first_difference(machine_config(m), &now, false))
		return m;
	if (ok && may_differ(m, o, &now, s->launch.plugins, err))
		return restore_run_transfer_program(m, &now, s, err);
	machine_free(m);
	return NULL;
}

/* ---- input ---- */
/* Bytes of standard input that the program has read or skipped; 0 if it has closed it. */
static uint64_t input_read(const struct machine *m)
{
	const struct os_state *os = os_state_const(machine_os_const(m));
	int64_t most = 0;
	for (unsigned i = 0; i < OS_FILES; i++)
		if (os->file[i].kind == OS_FILE_STDIN && os->file[i].offset > most)
			most = os->file[i].offset;
	return (uint64_t)most;
}

/* Skips the input that the program has read. A file is read at the program's own offset; a pipe
 * must repeat the bytes; a terminal need not. */
static bool pass_input(const struct options *o, const struct machine *m, struct err *err)
{
	uint64_t n = input_read(m), left = n;
	struct stat st;
	char bytes[65536];
	if (!n || isatty(STDIN_FILENO))
		return true;
	if (fstat(STDIN_FILENO, &st) != 0)
		return err_set(err,
		               "standard input, after the %llu bytes that the program had read: %s",
		               (unsigned long long)n, strerror(errno));
	if (S_ISREG(st.st_mode))
		left = (uint64_t)st.st_size < n ? n - (uint64_t)st.st_size : 0;
	while (left && !S_ISREG(st.st_mode)) {
		ssize_t got = read(STDIN_FILENO, bytes,
		                   left < sizeof bytes ? (size_t)left : sizeof bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		left -= (uint64_t)got;
	}
	if (!left)
		return true;
	return err_set(err,
	               "%s: the program had read %llu bytes of its standard input, and here are "
	               "only %llu: give it the same input, from its beginning",
	               o->restore, (unsigned long long)n, (unsigned long long)(n - left));
}

struct machine *resume(const struct session *s, const struct options *o, struct err *err)
{
	struct machine *m = checkpoint_load(s, o->restore, err);
	if (m)
		m = restore_run_reconfigure_machine(m, s, o, err);
	if (m && !pass_input(o, m, err)) {
		machine_free(m);
		m = NULL;
	}
	if (m)
		launch_attach(&s->launch, s->program, m);
	return m;
}
