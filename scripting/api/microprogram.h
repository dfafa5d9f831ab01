/* Microprograms of the co-processor as Lua objects. */
#ifndef CYCLOPS_SCRIPTING_API_MICROPROGRAM_H
#define CYCLOPS_SCRIPTING_API_MICROPROGRAM_H

#include "scripting/api/api.h"
#include "loader/microprogram.h"

#define MICROPROGRAM "cyclops.microprogram"

enum { DEFINES_MAX = 64 };

struct lua_microprogram {
	struct microprogram *p;                   /* owned */
	char *text;                               /* that it was made of, owned */
	struct micro_define defines[DEFINES_MAX]; /* names: owned */
	unsigned define_count;
};

struct lua_microprogram *microprogram_at(lua_State *L, int index);
int microprogram_gc(lua_State *L);
/* Pushes the program that the text or file at `index` is, with constants behind it. */
struct lua_microprogram *microprogram_push(lua_State *L, int index, bool file, const char *name);
/* A listing. */
int microprogram_tostring(lua_State *L);

#endif
