/* The screen's own commands as console commands, for keys, prompt, files and scripts. Without a
 * screen they fail with a message. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/output_file.h"
#include "hwviews/session/place_text.h"
#include "ui/help/help_pages.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/part_keys.h"
#include "ui/screen/term.h"

bool exec_animate(struct screen *s, const char *args, struct err *err)
{
	int64_t rate;
	if (arg_is(args, "on") || arg_is(args, "off") || arg_is(args, "toggle") || !*args)
		animate_set(s, arg_is(args, "on") || (!arg_is(args, "off") && !s->animation.on));
	else if (arg_is(args, "faster") || arg_is(args, "slower"))
		animate_faster(s, arg_is(args, "faster") ? 1 : -1);
	else if (arg_int(args, &rate) && rate >= 1 && rate <= 1000)
		s->animation.rate = (unsigned)rate;
	else
		return arg_wrong(s, "animate", args, err);
	return true;
}

bool exec_prompt(struct screen *s, const char *args, struct err *err)
{
	char text[256];
	(void)err;
	snprintf(text, sizeof text, "%s%s", args, *args ? " " : "");
	if (arg_is(args, "export html")) { /* of the end page: proposes a name */
		const char *name =
			file_base_name(program_path(screen_session(s)->program));
		snprintf(text, sizeof text, "%s %.200s.html", args, name);
	}
	cmdline_open(s, text);
	return true;
}

bool exec_keys(struct screen *s, const char *args, struct err *err)
{
	struct text t = {0};
	const struct key *own;
	const char *group = "";
	(void)args;
	(void)err;
	for (unsigned i = 0; i < key_count; i++) {
		const struct key *tour = narration_key(&s->narration, key_code(keys[i].name));
		const char *command = screen_bound(s, key_code(keys[i].name));
		if (!*keys[i].help || !command)
			continue;
		if (strcmp(group, keys[i].group) != 0)
			text_printf(&t, "%s%s\n", *group ? "\n" : "", keys[i].group);
		group = keys[i].group;
		text_printf(&t, "  %-7s %-48s %s\n", keys[i].name,
		            tour                         ? tour->help
		            : command == keys[i].command ? keys[i].help
		                                         : "your own",
		            command);
	}
	text_printf(&t, "\n%s\n", timeline_keys_title);
	for (unsigned i = 0; (own = timeline_key_at(i)); i++)
		text_printf(&t, "  %-7s %-48s %s\n", own->name, own->help, own->command);
	text_printf(
		&t,
		"\nEach key is a command: `:` takes any, `help` lists them, `help WORD` explains.\n"
		"%sKeys typed while the machine moves wait for its stop, commands too; Esc stops\n"
		"the machine and drops them. Pasted text goes to the prompt; several lines need a "
		"choice.\n"
		"Command lines in ~/.config/cyclops/screen run when the screen opens: theme day,\n"
		"layout 5, scrub off, bind X step 10.\n\nThe screen's own commands\n",
		help_mouse);
	const struct console *c = s->console;
	for (unsigned i = 0; i < c->command_count; i++)
		if (c->commands[i]->screen)
			text_printf(&t, "  %-34s %s\n", c->commands[i]->usage,
			            c->commands[i]->summary);
	popup_text(&s->popup, "Keys", t.s ? t.s : "", false);
	text_deinit(&t);
	return true;
}

bool exec_help_view(struct screen *s, const char *args, struct err *err)
{
	const struct view *v = *args ? view_find(screen_session(s), args, err) : s->focus->view;
	if (!v)
		return *args ? false : err_set(err, "this pane shows no view");
	char title[POPUP_TITLE];
	snprintf(title, sizeof title, "%s: view %s", v->title, v->name);
	char *help = view_help_text(&v->help);
	if (!help)
		return err_set(err, "out of memory for a help text");
	popup_text(&s->popup, title, help, false);
	free(help);
	return true;
}

bool exec_log(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	if (!s->log.n)
		return err_set(err, "no command has printed anything yet");
	popup_text(&s->popup, "Messages so far", s->log.s, true);
	return true;
}

bool exec_theme(struct screen *s, const char *args, struct err *err)
{
	const char *name, *help;
	char line[160], command[64];
	if (*args) {
		s->damaged = true;
		return theme_load(&s->canvas.theme, args, err);
	}
	popup_menu(&s->popup, "Colours");
	for (unsigned i = 0; (name = theme_name(i, &help)); i++) {
		snprintf(line, sizeof line, "%-8s %s", name, help);
		snprintf(command, sizeof command, "theme %s", name);
		popup_item(&s->popup, line, command);
	}
	return true;
}

bool exec_bind(struct screen *s, const char *args, struct err *err)
{
	char name[16];
	size_t n = strcspn(args, " ");
	if (!n || n >= sizeof name)
		return arg_wrong(s, "bind", args, err);
	snprintf(name, sizeof name, "%.*s", (int)n, args);
	return key_bind(&s->bindings, name, args + n + strspn(args + n, " "), err);
}

bool exec_redraw(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	(void)err;
	term_redraw();
	s->damaged = true;
	return true;
}

static bool record_stop(struct screen *s, struct err *err)
{
	uint64_t pictures;
	bool full;
	char path[256], film[512];
	if (!s->recording)
		return err_set(err, "the screen is not recorded; use record FILE");
	recording_drop_prompt(s->recording);
	recording_bytes(s->recording, &pictures, &full);
	snprintf(path, sizeof path, "%s", recording_path(s->recording));
	const char *films = recording_films(s->recording);
	snprintf(film, sizeof film, "%s%s", films ? ", " : "", films ? films : "");
	const bool ok = recording_end(s->recording, err);
	s->recording = NULL;
	term_end_in_order(false);
	if (ok)
		screen_say(s, false, "Recorded %" PRIu64 " pictures in %s%s%s", pictures, path,
		           film, full ? ", until it was full" : "");
	return ok;
}

bool exec_record(struct screen *s, const char *args, struct err *err)
{
	uint64_t pictures;
	bool full;
	if (arg_is(args, "stop"))
		return record_stop(s, err);
	if (*args && s->recording)
		return err_set(err, "the screen is being recorded in %s; `record stop` ends that",
		               recording_path(s->recording));
	if (*args && !output_ends_in(args, ".cast"))
		return err_set(err,
		               "%s: a recording is asciinema's .cast, with .svg and .gif beside "
		               "it; expected FILE.cast",
		               args);
	if (*args) {
		s->recording = recording_new(args, s->canvas.rows, s->canvas.cols,
		                             term_background_light(), err);
		term_end_in_order(s->recording);
		if (!s->recording)
			return false;
		const char *no_gif = recording_no_gif(s->recording);
		screen_say(s, false, "Recording in %s; `record stop` ends it%s%s", args,
		           *no_gif ? "; without a .gif: " : "", no_gif);
		return true;
	}
	if (!s->recording)
		return screen_say(s, false, "The screen is not recorded; `record FILE` begins"),
		       true;
	const uint64_t bytes = recording_bytes(s->recording, &pictures, &full);
	screen_say(s, false, "Recording in %s: %" PRIu64 " pictures, %" PRIu64 " kB%s",
	           recording_path(s->recording), pictures, bytes / 1000, full ? ", full" : "");
	return true;
}

/* ---- as commands of a console ---- */
static enum command_result
on_screen(struct console *c, const char *name,
          bool (*exec)(struct screen *s, const char *args, struct err *err), const char *args)
{
	struct err err;
	if (!c->of_screen)
		return console_fail(c,
		                    "'%s' controls the screen, and none is open here; use "
		                    "cyclops PROGRAM on a terminal",
		                    name);
	return exec(c->of_screen, args, &err) ? CMD_OK : console_fail(c, "%s", err.msg);
}

#define SCREEN_COMMAND(id, name_, usage_, help_, ...)                                              \
	static enum command_result run_##id(struct console *c, const char *args)                   \
	{                                                                                          \
		return on_screen(c, name_, exec_##id, args);                                       \
	}                                                                                          \
	const struct command cmd_##id = {.name = name_,                                            \
	                                 .aliases = "",                                            \
	                                 .group = "screen",                                        \
	                                 .usage = usage_,                                          \
	                                 .summary = help_,                                         \
	                                 .help = "",                                               \
	                                 .whole = true,                                            \
	                                 .sessionless = true,                                      \
	                                 .screen = true,                                           \
	                                 .exec = run_##id,                                         \
	                                 __VA_ARGS__};
#include "ui/screen/screen_commands.def"
#undef SCREEN_COMMAND
