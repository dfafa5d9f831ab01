/* Functions of libdwfl that libdw names. This build leaves libdwfl out: nothing calls it. */
#include <stdint.h>
#include <stdlib.h>

void __libdwfl_seterrno(int number)
{
	(void)number;
	abort();
}

int __libdwfl_relocate_value(void *module, void *elf, size_t *index, uint64_t *value, int more)
{
	(void)module;
	(void)elf;
	(void)index;
	(void)value;
	abort();
}

/* Declared, but in no library of emscripten 3.1.6. */
void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(old, bytes);
}
