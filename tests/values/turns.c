/* Two libraries of one source are at the same address in turn (dlopen, dlclose): `turn_value()` of
 * the first adds 3, of the second 5. Prints what each has added, and its address. */
#include <dlfcn.h>
#include <stdio.h>

enum { ROUNDS = 3, CALLS = 400 };

int main(void)
{
	static const char *const file[] = {"./libturn-3.so", "./libturn-5.so"};
	void *first = NULL;
	long sum[2] = {0};
	for (int i = 0; i < 2 * ROUNDS; i++) {
		void *library = dlopen(file[i % 2], RTLD_NOW);
		if (!library) {
			puts(dlerror());
			return 1;
		}
		void *at = dlsym(library, "turn_value");
		long (*f)(long);
		__builtin_memcpy(&f, &at, sizeof f);
		first = i ? first : at;
		if (at != first)
			return 2;
		for (long k = 0; k < CALLS; k++)
			sum[i % 2] += f(k) - k;
		dlclose(library);
	}
	printf("%ld %ld at %p\n", sum[0], sum[1], first);
	return 0;
}
