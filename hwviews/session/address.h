/* The syntax of addresses, shared by commands, arguments of views and Lua:
 *
 *   find   find+0x10   sp   $sp-8   pc   0x1040c   words.c:41   words.c:find   41   *EXPRESSION
 *
 * A name is a symbol or function, else a committed integer register; with $ it is a register. A
 * bare number is a line of the current file where code is expected, else an address. Everything
 * else is an expression, as is any text after `*`. */
#ifndef CYCLOPS_HWVIEWS_SESSION_ADDRESS_H
#define CYCLOPS_HWVIEWS_SESSION_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

struct session;

/* `file`: the file of bare line numbers; NULL: a bare number is an address; "": code is expected,
 * but no file is current. False with *err, and *out unchanged. */
bool address_parse(const struct session *s, const char *text, const char *file, uint64_t *out,
                   struct err *err);

#endif
