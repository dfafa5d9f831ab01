/* Usual interpreters: dispatch by a switch, by a table of labels, by labels in a register; and
 * switches of other shapes. Prints sums of their results. Valid in C and in C++; compilers put
 * tables and addresses in several ways. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long word;
#define ALONE __attribute__((noinline))

static unsigned char program[512];
static word random_state = 12345;

static word dispatch_next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33;
}

/* A switch in a loop: one jump for all. */
ALONE word by_switch(const unsigned char *p, word rounds)
{
	word a = 1, b = 2;
	for (word i = 0;; i++) {
		switch (p[i & 511]) {
		case 0: a += b; break;
		case 1: a ^= b << 3; break;
		case 2: b += a >> 1; break;
		case 3: if (a & 1) b++; else a--; break;
		case 4: a *= 3; break;
		case 5: b ^= 0x55; /* fall through */
		case 6: b -= a & 7; break;
		case 7: if (i > rounds) return a + b; break;
		case 8: a = a >> 2 | b << 5; break;
		case 9: { word t = a; a = b; b = t; } break;
		default: a ^= i; break;
		}
	}
}

/* A table of labels, and a jump after each operation. */
ALONE word by_labels(const unsigned char *p, word rounds)
{
	static const void *const table[] = {&&add, &&mix, &&half, &&odd, &&triple, &&flip, &&less, &&end, &&turn, &&swap};
	word a = 1, b = 2, i = 0;
#define NEXT goto *table[p[i++ & 511]]
	NEXT;
add: a += b; NEXT;
mix: a ^= b << 3; NEXT;
half: b += a >> 1; NEXT;
odd: if (a & 1) b++; else a--; NEXT;
triple: a *= 3; NEXT;
flip: b ^= 0x55; NEXT;
less: b -= a & 7; NEXT;
end: if (i > rounds) return a + b; NEXT;
turn: a = a >> 2 | b << 5; NEXT;
swap: { word t = a; a = b; b = t; } NEXT;
}

/* Distances from a label, as position-independent code has them. */
ALONE word by_distances(const unsigned char *p, word rounds)
{
	static const int table[] = {(int)((char *)&&add - (char *)&&add), (int)((char *)&&mix - (char *)&&add), (int)((char *)&&half - (char *)&&add), (int)((char *)&&end - (char *)&&add)};
	word a = 1, b = 2, i = 0;
#undef NEXT
#define NEXT goto *(void *)((char *)&&add + table[p[i++ & 511] & 3])
	NEXT;
add: a += b; NEXT;
mix: a ^= b << 3; NEXT;
half: b += a >> 1; NEXT;
end: if (i > rounds) return a + b; NEXT;
}

/* A label that a variable holds. */
ALONE word by_state(word n)
{
	void *state = &&even;
	word sum = 0;
again:
	if (!n--)
		return sum;
	goto *state;
even:
	sum += 3;
	state = sum & 4 ? &&odd : &&even;
	goto again;
odd:
	sum ^= 5;
	state = &&even;
	goto again;
}

/* Consecutive cases that don't begin at 0; only the common code follows the default. */
ALONE word shifted(word x)
{
	word y = 0;
	switch (x) {
	case 100: y = 7; break;
	case 101: y = x * 3; break;
	case 102: y = x ^ 9; break;
	case 103: return 1;
	case 104: y = x >> 2; break;
	case 105: y = 77 - x; break;
	case 106: y = dispatch_next_random() & 1; break;
	}
	switch (y & 7) {
	case 0: return x + 1;
	case 1: return x * 5;
	case 2: return y;
	case 3: return x ^ y;
	case 4: return y * 2;
	case 5: return x - 3;
	case 6: return 0;
	default: return 9;
	}
}

/* Only code has its address. */
ALONE static word plus(word x) { return x + 17; }
ALONE static word times(word x) { return x * 31; }

int main(int count, char **arguments)
{
	word rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 2000, sum = 0;
	for (unsigned i = 0; i < sizeof program; i++)
		program[i] = (unsigned char)(dispatch_next_random() % 10);
	program[511] = 7;
	word (*f)(word) = count > 5 ? times : plus;
	printf("switch %lx\n", by_switch(program, rounds));
	printf("labels %lx\n", by_labels(program, rounds));
	printf("distances %lx\n", by_distances(program, rounds));
	printf("state %lx\n", by_state(rounds));
	for (word i = 0; i < rounds; i++)
		sum = sum * 3 + shifted(98 + i % 11);
	printf("shifted %lx\n", f(sum) + (f == plus ? times(3) : 0));
	return (int)(sum & 63);
}
