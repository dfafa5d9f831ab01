#include "core/host/random_bytes.h"

#include <unistd.h>

bool random_bytes(void *out, size_t n)
{
	return getentropy(out, n) == 0;
}

uint64_t random_bytes_of_process(void)
{
	static uint64_t number;
	if (!number && !random_bytes(&number, sizeof number))
		return 0;
	return number;
}
