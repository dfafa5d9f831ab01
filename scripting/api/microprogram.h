/* Microprograms of the co-processor as Lua objects. */
#ifndef CYCLOPS_SCRIPTING_API_MICROPROGRAM_H
#define CYCLOPS_SCRIPTING_API_MICROPROGRAM_H

#include "scripting/api/api.h"
#include "loader/microprogram.h"

#define MICROPROGRAM "cyclops.microprogram"

enum { DEFINES_MAX = 64 };

struct lua_microprogram {
	struct microprogram *p;                   /* owned */
	char *text;                               /* source text, owned */
	struct micro_define defines[DEFINES_MAX]; /* names: owned */
	unsigned define_count;
};

struct lua_microprogram *microprogram_at(lua_State *L, int index);
int microprogram_gc(lua_State *L);
/* Pushes the program of the text or file at `index`; constants may follow it. */
struct lua_microprogram *microprogram_push(lua_State *L, int index, bool file, const char *name);
/* Returns a listing. */
int microprogram_tostring(lua_State *L);

#endif
