/* Dynamic types of C++ objects with virtual functions. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_C_VTABLE_H
#define CYCLOPS_SCRIPTING_C_VTABLE_H

#include "scripting/c/value.h"

/* Whether objects of the type have tables of virtual functions. */
bool c_is_dynamic(const struct ctype *t);
/* The complete object that v is or is a base of. False: its table is unknown. */
bool c_real_object(const struct c_calls *calls, const struct c_value *v, struct c_value *out);
/* Called with a part of an object, the address of its table, and the number of entries that the
 * part's class has. */
typedef void c_vtable_fn(void *ctx, const struct c_value *of, uint64_t table, unsigned entries);
/* Calls fn for each table of an object in memory, by address. False: it has none. */
bool c_each_vtable(const struct c_calls *calls, const struct c_value *v, c_vtable_fn *fn,
                   void *ctx);

#endif
