#include "core/host/random_bytes.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

bool random_bytes(void *out, size_t n)
{
	return getrandom(out, n, 0) == (ssize_t)n;
}

uint64_t random_bytes_of_process(void)
{
	const void *secret = (const void *)(uintptr_t)getauxval(AT_RANDOM); /* at any address */
	uint64_t n = 0;
	if (secret)
		memcpy(&n, secret, sizeof n);
	return n;
}
