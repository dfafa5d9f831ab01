/* A function with nearly all registers in use between branches: inserted code must save some on the
 * stack. For debuggers that follow it step by step. */
#include <stdio.h>

__attribute__((noinline)) static unsigned busy(const unsigned *v, unsigned n)
{
	unsigned a = n, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, j = 9, k = 10, l = 11, m = 12, o = 13, p = 14, q = 15, r = 16, s = 17,
		 t = 18, u = 19, w = 20, x = 21, y = 22, z = 23;
	if (n > 100)
		return n;
	for (unsigned at = 0; at < n; at++) {
		if (v[at] & 1)
			a += b ^ c, d += e, f ^= g + h;
		if (v[at] & 2)
			i += j ^ k, l += m, o ^= p + q;
		else
			r += s ^ t, u += w, x ^= y + z;
		if (v[at] & 4)
			b += a, c ^= d, e += f, g ^= i, h += l;
		else
			j += o, k ^= r, m += u, p ^= x, q += a;
		if (v[at] & 8)
			s += d, t ^= f, w += i, y ^= l, z += o;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ o ^ p ^ q ^ r ^ s ^ t ^ u ^ w ^ x ^ y ^ z;
}

__attribute__((noinline)) static unsigned outer(unsigned n)
{
	unsigned v[40];
	for (unsigned i = 0; i < n; i++)
		v[i] = i * 7 + n;
	return busy(v, n) + 1;
}

int main(void)
{
	unsigned sum = outer(20) + outer(11);
	printf("%u\n", sum);
	return (int)(sum % 100);
}
