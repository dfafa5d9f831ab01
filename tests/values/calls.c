/* The program of tests/values/outputs.sh under a value sampler that interprets pieces of it all the
 * time: one part by name. A part makes many system calls, or executes many instructions that
 * stop an interpretation, and prints its results; only those that must be equal: no times,
 * addresses, random bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static uint32_t mixed = 1;

static uint32_t calls_next(void)
{
	mixed = mixed * 1664525 + 1013904223;
	return mixed >> 8;
}

static uint32_t calls_sum(const unsigned char *at, size_t n, uint32_t h)
{
	while (n--)
		h = (h ^ *at++) * 16777619;
	return h;
}

/* Bytes there and back in pieces of all lengths, and a full and an empty pipe. */
static int calls_pipes(void)
{
	int end[2];
	unsigned char out[300], in[300];
	uint32_t h = 0;
	if (pipe2(end, O_NONBLOCK))
		return 1;
	for (unsigned i = 0; i < 60; i++) {
		const size_t n = 1 + calls_next() % sizeof out;
		for (size_t k = 0; k < n; k++)
			out[k] = (unsigned char)calls_next();
		size_t put = (size_t)write(end[1], out, n), got = 0;
		while (got < put) {
			const ssize_t k = read(end[0], in + got, 1 + calls_next() % 97);
			if (k <= 0)
				return 2;
			got += (size_t)k;
		}
		h = calls_sum(in, got, h) + (memcmp(in, out, got) != 0);
	}
	errno = 0;
	printf("empty %zd %s\n", read(end[0], in, 1), strerror(errno));
	size_t held = 0;
	static unsigned char page[4096];
	for (ssize_t k; (k = write(end[1], page, sizeof page)) > 0;)
		held += (size_t)k;
	printf("full at %zu %s, sum %08x\n", held, strerror(errno), h);
	close(end[0]);
	signal(SIGPIPE, SIG_IGN);
	const ssize_t closed = write(end[1], out, 1);
	printf("closed %zd %s\n", closed, strerror(errno));
	return 0;
}

static int calls_files(void)
{
	unsigned char page[64];
	struct stat st;
	uint32_t h = 0;
	const int fd = open("pieces", O_RDWR | O_CREAT | O_TRUNC, 0644);
	for (unsigned i = 0; i < 80; i++) {
		const off_t at = calls_next() % 4000;
		for (size_t k = 0; k < sizeof page; k++)
			page[k] = (unsigned char)calls_next();
		const struct iovec v[3] = {{page, 5}, {page + 9, 20}, {page + 40, calls_next() % 20}};
		if (i % 3)
			h += (uint32_t)pwrite(fd, page, 1 + calls_next() % sizeof page, at);
		else
			h += (uint32_t)(lseek(fd, at, SEEK_SET) + writev(fd, v, 3));
	}
	if (ftruncate(fd, 3000) || fstat(fd, &st))
		return 1;
	lseek(fd, 0, SEEK_SET);
	for (ssize_t k; (k = read(fd, page, 1 + calls_next() % sizeof page)) > 0;)
		h = calls_sum(page, (size_t)k, h);
	printf("%lld bytes, sum %08x\n", (long long)st.st_size, h);
	printf("%d", rename("pieces", "whole"));
	printf(" %d", unlink("pieces"));
	printf(" %s\n", strerror(errno));
	FILE *f = fopen("whole", "a+");
	fprintf(f, "%u %a %s\n", calls_next(), 1.0 / 3, "end");
	rewind(f);
	unsigned lines = 0;
	for (int c; (c = getc_unlocked(f)) != EOF;)
		lines += c == '\n';
	printf("%u lines\n", lines);
	return fclose(f) | close(fd);
}

/* Signals: blocked, ignored, and a last one that ends the program. */
static int calls_signals(void)
{
	sigset_t set, pending;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	unsigned held = 0, ignored = 0;
	for (unsigned i = 0; i < 40; i++) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(i & 1 ? SIGUSR1 : SIGTERM);
		sigpending(&pending);
		held += (unsigned)(sigismember(&pending, SIGUSR1) + 2 * sigismember(&pending, SIGTERM));
		signal(SIGUSR1, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		ignored += !sigpending(&pending) && !sigismember(&pending, SIGUSR1);
		signal(SIGTERM, SIG_DFL);
	}
	printf("held %u ignored %u\n", held, ignored);
	fflush(stdout);
	raise(SIGTERM);
	return 1;
}

/* Clocks go forwards, and sleeping ends. */
static int calls_clocks(void)
{
	struct timespec last = {0}, t;
	struct timeval tv;
	unsigned back = 0;
	for (unsigned i = 0; i < 200; i++) {
		clock_gettime(i & 1 ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW, &t);
		if (i & 1) {
			back += t.tv_sec < last.tv_sec || (t.tv_sec == last.tv_sec && t.tv_nsec < last.tv_nsec);
			last = t;
		}
		back += gettimeofday(&tv, NULL) != 0 || tv.tv_usec > 999999;
	}
	const struct timespec moment = {0, 1000};
	back += nanosleep(&moment, NULL) != 0;
	uint64_t before, behind;
	for (unsigned i = 0; i < 50; i++) {
		__asm__ volatile("rdtime %0" : "=r"(before));
		__asm__ volatile("rdtime %0" : "=r"(behind));
		back += behind < before;
	}
	printf("backwards %u\n", back);
	return 0;
}

static int calls_maps(void)
{
	enum { PAGE = 4096, PAGES = 24 };
	unsigned char *all = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t h = 0;
	if (all == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 60; i++) {
		unsigned char *at = all + calls_next() % PAGES * PAGE;
		at[calls_next() % PAGE] = (unsigned char)calls_next();
		mprotect(at, PAGE, PROT_READ);
		h = calls_sum(at, 64, h);
		mprotect(at, PAGE, PROT_READ | PROT_WRITE);
		if (i % 5 == 4) {
			munmap(at, PAGE);
			if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
				return 2;
		}
	}
	unsigned char *more = mremap(all, PAGES * PAGE, 3 * PAGES * PAGE, MREMAP_MAYMOVE);
	if (more == MAP_FAILED)
		return 3;
	for (unsigned i = 0; i < 3 * PAGES; i++)
		more[i * PAGE] ^= (unsigned char)i;
	printf("sum %08x\n", calls_sum(more, 2 * PAGE, h));
	const int fd = open("poem.txt", O_RDONLY);
	const char *text = mmap(NULL, 60, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("%.12s\n", text == MAP_FAILED ? "none" : text);
	return munmap(more, 3 * PAGES * PAGE);
}

static int calls_heap(void)
{
	unsigned char *low = sbrk(0), *kept[64] = {0};
	uint32_t h = 0;
	for (unsigned i = 0; i < 40; i++) {
		unsigned char *at = sbrk(333);
		memset(at, (int)i, 333);
		h = calls_sum(at - (i ? 333 : 0), 333, h);
		if (i % 8 == 7)
			sbrk(-333);
	}
	printf("grown by %td\n", (unsigned char *)sbrk(0) - low);
	for (unsigned i = 0; i < 120; i++) {
		unsigned char **at = &kept[calls_next() % 64];
		const size_t n = 8 + calls_next() % (i % 40 ? 900 : 200000);
		*at = realloc(*at, n);
		memset(*at, (int)i, n);
		h = calls_sum(*at + n - 8, 8, h);
		if (i % 3 == 0) {
			free(*at);
			*at = NULL;
		}
	}
	printf("sum %08x\n", h);
	return 0;
}

static int calls_chance(void)
{
	unsigned char bytes[256];
	unsigned seen = 0, zero = 0;
	for (unsigned i = 0; i < 30; i++) {
		memset(bytes, 0, sizeof bytes);
		const size_t n = 1 + calls_next() % sizeof bytes;
		seen += getrandom(bytes, n, i & 1 ? GRND_NONBLOCK : 0) == (ssize_t)n;
		for (size_t k = n; k < sizeof bytes; k++)
			zero += bytes[k];
	}
	printf("%u %u %d\n", seen, zero, (int)getrandom(bytes, 1, 0xff0));
	return 0;
}

/* Code that is written and changed while it is executed. */
static int calls_code(void)
{
	uint32_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int total = 0;
	for (int i = 0; i < 120; i++) {
		for (int k = 0; k < i % 7; k++)
			at[k] = 0x00050513u | (uint32_t)(i + k) << 20; /* addi a0, a0, i + k */
		at[i % 7] = 0x00008067u; /* ret */
		if (i & 1)
			__asm__ volatile("fence.i" ::: "memory");
		else
			__builtin___clear_cache((char *)at, (char *)(at + 8));
		total += ((int (*)(int))(void *)at)(i);
	}
	printf("total %d\n", total);
	return 0;
}

/* LR and SC with nothing between them, and with loads and calls there. */
static int calls_atomics(void)
{
	static uint64_t cell[4];
	unsigned tries = 0;
	for (unsigned i = 0; i < 300; i++) {
		uint64_t was, fail;
		do {
			__asm__ volatile("lr.d %0, (%2)\n\taddi %0, %0, 3\n\tsc.d.aqrl %1, %0, (%2)" : "=&r"(was), "=&r"(fail) : "r"(&cell[i & 3]) : "memory");
			tries++;
		} while (fail && tries < 100000);
		__atomic_fetch_xor(&cell[(i + 1) & 3], i, __ATOMIC_SEQ_CST);
		__atomic_fetch_add((uint32_t *)&cell[(i + 2) & 3], calls_next(), __ATOMIC_RELAXED);
		uint64_t expected = cell[0];
		__atomic_compare_exchange_n(&cell[0], &expected, expected * 5, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
	printf("%016llx %016llx %016llx %016llx\n", (unsigned long long)cell[0], (unsigned long long)cell[1], (unsigned long long)cell[2], (unsigned long long)cell[3]);
	return 0;
}

/* Rounding and flags are the program's, not the handler's. */
static int calls_floats(void)
{
	static const int ways[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	volatile double x = 0.1, y = 3;
	double total = 0;
	unsigned flags = 0;
	for (unsigned i = 0; i < 200; i++) {
		fesetround(ways[i & 3]);
		feclearexcept(FE_ALL_EXCEPT);
		total += x / y;
		if (i % 5 == 0)
			total /= (volatile double){0} + (double)(i % 10) * 1e308;
		flags = flags * 7 + (unsigned)fetestexcept(FE_ALL_EXCEPT);
		x += 0.37;
		if (total - total != 0)
			total = x;
	}
	fesetround(FE_TONEAREST);
	printf("%a %08x\n", total, flags);
	return 0;
}

/* Input in small pieces, output without a buffer, and calls that do nothing. */
static int calls_dense(void)
{
	char c;
	unsigned calls = 0;
	for (ssize_t n; (n = read(0, &c, 1)) > 0; calls++) {
		c ^= c >= 'a' && c <= 'z' ? 32 : 0;
		if (write(1, &c, 1) != 1)
			return 1;
		calls += syscall(SYS_getppid) != 0 && errno != 0 && syscall(9999) == 0;
	}
	dprintf(1, "\n%u\n", calls);
	return 3;
}

/* Ends by a fault after some work, in the middle of what may be an interpretation. */
static int calls_fault(void)
{
	volatile uint32_t *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect((void *)(at + 1024), 4096, PROT_READ);
	for (unsigned i = 0; i < 2048; i++) {
		if (i % 256 == 0) {
			printf("%u\n", i);
			fflush(stdout);
		}
		at[i] = i;
	}
	return 0;
}

/* As many instructions as there are, wherever they are executed. Here alone: qemu counts something else. */
static int calls_counted(void)
{
	for (unsigned i = 0; i < 100; i++) {
		uint64_t before, behind, n = 1 + i % 9;
		__asm__ volatile("rdinstret %0\n1:\taddi %2, %2, -1\n\tbnez %2, 1b\n\trdinstret %1" : "=r"(before), "=r"(behind), "+r"(n));
		if (i < 12)
			printf("%llu ", (unsigned long long)(behind - before));
		else if (behind - before != 1 + 2 * (1 + i % 9))
			printf("wrong: %llu ", (unsigned long long)(behind - before));
	}
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} parts[] = {
		{"pipes", calls_pipes}, {"files", calls_files}, {"signals", calls_signals}, {"clocks", calls_clocks}, {"maps", calls_maps}, {"heap", calls_heap}, {"chance", calls_chance},
		{"code", calls_code}, {"atomics", calls_atomics}, {"floats", calls_floats}, {"dense", calls_dense}, {"fault", calls_fault}, {"counted", calls_counted},
	};
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].name))
			return parts[i].run();
	return 99;
}
