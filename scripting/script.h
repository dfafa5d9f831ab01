/* A script: one Lua host, the `cyclops` module in it, and the machines that it makes. `cyclops lua`
 * runs one to its end; a session can keep one in which its own machine is `m`.
 *
 * Guest output of a machine and what the script prints go to the same place, in the order in which
 * they happened. One thread. */
#ifndef CYCLOPS_SCRIPTING_SCRIPT_H
#define CYCLOPS_SCRIPTING_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scripting/script_options.h"

/* `opt` is copied, what it points to borrowed until script_free(). `path`: the script's file,
 * beside which `require` looks; NULL: none. NULL with *err. */
struct script *script_new(const struct script_options *opt, const char *path, struct err *err);
/* Closes the machines it made. False with *err if a file is not whole that commands of these wrote,
 * or of one that was collected. */
bool script_end(struct script *s, struct err *err);
/* The same, without a word, and frees it. Takes NULL. */
void script_free(struct script *s);

/* Runs its file; argv[0..argc) is in `arg` and in `...`. False with *err: file, line and what went
 * wrong. */
bool script_run_file(struct script *s, int argc, char *const argv[], struct err *err);
/* Runs a text in the same environment; `name` is what messages call it. */
bool script_run_text(struct script *s, const char *text, const char *name, struct err *err);
/* Runs another file in the same environment. */
bool script_run_path(struct script *s, const char *path, struct err *err);
/* What somebody typed: a statement, or an expression, whose values are written as print would,
 * tables by their contents. */
bool script_say(struct script *s, const char *text, struct err *err);
/* Where the last failure came about: the call stack, several lines; "" if none is known. */
const char *script_traceback(const struct script *s);

/* Makes a session's machine known as the global `name`. It stays the caller's, who says when it is
 * over. */
bool script_adopt(struct script *s, struct session *session, const char *name, struct err *err);
void script_forget(struct script *s, const struct session *session);

/* ---- its commands ---- */
/* The i-th, the oldest first; NULL behind the last. */
const struct script_command *script_command_at(const struct script *s, unsigned i);
/* Runs it for a machine of the script. What is printed meanwhile goes to `write`. False with *err.
 */
bool script_command_run(struct script *s, const char *name, const struct session *session,
                        const char *args,
                        void (*write)(void *ctx, int fd, const char *text, size_t n), void *ctx,
                        struct err *err);
/* Whether its author is not trusted. */
bool script_is_safe(const struct script *s);

/* ---- its hooks ---- */
struct script_hook {
	unsigned id;
	const char *text; /* "hook 3 on commit (lab.lua:12)"; borrowed */
	uint64_t calls;
	bool off;         /* by hand, or because it failed */
	const struct session *session; /* on whose machine */
};

/* The i-th, the oldest first; false behind the last. */
bool script_hook_at(const struct script *s, unsigned i, struct script_hook *out);
bool script_remove_hook(struct script *s, unsigned id);
bool script_switch_hook(struct script *s, unsigned id, bool on);

/* Around what the script did not begin itself: motions of the session's own commands. Before; */
void script_begin(struct script *s);
/* and behind it: whether a hook failed, why and where (its call stack, good until the next motion).
 * It is switched off. */
bool script_take_failure(struct script *s, struct err *err, const char **trace);
/* Which hook asked for the stop: "hook 3 on commit (lab.lua:12)", NULL if none did. */
const char *script_stopper(const struct script *s);

/* Whether Lua runs now. */
bool script_is_busy(const struct script *s);
/* Ends what it does, within 50 ms; safe in a signal handler. What it does next is ended too, up to
 * script_begin(). */
void script_interrupt(struct script *s);

#endif
