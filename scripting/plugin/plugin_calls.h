/* A Lua plug-in's functions, to be called by the machine. `ctx` is the plug-in. */
#ifndef CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_CALLS_H
#define CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_CALLS_H

#include "core/pipe/plugin.h"
#include <lauxlib.h>

#include "core/defs/config.h"
#include "core/prof/sampler/compressor.h"

/* CALL_STEPS: the minimum that a call is charged. */
enum { BYTES_MAX = 64 << 20, LOAD_STEPS = 10000000, CALL_STEPS = 16 };

#define FUNCTIONS "predict, target, victim, access, flag or take"

bool plugin_call_predict(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
                         bool *taken, struct err *err);
bool plugin_call_update(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
                        struct err *err);
bool plugin_call_target(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
                        uint64_t *to, bool *known, struct err *err);
bool plugin_call_committed(void *ctx, struct plugin_state *s, const struct plugin_control *c,
                           struct err *err);
bool plugin_call_fetched(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
                         struct err *err);
bool plugin_call_resolved(void *ctx, struct plugin_state *s, const struct plugin_control *c,
                          struct err *err);
bool plugin_call_victim(void *ctx, struct plugin_state *s, uint32_t set,
                        const struct plugin_way *way, uint32_t ways, struct plugin_moment m,
                        uint32_t *out, struct err *err);
bool plugin_call_used(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
                      struct plugin_moment m, struct err *err);
bool plugin_call_access(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                        uint64_t *line, uint32_t *lines, struct err *err);
bool plugin_call_flag(void *ctx, const struct plugin_state *s, const struct plugin_flag *f,
                      bool *on, struct err *err);
bool plugin_call_decoded(void *ctx, struct plugin_state *s, const struct plugin_flag *f,
                         struct err *err);
bool plugin_call_take(void *ctx, struct plugin_state *s, const struct message *in,
                      struct message *out, bool *sent, struct err *err);
bool plugin_call_drain(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
                       struct err *err);

#endif
