/* Handlers of signals that come by a clock, between any two instructions where the emulator steps
 * one by one: neither the interrupted code's nor their own results change. Both use nearly all
 * registers, so that inserted code saves some on the stack. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { SIGNALS = 5000 };

static volatile sig_atomic_t heard, wrong;
static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

/* Two copies, so that a handler interrupts another function too. */
#define BUSY(name) \
	__attribute__((noinline)) static unsigned name(unsigned n) \
	{ \
		unsigned a = n, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, j = 9, k = 10, l = 11, m = 12, o = 13, p = 14, q = 15, r = 16, \
			 s = 17, t = 18, u = 19, w = 20, x = 21, y = 22, z = 23; \
		for (unsigned at = 0; at < n; at++) { \
			if (at & 1) \
				a += b ^ c, d += e, f ^= g + h; \
			if (at & 2) \
				i += j ^ k, l += m, o ^= p + q; \
			else \
				r += s ^ t, u += w, x ^= y + z; \
			if (at & 4) \
				b += a, c ^= d, e += f, g ^= i, h += l; \
			else \
				j += o, k ^= r, m += u, p ^= x, q += a, s += d, t ^= f, w += i, y ^= l, z += o; \
		} \
		return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ o ^ p ^ q ^ r ^ s ^ t ^ u ^ w ^ x ^ y ^ z; \
	}
BUSY(busy)
BUSY(busy_too)

__attribute__((noinline)) static unsigned deep(unsigned n)
{
	return n < 2 ? busy(n + 9) : deep(n - 1) * 3 + deep(n - 2);
}

static unsigned right, right_too;

static void hear(int s)
{
	(void)s;
	heard++;
	wrong |= busy_too(17) != right_too;
	if (may_jump && heard % 8 == 0) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

int main(void)
{
	struct itimerval clock = {{0, 100}, {0, 100}};
	right = deep(6);
	right_too = busy_too(17);
	signal(SIGALRM, hear);
	setitimer(ITIMER_REAL, &clock, NULL);
	while (heard < SIGNALS) {
		if (!sigsetjmp(back, 1)) {
			may_jump = 1;
			wrong |= deep(6) != right;
			may_jump = 0;
		}
		char text[40];
		snprintf(text, sizeof text, "%u %.3f", right, right / 7.0);
		wrong |= strtoul(text, NULL, 10) != right;
	}
	clock = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &clock, NULL);
	printf("%s: %u %u\n", wrong ? "wrong" : "right", right, right_too);
	return wrong;
}
