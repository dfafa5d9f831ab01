/* A dynamically linked program in C: constructors, libc through its procedure linkage table, libm, thread-local storage, its auxiliary vector. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static _Thread_local int mine = 5;
static _Thread_local char zeros[40];

__attribute__((constructor)) static void begin(void)
{
	puts("constructor");
}

__attribute__((destructor)) static void end(void)
{
	puts("destructor");
}

static int by_value(const void *a, const void *b, void *calls)
{
	++*(int *)calls;
	return *(const int *)a - *(const int *)b;
}

static int plain_name_of(struct dl_phdr_info *info, size_t n, void *count)
{
	(void)n;
	const char *slash = strrchr(info->dlpi_name, '/');
	printf("object %d: %s, %s\n", (*(int *)count)++, slash ? slash + 1 : info->dlpi_name, info->dlpi_addr ? "moved" : "fixed");
	return 0;
}

/* Whether the kernel's data about the program are true. */
static void plain_auxiliary(void)
{
	const ElfW(Phdr) *ph = (const void *)getauxval(AT_PHDR);
	uintptr_t bias = 0, entry = getauxval(AT_ENTRY);
	int interp = 0, holds = 0;
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (ph[i].p_type == PT_PHDR)
			bias = (uintptr_t)ph - ph[i].p_vaddr;
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++) {
		interp |= ph[i].p_type == PT_INTERP;
		holds |= ph[i].p_type == PT_LOAD && (ph[i].p_flags & PF_X) && entry - bias - ph[i].p_vaddr < ph[i].p_memsz;
	}
	const char *base = (const char *)getauxval(AT_BASE);
	printf("auxv: interpreter %d, entry %d, base %d, page %lu\n", interp, holds, base && !memcmp(base, ELFMAG, SELFMAG), getauxval(AT_PAGESZ));
}

/* A library is mapped and unmapped many times with its surroundings; then it is loaded. */
static int maps(void)
{
	enum { TIMES = 100, PAGE = 4096 };
	for (int i = 0; i < TIMES; i++) {
		const int fd = open("libplug.so", O_RDONLY);
		const size_t around = (size_t)(5 + 2 * i) * PAGE; /* each time the library lies elsewhere */
		char *at = mmap(NULL, around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mmap(at + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != at + PAGE || memcmp(at + PAGE, ELFMAG, SELFMAG) != 0)
			return 1;
		munmap(at, around);
		close(fd);
	}
	int (*work)(int) = (int (*)(int))dlsym(dlopen("./libplug.so", RTLD_NOW), "plug_work");
	return work(2);
}

int main(int argc, char **argv)
{
	int a[200], calls = 0, count = 0;
	if (argc > 1 && !strcmp(argv[1], "where")) {
		printf("%p %p\n", (void *)main, (void *)getauxval(AT_BASE));
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "maps"))
		return maps();
	plain_auxiliary();
	dl_iterate_phdr(plain_name_of, &count);
	for (int i = 0; i < 200; i++)
		a[i] = i * 7919 % 211;
	qsort_r(a, 200, sizeof *a, by_value, &calls);
	printf("%d %d %d after %d calls\n", a[0], a[100], a[199], calls);
	printf("%.12f %.12f\n", sin(1.0) + pow(2, 0.5), exp(lgamma(argc + 4.5)));
	mine += argc;
	zeros[3]++;
	char *big = malloc(1 << 20);
	memset(big, 'x', 1 << 20);
	printf("tls %d %d, %c\n", mine, zeros[3], big[12345]);
	free(big);
	return 7;
}
