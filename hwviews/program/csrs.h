/* Control and status registers as the committed program has them, readable in every mode of the
 * machine. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_CSRS_H
#define CYCLOPS_HWVIEWS_PROGRAM_CSRS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/regs.h"
#include "hwviews/session/session.h"

/* The hart with uncommitted changes of its M-mode registers undone; mip has the devices'
 * requests. */
struct hart csrs_committed(const struct session *s);
/* False if the number is no register, or this machine lacks it. */
bool csrs_read(const struct session *s, unsigned csr, uint64_t *value);
/* Reason why the machine lacks it: "M-mode's, and this machine has no M-mode: ..."; NULL: it has
 * it. */
const char *csrs_lack(const struct session *s, unsigned csr);

/* False with *err if a user should not write `value` to it: flags that change in the middle of a
 * path or a procedure, where the program's counters rely on fixed places (struct counters). */
bool csrs_may_set(const struct session *s, unsigned csr, uint64_t value, struct err *err);

/* The meaning of its bits: "interrupt 16, instructions", "MIE, MPP U", "7 timer, 16 instructions",
 * a place in the code; empty if the number suffices. Returns buf. */
char *csrs_meaning(const struct session *s, unsigned csr, uint64_t value, char *buf, size_t n);

#endif
