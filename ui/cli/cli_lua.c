/* `cyclops lua`: runs a script, which makes machines and runs them. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "core/base/alloc.h"
#include "scripting/script.h"
#include "ui/cli/cli.h"
#include "ui/cli/options.h"
#include "ui/console/ending.h"
#include "ui/console/script_port.h"
#include "ui/render/safe_print.h"

enum { STATUS_SCRIPT_FAILED = 1 };

/* Global, because signal handlers take no context. */
static struct script *volatile target;
static volatile sig_atomic_t taken;

static void cli_lua_on_signal(int sig)
{
	taken = sig;
	if (target)
		script_interrupt(target);
}

#define SAFE_MEMORY (UINT64_C(1) << 30)

/* As SIGTERM: a finalizer, or a child process, might not let the script end. */
static void cli_lua_on_interrupt(int sig)
{
	const int error = errno;
	ending_begin(sig);
	cli_lua_on_signal(sig);
	errno = error;
}

/* The first Ctrl-C, SIGTERM or SIGHUP ends the script with a message, a second one ends the process
 * at once. */
static void cli_lua_install_signal_handlers(struct script *s)
{
	struct sigaction sa = {.sa_handler = cli_lua_on_interrupt, .sa_flags = (int)SA_RESETHAND},
			 old;
	target = s;
	if (s && sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &sa, NULL);
	if (s)
		ending_by(cli_lua_on_signal);
}

/* Writes output; on a terminal, or from an untrusted script, cleaned of control characters. */
static void cli_lua_write_output(void *ctx, int fd, const char *text, size_t n)
{
	const struct options *o = ctx;
	FILE *f = fd == 2 ? stderr : stdout;
	if (o->given[OPT_LUA_SAFE])
		say_text(f, text, n);
	else
		say_output(f, text, n);
}

/* Limits all memory that a safe script can cause to be allocated, machines and histories included.
 * Not with sanitizers, whose tables need more. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit limit;
	if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > SAFE_MEMORY) {
		limit.rlim_cur = SAFE_MEMORY;
		setrlimit(RLIMIT_DATA, &limit);
	}
#endif
}

static int run_script(const struct options *o)
{
	struct err err;
	if (o->given[OPT_LUA_SAFE])
		limit_memory();
	const struct script_options so = {
		.safe = o->given[OPT_LUA_SAFE],
		.steps = o->lua_steps,
		.bytes = (uint64_t)CONFIG(&o->config, lua_memory),
		.base = o->given[OPT_CONFIG] || o->given[OPT_SET] ? &o->config : NULL,
		.base_name = o->config_name,
		.base_files = &o->files,
		.commands = &script_commands,
		.write = cli_lua_write_output,
		.ctx = (void *)(uintptr_t)o,
	};
	struct script *s = script_new(&so, o->argv[0], &err);
	if (!s)
		return say_error("%s", err.msg);
	cli_lua_install_signal_handlers(s);
	bool ok = script_run_file(s, o->argc - 1, o->argv + 1, &err);
	ok = alloc_settle(ok, &err);
	if (!ok) {
		say_error("%s", err.msg);
		if (*script_traceback(s))
			say(stderr, "%s\n", script_traceback(s));
	}
	cli_lua_install_signal_handlers(NULL);
	struct err lost;
	bool whole = script_end(s, &lost);
	if (!whole)
		say_error("%s", lost.msg);
	script_free(s);
	return ok && whole ? 0 : taken ? 128 + taken : STATUS_SCRIPT_FAILED;
}

static int cli_lua_main(int argc, char **argv)
{
	struct options o;
	int status;
	if (!cli_parse_or_print(&cli_lua, argc, argv, &o, &status))
		return status;
	status = o.argc ? run_script(&o)
	                : say_error("no script given; expected cyclops lua [OPTIONS] SCRIPT.lua "
	                            "[ARGS...]");
	options_deinit(&o);
	return status;
}

const struct cli_command cli_lua = {
	.name = "lua",
	.usage = "lua [OPTIONS] SCRIPT.lua [ARGS...]",
	.help = "Runs a Lua script, which creates, moves and inspects machines (`cyclops help "
		"lua`). The status is 1 if it ends with\n"
		"an error, whose message names file and line, 128 and its number for a signal. -c "
		"and -o configure its machines unless\n"
		"the script does.",
	.takes = FOR_LUA,
	.run = cli_lua_main,
};
