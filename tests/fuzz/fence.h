/* A folder to attack from, and files that must stay out of its reach. Both are made anew in a folder
 * of their own:
 *
 *   tree/      guest (the program of the Lua tests), lib.lua, itself.lua, input, folder/, fifo,
 *              link (to ../outside)
 *   outside/   secret, secret.lua
 *
 * The kernel (inotify) reports whether anything in outside/ was opened, and whether anything in
 * tree/ was written, made or removed. The secret stands in no file but these, and in the
 * environment: it must never come out. One fence per process. */
#ifndef CYCLOPS_TESTS_FUZZ_FENCE_H
#define CYCLOPS_TESTS_FUZZ_FENCE_H

#include <stddef.h>

/* `guest`: the program's file. Aborts if it can't be made; it goes away with the process. */
void fence_make(const char *guest);
/* The current directory is tree/, until fence_leave(), which aborts with a word on stderr if the
 * fence was crossed meanwhile. */
void fence_enter(void);
void fence_leave(void);
/* Aborts if the secret is in these bytes. */
void fence_look(const char *text, size_t n);
/* Absolute path of outside/. */
const char *fence_outside(void);

#endif
