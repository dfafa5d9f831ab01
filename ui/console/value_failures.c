/* Reports failures of value modules (core/run/value_daemon.h) at the prompt, as `cyclops
 * run` does. */
#include "ui/console/value_failures.h"

#include <inttypes.h>

#include "core/run/value_daemon.h"

static void tell_refused(struct console *c, uint64_t refused)
{
	if (refused > c->values_refused) {
		console_print(c, VALUES_REFUSED "\n", refused);
		c->values_failed = true;
	}
	c->values_refused = refused; /* may decrease, when the machine goes back */
}

void value_failures_tell(struct console *c)
{
	struct value_daemon *d = c->session ? c->session->launch.values : NULL;
	struct err err;
	if (!d)
		return;
	if (value_daemon_take_failure(d, &err)) {
		console_print(c, "%.400s; the run goes on without its values\n", err.msg);
		c->values_failed = true;
	}
	if (value_daemon_take_format_failure(d, &err)) {
		console_print(c, "%.400s; its values are shown as numbers\n", err.msg);
		c->values_failed = true;
	}
	tell_refused(c, value_daemon_totals(d).refused);
}
