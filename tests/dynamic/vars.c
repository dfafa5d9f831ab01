/* Variables of a library and of threads: prints their addresses, to be compared with a debugger's.
 * Linked fixed, it has copies of the library's. */
#include <dlfcn.h>
#include <stdio.h>

extern int counted;
extern const char *named;
int lib_count(int by);
__thread int mine = 11;
static __thread long quiet = 12;

static void told(const char *name, const void *at)
{
	printf("%s %p\n", name, at);
}

int main(void)
{
	counted += 4;
	mine++;
	quiet += 2;
	void *later = dlopen("./libvars2.so", RTLD_NOW);
	int (*work)(int) = later ? (int (*)(int))dlsym(later, "later_work") : NULL;
	const void *(*where)(int) = later ? (const void *(*)(int))dlsym(later, "later_where") : NULL;
	if (!work || !where)
		return 1;
	const int sum = lib_count(2) + work(3);
	told("counted", &counted);
	told("named", &named);
	told("mine", &mine);
	told("quiet", &quiet);
	told("inner", where(0));
	told("pairs", where(1));
	fflush(stdout);
	return sum != 40 + counted;
}
