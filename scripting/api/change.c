/* The only place in which a script changes a machine: at once while it stands; after the cycle in a
 * hook. */
#include "scripting/api/api.h"

void api_change(lua_State *L, struct lua_machine *m, const struct change *c)
{
	struct err err;
	api_refuse_reader(L, m->script, "a change");
	if (m->in_hook ? !machine_change_later(m->s->machine, c, &err)
	               : !run_change(m->s->run, c, &err))
		binding_fail(L, "%s", err.msg);
}
