/* Reports the result of each try of `escape`. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "escape.h"

char text[1 << 16];
long tries, leaks;
static size_t used;

void put(const char *s)
{
	const size_t n = strlen(s);
	memcpy(text + used, s, n);
	used += n;
}

void put_number(long n)
{
	char digits[24], *p = digits + sizeof digits - 1;
	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10));
	put(p);
}

void flush(void)
{
	put("\n");
	for (size_t done = 0; done < used;) {
		const ssize_t n = write(1, text + done, used - done);
		if (n <= 0)
			_exit(2);
		done += (size_t)n;
	}
	used = 0;
}

enum { RESULTS = 160 };

/* The results of one way: the calls of each result. */
static struct { const char *call; int result; } results[RESULTS];
static unsigned result_count;

void note(const char *call, int result)
{
	tries++;
	leaks += result == LEAK;
	results[result_count].call = call;
	results[result_count++].result = result;
}

static const char *result_name(int result)
{
	return result == LEAK ? "LEAK" : result == 0 ? "ok" : strerrorname_np(result);
}

void tell(const char *way)
{
	static long ways;
	put_number(++ways);
	put(" ");
	put(way);
	for (unsigned i = 0; i < result_count; i++) {
		if (!results[i].call)
			continue;
		put(" | ");
		const int result = results[i].result;
		long alike = 0;
		put(result_name(result));
		for (unsigned k = i; k < result_count; k++) {
			if (!results[k].call || results[k].result != result)
				continue;
			if (result == 0 || result == LEAK) {
				put(" ");
				put(results[k].call);
			}
			alike++;
			results[k].call = NULL;
		}
		if (result != 0 && result != LEAK) {
			put(" ");
			put_number(alike);
		}
	}
	flush();
	result_count = 0;
}

/* 0 or the error's number. */
int gave(long r)
{
	return r < 0 && r >= -4095 ? (int)-r : 0;
}

/* Without errno between. */
long call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d, a4 __asm__("a4") = e,
	              a5 __asm__("a5") = f, a7 __asm__("a7") = n;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
	return a0;
}

long open_at(int dir, const char *path, int flags)
{
	return CALL(SYS_openat, dir, path, flags, 0644);
}

void close_fd(long fd)
{
	if (fd >= 0)
		CALL(SYS_close, fd);
}
