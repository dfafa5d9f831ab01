/* Events that a hook gets many at a time: m:on(EVENT, { batch = N }, function(b) ... end). */
#ifndef CYCLOPS_SCRIPTING_API_BATCH_H
#define CYCLOPS_SCRIPTING_API_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "scripting/api/api.h"

enum { API_BATCH_MAX = 65536 }; /* events */

/* Collected events: no Lua runs until the batch is full. */
struct api_batch {
	struct event *event;      /* owned; NULL: the hook has no batch */
	uint32_t size, count;
	uint64_t kinds;
	struct lua_batch *object; /* what the function gets; kept alive by the machine's hooks */
};

/* The object that scripts see. */
struct lua_batch {
	const struct event *event; /* NULL except while the hook runs */
	uint32_t count;
	uint64_t kinds;            /* a bit for each kind of event that may occur */
};

/* Makes room for `size` events of these kinds and pushes the object. False, with nothing pushed, if
 * memory is out. */
bool api_batch_init(lua_State *L, struct api_batch *b, uint32_t size, uint64_t kinds);
void api_batch_deinit(struct api_batch *b);
/* Makes the collected events visible to scripts, or invisible. */
void api_batch_show(struct api_batch *b);
void api_batch_hide(struct api_batch *b);
/* Adds an event. True if the batch is full now. */
bool api_batch_append(struct api_batch *b, const struct event *ev);
void api_open_batch(lua_State *L);

#endif
