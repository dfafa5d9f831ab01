/* A script: a Lua host, its `cyclops` module, and the machines that the script makes. `cyclops lua`
 * runs a script to its end; a session can keep a script, in which the session's machine is `m`.
 *
 * Guest output of machines and the script's prints go to the same place, in order. One thread. */
#ifndef CYCLOPS_SCRIPTING_SCRIPT_H
#define CYCLOPS_SCRIPTING_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scripting/script_options.h"

/* `opt` is copied, its pointers borrowed until script_free(). `path`: the script's file, whose
 * folder `require` searches; NULL: none. NULL with *err. */
struct script *script_new(const struct script_options *opt, const char *path, struct err *err);
/* Closes the machines that the script made. False with *err if commands of these machines, or of
 * collected ones, left an incomplete file. */
bool script_end(struct script *s, struct err *err);
/* Like script_end(), without an error, and frees the script. Takes NULL. */
void script_free(struct script *s);

/* Runs the script's file; argv[0..argc) is in `arg` and in `...`. False with *err: file, line and
 * error. */
bool script_run_file(struct script *s, int argc, char *const argv[], struct err *err);
/* Runs a text in the same environment; `name` is for messages. */
bool script_run_text(struct script *s, const char *text, const char *name, struct err *err);
/* Runs another file in the same environment. */
bool script_run_path(struct script *s, const char *path, struct err *err);
/* Runs a line that a user typed: a statement or an expression. Prints the expression's values,
 * tables by their contents. */
bool script_say(struct script *s, const char *text, struct err *err);
/* The call stack of the last failure, several lines; "" if none is known. */
const char *script_traceback(const struct script *s);

/* Makes a session's machine the global `name`. The caller keeps the session, and must call
 * script_forget() before its end. */
bool script_adopt(struct script *s, struct session *session, const char *name, struct err *err);
void script_forget(struct script *s, const struct session *session);

/* ---- its commands ---- */
/* The i-th command, oldest first; NULL after the last. */
const struct script_command *script_command_at(const struct script *s, unsigned i);
/* Runs a command for a machine of the script. Output goes to `write`. False with *err. */
bool script_command_run(struct script *s, const char *name, const struct session *session,
                        const char *args,
                        void (*write)(void *ctx, int fd, const char *text, size_t n), void *ctx,
                        struct err *err);
/* True if the script is not trusted. */
bool script_is_safe(const struct script *s);

/* ---- its hooks ---- */
struct script_hook {
	unsigned id;
	const char *text; /* "hook 3 on commit (lab.lua:12)"; borrowed */
	uint64_t calls;
	bool off;         /* by hand, or because it failed */
	const struct session *session; /* the session of its machine */
};

/* The i-th hook, oldest first; false after the last. */
bool script_hook_at(const struct script *s, unsigned i, struct script_hook *out);
bool script_remove_hook(struct script *s, unsigned id);
bool script_switch_hook(struct script *s, unsigned id, bool on);

/* Call before each motion not begun by the script, but by a command of the session. */
void script_begin(struct script *s);
/* Call after such a motion: true if a hook failed and was switched off, with *err and its call
 * stack (valid until the next motion). */
bool script_take_failure(struct script *s, struct err *err, const char **trace);
/* The hook that stopped the motion: "hook 3 on commit (lab.lua:12)"; NULL if none did. */
const char *script_stopper(const struct script *s);

/* True while the script's Lua code runs. */
bool script_is_busy(const struct script *s);
/* True if the script's present or last call was interrupted. */
bool script_is_interrupted(const struct script *s);
/* Interrupts the script within 50 ms, and all its later calls until script_begin(). Safe in a
 * signal handler. */
void script_interrupt(struct script *s);

#endif
