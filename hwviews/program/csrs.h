/* Control and status registers as the committed program has them, for people: whatever mode the
 * machine is in. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_CSRS_H
#define CYCLOPS_HWVIEWS_PROGRAM_CSRS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/regs.h"
#include "hwviews/session/session.h"

/* The hart with all that is not committed taken back from its M-mode registers; mip is what devices
 * ask for. */
struct hart csrs_committed(const struct session *s);
/* False if there is no register of that number, or this machine lacks it. */
bool csrs_read(const struct session *s, unsigned csr, uint64_t *value);
/* Why it lacks one: "M-mode's, and this machine has no M-mode: ..."; NULL: it doesn't. */
const char *csrs_lack(const struct session *s, unsigned csr);

/* False with *err if a person had better not write `value` to it: flags that change in the middle
 * of a path or a procedure, where the program's counters rely on their places (struct counters). */
bool csrs_may_set(const struct session *s, unsigned csr, uint64_t value, struct err *err);

/* What its bits mean: "interrupt 16, instructions", "MIE, MPP U", "7 timer, 16 instructions", a
 * place in the code; empty if the number says it all. Returns buf. */
char *csrs_meaning(const struct session *s, unsigned csr, uint64_t value, char *buf, size_t n);

#endif
