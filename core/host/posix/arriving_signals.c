#include "core/host/arriving_signals.h"

void arriving_signals_take(void)
{
}
