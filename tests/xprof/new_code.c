/* Code that is made new in all ways that a program has, at random: bytes rewritten, pages mapped over, moved, protected, emptied,
 * the break taken back, libraries in turn at one address. Each version is ordinary and profile instructions of two types in any order,
 * whose sum is known; it is called often enough to be in every table. Ends with the number of versions; a wrong sum is a failure. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "demos/include/xprof.h"

enum { PAGE = 4096, ITEMS = 24, WAYS = 10, RWX = PROT_READ | PROT_WRITE | PROT_EXEC };

static uint64_t state;
static char *const place = (char *)0x70000000;

static unsigned new_code_below(unsigned n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

struct version {
	uint16_t parcel[4 * ITEMS];
	unsigned parcels, at; /* byte offset in the page */
	long sum[3];          /* of ordinary ones, of type 0, of type 1 */
};

static void new_code_make(struct version *v)
{
	*v = (struct version){.at = 2 * new_code_below(24)};
	for (unsigned i = 0; i < ITEMS;) {
		unsigned kind = new_code_below(3), run = 1 + new_code_below(6);
		uint16_t *pblen = NULL;
		if (kind && new_code_below(3) == 0) { /* slti x0, x0, L */
			pblen = &v->parcel[v->parcels];
			v->parcels += 2;
		}
		unsigned first = v->parcels;
		for (; run && i < ITEMS; run--, i++) {
			unsigned n = 1 + new_code_below(15);
			if (kind) /* the prefix: c.slli x0, 8 + type */
				v->parcel[v->parcels++] = (uint16_t)(0x0002 | (8 + kind - 1) << 2);
			if (new_code_below(3)) { /* c.addi a0, n */
				v->parcel[v->parcels++] = (uint16_t)(0x0501 | n << 2);
			} else { /* addi a0, a0, n */
				v->parcel[v->parcels++] = 0x0513;
				v->parcel[v->parcels++] = (uint16_t)(0x0005 | n << 4);
			}
			v->sum[kind] += n;
		}
		if (pblen) {
			pblen[0] = 0x2013;
			pblen[1] = (uint16_t)(2 * (v->parcels - first) << 4);
		}
	}
	v->parcel[v->parcels++] = 0x8082; /* ret */
}

static void *new_code_must(void *p)
{
	if (p == MAP_FAILED) {
		perror("mmap");
		exit(3);
	}
	return p;
}

static void *map(void *at, int prot, int flags, int fd)
{
	return new_code_must(mmap(at, PAGE, prot, flags | (at ? MAP_FIXED : 0), fd, 0));
}

static void new_code_fill(char *page, const struct version *v)
{
	memcpy(page + v->at, v->parcel, v->parcels * sizeof *v->parcel);
}

/* Puts the version's code into a page, which is returned. */
static char *put(const struct version *v, unsigned way)
{
	enum { PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS };
	char *page = place;
	int fd = -1;
	switch (way) {
	case 0: /* written, fence.i */
		page = map(place, RWX, PRIVATE, -1);
		new_code_fill(page, v);
		__asm__ volatile("fence.i" : : : "memory");
		break;
	case 1: /* written in place, and the system call */
		if (mprotect(place, PAGE, RWX))
			map(place, RWX, PRIVATE, -1);
		new_code_fill(page, v);
		syscall(259, page, page + PAGE, 0);
		break;
	case 2: /* written, then made executable */
		page = map(place, PROT_READ | PROT_WRITE, PRIVATE, -1);
		new_code_fill(page, v);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		break;
	case 3: /* rights taken away and given */
		if (mprotect(place, PAGE, PROT_READ | PROT_WRITE))
			map(place, PROT_READ | PROT_WRITE, PRIVATE, -1);
		new_code_fill(page, v);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		break;
	case 4: /* a file's page */
	case 5: /* the same, shared */
		fd = memfd_create("code", 0);
		if (fd < 0 || ftruncate(fd, PAGE) ||
		    pwrite(fd, v->parcel, v->parcels * sizeof *v->parcel, v->at) < 0)
			exit(4);
		munmap(place, PAGE);
		page = map(way == 4 ? place : NULL, PROT_READ | PROT_EXEC,
		           way == 4 ? MAP_PRIVATE : MAP_SHARED, fd);
		break;
	case 6: /* moved there */
		page = map(NULL, RWX, PRIVATE, -1);
		new_code_fill(page, v);
		page = new_code_must(mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place));
		break;
	case 7: /* emptied, written */
		map(place, RWX, PRIVATE, -1);
		madvise(place, PAGE, MADV_DONTNEED);
		new_code_fill(page, v);
		__asm__ volatile("fence.i" : : : "memory");
		break;
	case 8: /* of the heap's end, which comes and goes */
		page = (char *)(((uintptr_t)sbrk(0) + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
		if (brk(page + PAGE))
			exit(5);
		new_code_fill(page, v);
		mprotect(page, PAGE, RWX);
		break;
	default: /* gone, and another there */
		munmap(place, PAGE);
		page = map(place, PROT_READ | PROT_WRITE, PRIVATE, -1);
		new_code_fill(page, v);
		mprotect(page, PAGE, RWX);
		break;
	}
	if (fd >= 0)
		close(fd);
	return page;
}

static void wrong(const char *what, unsigned way, long got, long expected)
{
	printf("%s %u: %ld, expected %ld\n", what, way, got, expected);
	exit(1);
}

static void flags(unsigned on)
{
	if (on & 1)
		xprof_setpf(0);
	else
		xprof_resetpf(0);
	if (on & 2)
		xprof_setpf(1);
	else
		xprof_resetpf(1);
}

static long call(long (*f)(long), unsigned on)
{
	flags(on);
	long got = f(0);
	flags(0);
	return got;
}

/* Calls it with flags off, or now and then on. */
static void new_code_try(char *code, const long sum[3], const char *what, unsigned way)
{
	for (unsigned n = 3 + new_code_below(20); n; n--) {
		const unsigned on = new_code_below(4) ? 0 : new_code_below(4);
		const long expected = sum[0] + (on & 1 ? sum[1] : 0) + (on & 2 ? sum[2] : 0);
		const long got = call((long (*)(long))(uintptr_t)code, on);
		if (got != expected)
			wrong(what, way, got, expected);
	}
}

/* Two libraries, in turn where the other was. */
static void new_code_load(const char *folder)
{
	static const long sum[2][3] = {{3, 15, 0}, {100, 0, 10}};
	char name[256];
	const unsigned which = new_code_below(2);
	snprintf(name, sizeof name, "%s/libnew%u.so", folder, which);
	void *library = dlopen(name, RTLD_NOW);
	char *code = library ? dlsym(library, "code") : NULL;
	if (!code) {
		puts(dlerror());
		exit(6);
	}
	new_code_try(code, sum[which], "library", which);
	dlclose(library);
}

/* new_code SEED VERSIONS [FOLDER] */
int main(int argc, char **argv)
{
	unsigned done = 0, versions = (unsigned)atoi(argv[2]);
	state = (uint64_t)atol(argv[1]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (; done < versions; done++) {
		struct version v;
		if (argc > 3 && new_code_below(3) == 0) {
			new_code_load(argv[3]);
			continue;
		}
		const unsigned way = new_code_below(WAYS);
		new_code_make(&v);
		char *page = put(&v, way);
		new_code_try(page + v.at, v.sum, "way", way);
		if (way == 8)
			brk(page);
		else if (page != place)
			munmap(page, PAGE);
	}
	printf("%u versions\n", done);
	return 0;
}
