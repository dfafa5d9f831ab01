/* Shared by the files that read a plan. */
#ifndef CYCLOPS_UI_SWEEP_PLAN_PRIV_H
#define CYCLOPS_UI_SWEEP_PLAN_PRIV_H

#include <stdbool.h>

#include "core/base/err.h"
#include "scripting/config/table_file.h"
#include "ui/sweep/plan.h"

/* ---- plan_values.c ---- */
void plan_complain(const struct plan *p, const struct lua_value *v, struct err *err,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Sets *err to "file:line: message" and is false; v NULL: no line. A macro, so that compilers and
 * checkers see the constant. */
#define plan_wrong(...) (plan_complain(__VA_ARGS__), err_false())
/* True if v's name is one of `names` (NULL at the end); else *err names the nearest. */
bool plan_known_name(const struct plan *p, const struct lua_value *v, const char *const *names,
                     const char *what, struct err *err);
/* Reads a text, borrowed from the file. False with *err. */
bool plan_want_text(const struct plan *p, const struct lua_value *v, const char **out,
                    struct err *err);
/* Checks that v is one printable line of UTF-8; plan_want_label() also copies it. */
bool plan_check_label(const struct plan *p, const struct lua_value *v, struct err *err);
bool plan_want_label(struct plan *p, const struct lua_value *v, const char **out, struct err *err);

/* ---- plan_plots.c ---- */
/* Reads `plot` of the sweep: a table or a list of tables; NULL: none. */
bool plan_read_plots(struct plan *p, const struct lua_value *v, struct err *err);

#endif
