/* The address space, call by call: answers to right and wrong arguments, and the mappings
 * afterwards. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* Address range of this test alone. */
static char *const space = (char *)0x1000000000;

static char *volatile nowhere = (char *)8;

static sigjmp_buf back;

static void memory_hit(int sig)
{
	siglongjmp(back, sig);
}

/* A page's contents: its first byte; '.': it may not be read; '-': nothing is mapped. */
static char memory_at(char *page)
{
	if (sigsetjmp(back, 1))
		return msync(page, PAGE, MS_ASYNC) ? '-' : '.';
	const char c = *(volatile char *)page;
	return c ? c : '0';
}

static void memory_show(const char *what, void *got, const char *base)
{
	if (got == MAP_FAILED)
		printf("%s: %s;", what, strerrorname_np(errno));
	else if ((char *)got >= base && (char *)got < base + 64 * PAGE)
		printf("%s: %ld;", what, ((char *)got - base) / PAGE);
	else
		printf("%s: elsewhere;", what);
	for (int i = 0; i < 24; i++)
		putchar(memory_at(space + (size_t)i * PAGE));
	putchar('\n');
}

/* Pages a, b, ... of the space are mapped, a letter each; ' ' is a hole, '.' one without permissions. */
static void memory_lay(const char *pages)
{
	munmap(space, 64 * PAGE);
	for (int i = 0; pages[i]; i++) {
		char *p = space + (size_t)i * PAGE;
		if (pages[i] == ' ')
			continue;
		if (mmap(p, PAGE, RW, ANON | MAP_FIXED, -1, 0) != p)
			printf("no page %d\n", i);
		*p = pages[i];
		if (pages[i] == '.')
			mprotect(p, PAGE, PROT_NONE);
	}
}

struct move {
	const char *pages;
	int from, old, length, flags, to; /* pages; < 0: bytes, one off */
};

static void memory_move(const struct move *m, size_t number)
{
	char *from = m->from < 0 ? space - m->from : space + (size_t)m->from * PAGE;
	char *to = m->to < 0 ? space - (size_t)m->to * PAGE + 1 : space + (size_t)m->to * PAGE;
	char name[80];
	memory_lay(m->pages);
	char *got = mremap(from, (size_t)m->old * PAGE, (size_t)m->length * PAGE, m->flags, to);
	snprintf(name, sizeof name, "mremap %zu '%s' %d+%d to %d, %d, %d", number, m->pages, m->from, m->old, m->length,
	         m->flags, m->to);
	memory_show(name, got, space);
	if (got != MAP_FAILED && (got < space || got >= space + 64 * PAGE)) {
		for (int k = 0; k < m->length; k++)
			putchar(memory_at(got + (size_t)k * PAGE));
		putchar('\n');
		munmap(got, (size_t)m->length * PAGE);
	}
}

/* Several mappings at once, as Linux since 6.17, and qemu-riscv64 there. */
static void sparse_moves(void)
{
	static const struct move tries[] = {
		{"ab d", 0, 4, 4, MREMAP_MAYMOVE, 0},
		{"ab d", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab.d", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab d", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
	};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		memory_move(&tries[i], i);
}

static void memory_moves(void)
{
	static const struct move tries[] = {
		{"abcd", 0, 4, 2, 0, 0},
		{"abcd", 0, 4, 4, 0, 0},
		{"abcd", 0, 4, 6, 0, 0},
		{"abcd e", 0, 4, 6, 0, 0},
		{"abcd e", 0, 4, 6, MREMAP_MAYMOVE, 0},
		{"abcd", 0, 2, 3, 0, 0},
		{"ab d", 0, 4, 2, 0, 0},
		{"ab d", 0, 4, 1, 0, 0},
		{"ab d", 0, 4, 3, 0, 0},
		{"ab d", 0, 4, 6, 0, 0},
		{"ab d", 0, 4, 6, MREMAP_MAYMOVE, 0},
		{"ab d", 0, 4, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab d", 0, 4, 3, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab.d", 0, 4, 6, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab.d", 0, 4, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"ab.d", 0, 4, 3, 0, 0},
		{"ab.d", 0, 4, 1, 0, 0},
		{"ab.d", 2, 1, 3, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{" bcd", 0, 4, 2, 0, 0},
		{" bcd", 0, 4, 6, MREMAP_MAYMOVE, 0},
		{" bcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"abcd      xyz", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"abcd      xyz", 0, 4, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"abcd      xyz", 0, 4, 6, MREMAP_MAYMOVE | MREMAP_FIXED, 10},
		{"abcd", 0, 2, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 2},
		{"abcd", 2, 2, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 0},
		{"abcd", 2, 2, 1, MREMAP_MAYMOVE | MREMAP_FIXED, 1},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 2},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, 0},
		{"abcd", 0, 4, 1, MREMAP_MAYMOVE | MREMAP_FIXED, 3},
		{"abcd", 0, 4, 4, MREMAP_FIXED, 10},
		{"abcd", 0, 4, 4, MREMAP_DONTUNMAP, 10},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 10},
		{"abcd", 0, 2, 2, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
		{"abcd      xyz", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 2},
		{"abcd", 0, 4, 2, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
		{"abcd", 0, 4, 6, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 10},
		{"a.cd", 1, 1, 1, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, 10},
		{"abcd", 0, 4, 4, 8, 0},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | 16, 0},
		{"abcd", -1, 1, 1, 0, 0},
		{"abcd", -1, 1, 2, MREMAP_MAYMOVE, 0},
		{"abcd", 0, 4, 4, MREMAP_MAYMOVE | MREMAP_FIXED, -10},
		{"", 0, 4, 4, 0, 0},
		{"", 0, 4, 2, 0, 0},
		{"", 0, 4, 6, MREMAP_MAYMOVE, 0},
	};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		memory_move(&tries[i], i);
	/* Beyond all addresses. */
	memory_lay("abcd");
	memory_show("too long", mremap(space, PAGE, (size_t)1 << 50, MREMAP_MAYMOVE), space);
	memory_show("too long, staying", mremap(space, PAGE, (size_t)1 << 50, 0), space);
	memory_show("of too much", mremap(space, (size_t)1 << 50, PAGE, 0), space);
	memory_show("to far away", mremap(space, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)((size_t)1 << 60)), space);
	memory_show("of far away", mremap((char *)((size_t)1 << 60), PAGE, PAGE, 0), space);
	/* Lengths are of whole pages. */
	memory_show("a bit more", mremap(space, 1, PAGE + 1, MREMAP_MAYMOVE | MREMAP_FIXED, space + 8 * PAGE), space);
}

struct map {
	const char *pages;
	int at, length, flags; /* pages; < 0: bytes, one off */
};

static void memory_map(const struct map *m, size_t number)
{
	char name[60], *want = m->at < 0 ? space - m->at : space + (size_t)m->at * PAGE;
	memory_lay(m->pages);
	void *got = mmap(want, (size_t)m->length * PAGE, RW, m->flags, -1, 0);
	snprintf(name, sizeof name, "mmap %zu '%s' %d+%d, %x", number, m->pages, m->at, m->length, (unsigned)m->flags);
	memory_show(name, got, space);
}

/* qemu-riscv64 7.2 takes the address as a hint. */
static void memory_noreplace(void)
{
	static const struct map tries[] = {
		{"ab d", 0, 2, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 2, 2, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 1, 2, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 0, 1, ANON | MAP_FIXED_NOREPLACE | MAP_FIXED},
		{"a. d", 1, 1, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", -1, 1, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 0, 2, ANON | MAP_FIXED_NOREPLACE | MAP_NORESERVE},
	};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		memory_map(&tries[i], i);
}

static void memory_maps(void)
{
	static const struct map tries[] = {
		{"ab d", 2, 1, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 4, 9, ANON | MAP_FIXED_NOREPLACE},
		{"ab d", 2, 1, ANON | MAP_FIXED_NOREPLACE | MAP_FIXED},
		{"ab d", 0, 3, ANON | MAP_FIXED},
		{"ab d", -1, 1, ANON | MAP_FIXED},
		{"ab d", 5, 0, ANON | MAP_FIXED},
		{"ab d", 5, 1, MAP_FIXED | MAP_ANONYMOUS},
		{"ab d", 5, 1, MAP_FIXED | MAP_PRIVATE},
		{"ab d", 5, 1, MAP_FIXED | MAP_ANONYMOUS | MAP_SHARED},
		{"ab d", 5, 1, MAP_FIXED | MAP_ANONYMOUS | MAP_SHARED_VALIDATE},
		{"ab d", 5, 2, ANON | MAP_FIXED | MAP_NORESERVE},
	};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		memory_map(&tries[i], i);
	memory_lay("abcd");
	memory_show("munmap of a hole", munmap(space + 8 * PAGE, PAGE) ? MAP_FAILED : space, space);
	memory_show("munmap askew", munmap(space + 1, PAGE) ? MAP_FAILED : space, space);
	memory_show("munmap of nothing", munmap(space, 0) ? MAP_FAILED : space, space);
	memory_show("munmap of a part", munmap(space + PAGE, PAGE + 1) ? MAP_FAILED : space, space);
	memory_lay("ab d");
	memory_show("mprotect over a hole", mprotect(space, 4 * PAGE, PROT_READ) ? MAP_FAILED : space, space);
	memory_show("mprotect askew", mprotect(space + 1, PAGE, PROT_READ) ? MAP_FAILED : space, space);
}

/* More than the memory, of which little is used. */
static void memory_sparse(void)
{
	const size_t most = (size_t)16 << 30;
	char *p = mmap(NULL, most, RW, ANON | MAP_NORESERVE, -1, 0);
	printf("16 GiB: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "there");
	if (p == MAP_FAILED)
		return;
	for (size_t i = 0; i < most; i += most / 16)
		p[i] = (char)('a' + i / (most / 16));
	for (size_t i = 0; i < most; i += most / 16)
		putchar(p[i]);
	printf(" %d %d\n", p[PAGE], p[most - 1]);
	printf("protect %d\n", mprotect(p, most / 2, PROT_READ));
	printf("protect %d\n", mprotect(p, most / 2, RW));
	char *q = mremap(p, most, most + ((size_t)1 << 30), MREMAP_MAYMOVE);
	printf("17 GiB: %s %c %d\n", q == MAP_FAILED ? strerrorname_np(errno) : "there", q[most / 16], q[most + 9]);
	printf("advise %d %d\n", madvise(q, most, MADV_DONTNEED), q[0]);
	printf("gone %d\n", munmap(q, most + ((size_t)1 << 30)));
	p = mmap(NULL, most, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);
	printf("reserved: %d\n", mprotect(p, most, RW));
	p[most / 2] = 1;
	printf("%d\n", p[most / 2] + p[0]);
}

/* How many MiB can be written of 1 GiB without a reservation. */
static void memory_overcommit(void)
{
	const size_t most = (size_t)1 << 30;
	static char *volatile p;
	static volatile size_t done;
	p = mmap(NULL, most, RW, ANON | MAP_NORESERVE, -1, 0);
	if (!sigsetjmp(back, 1))
		for (; done < most; done += PAGE)
			p[done] = 1;
	printf("%zu MiB\n", done >> 20);
	printf("read: %ld\n", (long)read(0, p + done, 10));
	/* cbo.zero of a page that was never written finds zeros */
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 4" : : "r"(p + done) : "memory");
	printf("zero: %d\n", p[done]);
	munmap(p, done);
	p[done] = 3;
	printf("%d\n", p[done]);
}

static void memory_say(const char *what, long got)
{
	if (got == -1)
		printf("%s: %s\n", what, strerrorname_np(errno));
	else
		printf("%s: %ld\n", what, got);
}

static void memory_page(const char *what, char *got)
{
	printf("%s: %.20s\n", what, got == MAP_FAILED ? strerrorname_np(errno) : got);
}

/* Files in memory: as files, mapped, sealed. */
static void diff_memory_files(void)
{
	char text[300], name[300];
	memset(name, 'n', sizeof name);
	name[249] = 0;
	memory_say("name of 249", memfd_create(name, 0));
	name[249] = 'n';
	name[250] = 0;
	memory_say("name of 250", memfd_create(name, 0));
	memory_say("no name", memfd_create(nowhere, 0));
	memory_say("flags", memfd_create("a", 0x100));
	memory_say("flags", memfd_create("a", 24));
	const int fd = memfd_create("bytes", MFD_CLOEXEC);
	memory_say("create", fd);
	memory_say("flags", fcntl(fd, F_GETFD));
	memory_say("access", fcntl(fd, F_GETFL) & O_ACCMODE);
	memory_say("write", write(fd, "Tyger Tyger", 11));
	memory_say("read at the end", read(fd, text, 11));
	memory_say("seek", lseek(fd, -5, SEEK_END));
	memory_say("read", read(fd, text, sizeof text));
	printf("%.5s\n", text);
	memory_say("pwrite", pwrite(fd, "far", 3, 9000));
	memory_say("end", lseek(fd, 0, SEEK_END));
	memory_say("pread", pread(fd, text, 10, 8996));
	printf("%d %.3s\n", text[3], text + 4);
	memory_say("append", fcntl(fd, F_SETFL, O_APPEND));
	memory_say("pwrite", pwrite(fd, "end", 3, 0));
	memory_say("end", lseek(fd, 0, SEEK_END));
	memory_say("bad read", read(fd, nowhere, 8) == -1 || pread(fd, nowhere, 8, 0));
	memory_say("bad write", write(fd, nowhere, 8));
	memory_say("bad seek", lseek(fd, -1, SEEK_SET));
	struct stat st;
	memory_say("stat", fstat(fd, &st));
	printf("%o %ld %ld\n", st.st_mode, (long)st.st_size, (long)st.st_nlink);
	memory_say("truncate", ftruncate(fd, -1));
	memory_say("truncate", ftruncate(fd, 5));
	memory_say("truncate", ftruncate(fd, 8192));
	memory_say("pread", pread(fd, text, 12, 0));
	printf("%.6s %d\n", text, text[6]);
	memory_say("fsync", fsync(fd));
	memory_say("allocate", fallocate(fd, 0, 0, 20000));
	memory_say("allocate", fallocate(fd, 0, 0, 0));
	memory_say("hole", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1, 3));
	memory_say("hole", fallocate(fd, FALLOC_FL_PUNCH_HOLE, 1, 3));
	memory_say("pread", pread(fd, text, 12, 0));
	printf("%d %d %d\n", text[0], text[1], text[4]);
	memory_say("end", lseek(fd, 0, SEEK_END));
	memory_say("seals", fcntl(fd, F_GET_SEALS));
	memory_say("seal", fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
	memory_say("seals of none", fcntl(1, F_GET_SEALS));

	/* A shared mapping is the file; a private one a copy. */
	memory_say("length", ftruncate(fd, 3 * PAGE));
	char *own = mmap(NULL, 3 * PAGE, RW, MAP_PRIVATE, fd, 0);
	memory_page("private", own);
	strcpy(own, "mine");
	char *m = mmap(NULL, 3 * PAGE, RW, MAP_SHARED, fd, 0);
	strcpy(m + PAGE, "through memory");
	memory_say("pread", pread(fd, text, 15, PAGE));
	printf("%s, %.1s\n", text, m);
	fcntl(fd, F_SETFL, 0);
	memory_say("pwrite", pwrite(fd, "through the file", 17, 2 * PAGE));
	memory_page("seen", m + 2 * PAGE);
	memory_say("punch", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE, PAGE));
	memory_say("gone", m[PAGE]);
	memory_say("shorter", ftruncate(fd, 2 * PAGE + 7));
	memory_page("seen", m + 2 * PAGE);
	memory_say("advise", madvise(m, PAGE, MADV_DONTNEED));
	memory_page("stays", m);
	memory_say("protect", mprotect(m, PAGE, PROT_READ));
	memory_say("unmap a part", munmap(m + 2 * PAGE, PAGE));
	memory_say("unmap", munmap(m, 2 * PAGE));
	memory_say("pread", pread(fd, text, 8, 2 * PAGE));
	printf("%.7s\n", text);
	m = mmap(space, 3 * PAGE, RW, MAP_SHARED | MAP_FIXED, fd, 0);
	memory_say("fixed", m == space);
	memory_page("again", m + 2 * PAGE);
	memory_say("close", close(fd));
	memory_page("still", m + 2 * PAGE);
	strcpy(m, "nobody's");
	memory_page("ours", m);
	memory_say("unmap", munmap(m, 3 * PAGE));
	memory_page("mine", own);
	memory_say("closed", ftruncate(fd, 0));

	/* Sealed. */
	const int sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
	memory_say("seals", fcntl(sealed, F_GET_SEALS));
	memory_say("write", write(sealed, "sealed", 7));
	memory_say("unknown seal", fcntl(sealed, F_ADD_SEALS, 0x1000));
	memory_say("grow", fcntl(sealed, F_ADD_SEALS, F_SEAL_GROW));
	memory_say("longer", ftruncate(sealed, 100));
	memory_say("longer", write(sealed, "more", 4));
	memory_say("same", pwrite(sealed, "S", 1, 0));
	memory_say("shrink", fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK));
	memory_say("shorter", ftruncate(sealed, 1));
	m = mmap(NULL, PAGE, RW, MAP_SHARED, sealed, 0);
	memory_page("mapped", m);
	memory_say("write, mapped", fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE));
	memory_say("unmap", munmap(m, PAGE));
	memory_say("write", fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE));
	memory_say("written", pwrite(sealed, "s", 1, 0));
	memory_say("hole", fallocate(sealed, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1));
	memory_page("to write", mmap(NULL, PAGE, RW, MAP_SHARED, sealed, 0));
	memory_page("to read", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, sealed, 0));
	memory_say("seal", fcntl(sealed, F_ADD_SEALS, F_SEAL_SEAL));
	memory_say("more", fcntl(sealed, F_ADD_SEALS, F_SEAL_GROW));
	memory_say("seals", fcntl(sealed, F_GET_SEALS));

	/* Longer while it is mapped, with room above it. */
	char *above = mmap(NULL, 4 << 20, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int grows = memfd_create("grows", 0);
	memory_say("length", ftruncate(grows, PAGE));
	m = mmap(NULL, PAGE, RW, MAP_SHARED, grows, 0);
	memory_say("unmap", munmap(above, 4 << 20));
	memory_say("longer", ftruncate(grows, 2 << 20));
	strcpy(m, "still shared");
	memory_say("pread", pread(grows, text, 13, 0));
	printf("%s\n", text);

	/* Long, written piece by piece beside another. */
	const int one = memfd_create("one", 0), two = memfd_create("two", 0);
	for (int i = 0; i < 3000; i++) {
		memset(text, 'a' + i % 26, sizeof text);
		if (write(i % 3 ? one : two, text, sizeof text) != sizeof text)
			memory_say("piece", i);
	}
	unsigned sum = 0;
	for (int i = 0; i < 2; i++) {
		const int from = i ? two : one;
		long n;
		lseek(from, 0, SEEK_SET);
		while ((n = read(from, text, 299)) > 0)
			for (long k = 0; k < n; k++)
				sum = sum * 31 + (unsigned char)text[k];
	}
	printf("%u %ld %ld\n", sum, (long)lseek(one, 0, SEEK_END), (long)lseek(two, 0, SEEK_END));
}

int main(int argc, char **argv)
{
	const struct sigaction act = {.sa_handler = memory_hit};
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	if (argc < 2)
		return 2;
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"moves", memory_moves}, {"maps", memory_maps},   {"sparse_moves", sparse_moves}, {"noreplace", memory_noreplace},
	             {"files", diff_memory_files}, {"sparse", memory_sparse}, {"overcommit", memory_overcommit}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].name))
			parts[i].run();
	return 0;
}
