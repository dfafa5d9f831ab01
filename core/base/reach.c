#include "core/base/reach.h"

bool reach_allows(enum reach reach, const char *what, struct err *err)
{
	if (reach == REACH_SCRIPT)
		return err_set(err, "%s, which --lua-safe forbids", what);
	if (reach == REACH_PEER)
		return err_set(
			err,
			"%s, which peers at a TCP port may not; a socket file (no --listen, or "
			"unix:PATH) and `| cyclops gdb -` allow it",
			what);
	return true;
}
