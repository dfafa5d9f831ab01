/* The one place in which a script changes a machine. */
#include "scripting/api/api.h"

void api_change(lua_State *L, struct lua_machine *m, const struct change *c)
{
	struct err err;
	if (!run_change(m->s->run, c, &err))
		binding_fail(L, "%s", err.msg);
}
