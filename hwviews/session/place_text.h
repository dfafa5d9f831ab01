/* Texts of places and instructions: names of addresses, assembly, numbers and states of
 * instructions in flight, the same everywhere.
 *
 * Every format_*() with a buf writes to it (n bytes, NUL-terminated, truncated) and returns it. */
#ifndef CYCLOPS_HWVIEWS_SESSION_PLACE_TEXT_H
#define CYCLOPS_HWVIEWS_SESSION_PLACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pipe/pipe.h"
#include "hwviews/grid/role.h"
#include "hwviews/session/session.h"

/* "find+0x10", "sp+24", "heap+0x2a0"; "0x1040c" if no name covers it. */
char *format_addr(const struct session *s, uint64_t addr, char *buf, size_t n);
/* Like format_addr(), but empty for an address without a name: for use beside the number. */
char *format_place(const struct session *s, uint64_t addr, char *buf, size_t n);
/* "bne a3,a0,find+0x18". */
char *format_inst(const struct session *s, const struct inst *in, uint64_t pc, char *buf, size_t n);
/* The same for an instruction in flight, as it was fetched. */
char *format_uop(const struct session *s, const struct uop *u, char *buf, size_t n);
/* "#81213", with "?" appended on the wrong path. */
char *format_seq(const struct pipe *p, const struct uop *u, char *buf, size_t n);
const char *format_state(const struct uop *u);
/* "L1D hit", "L2", "memory", "forwarded". */
const char *format_level(enum mem_level level);

/* True if u is on the wrong path of a misprediction that has been dispatched. */
bool uop_on_wrong_path(const struct pipe *p, const struct uop *u);
/* Role of a row about u. */
enum role uop_row_role(const struct session *s, const struct uop *u);
/* Role of the cell with its state. */
enum role uop_state_role(const struct uop *u);

/* "words.c" of "src/words.c": points into file. */
const char *file_base_name(const char *file);

#endif
