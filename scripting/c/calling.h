/* The standard calling convention of RISC-V (psABI lp64d, in RV32 ilp32d): places of arguments and
 * results. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_C_CALLING_H
#define CYCLOPS_SCRIPTING_C_CALLING_H

#include "scripting/c/c.h"

/* Makes *call a call of `function` with a stack that begins below sp, and a result of this type;
 * arguments follow. */
void calling_begin(struct c_invocation *call, uint64_t function, uint64_t sp,
                   const struct ctype *result);
/* Adds an argument; v has its parameter's type. variadic: the argument is one of `...`. False with
 * *err. */
bool calling_add(struct c_invocation *call, const struct c_calls *calls, const struct c_value *v,
                 bool variadic, struct err *err);
/* Copies bytes to the call's stack, for as long as the call lasts; *addr: their address. False with
 * *err. */
bool calling_copy(struct c_invocation *call, const void *bytes, uint64_t n, uint64_t *addr,
                  struct err *err);
/* Places the arguments that lie on the stack: the call is complete. False with *err. */
bool calling_end(struct c_invocation *call, struct err *err);

/* The value that a function with this result leaves in a0, a1, fa0 and fa1; false: it is not in
 * registers, or unknown. *in_a0: a0 may be it, or a part of it. */
bool calling_returned(const struct ctype *result, const uint64_t a[2], const uint64_t fa[2],
                      struct c_value *out, bool *in_a0);
/* Places a value where a function returns it: registers in call->set. False with *err. */
bool calling_give_back(struct c_invocation *call, const struct c_calls *calls,
                       const struct c_value *v, struct err *err);
/* The result of a completed call. False with *err. */
bool calling_result(const struct c_invocation *call, const struct ctype *result,
                    struct c_value *out, struct err *err);

#endif
