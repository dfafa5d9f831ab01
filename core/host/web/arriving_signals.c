#include "core/host/arriving_signals.h"

#include "core/host/web/signals.h"

void arriving_signals_take(void)
{
	signals_take();
}
