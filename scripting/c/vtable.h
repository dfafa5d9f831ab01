/* What objects of C++ with virtual functions tell of themselves. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_C_VTABLE_H
#define CYCLOPS_SCRIPTING_C_VTABLE_H

#include "scripting/c/value.h"

/* Whether its objects have tables of virtual functions. */
bool c_is_dynamic(const struct ctype *t);
/* The whole object that one in memory is, or is a base of. False: it has no table that is known. */
bool c_real_object(const struct c_calls *calls, const struct c_value *v, struct c_value *out);
/* A part of an object, where its table is, and how many entries of that its class knows. */
typedef void c_vtable_fn(void *ctx, const struct c_value *of, uint64_t table, unsigned entries);
/* Calls fn for each table of an object in memory, by address. False: it has none. */
bool c_each_vtable(const struct c_calls *calls, const struct c_value *v, c_vtable_fn *fn,
                   void *ctx);

#endif
