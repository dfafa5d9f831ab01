/* Values of more than 64 bits, complex numbers, bit-fields of truth values and wide texts, for
 * wide.sh. */
#include <complex.h>
#include <stdbool.h>
#include <uchar.h>
#include <wchar.h>

struct bits {
	_Bool a : 1, b : 1;
	unsigned c : 3;
	int d : 5;
	long long e : 40;
};
struct mix {
	long double ld;
	double _Complex z;
	__int128 i;
	_Bool yes;
};
enum flags { FIRST = 1, SECOND = 2, THIRD = 4 };
enum flags flags = FIRST | THIRD, other_flags = 16;
enum both { NONE = 0, ONE = 1, TWO = 2, ALSO_TWO = 2 } both = ONE | TWO;
typedef char *char_pointer;
char_pointer by_typedef = (char *)"abc";
unsigned long word = 0x41424344454647;
struct one {
	long double only;
};
long double pi = 3.14159265358979323846264338327950288L, large = 1e4000L, tiny = 1e-4940L,
	    none = 0, minus = -1.5L, endless = __builtin_infl(), no_number = __builtin_nanl("");
long double several[3] = {1, 2.5L, -3};
double half = 0.5, tenth = 0.1;
double _Complex z = 1 + 2 * I, w = 0.1 - 0.3 * I;
float _Complex zf = 1.5f - 2.25f * I;
long double _Complex zl = 0.1L + 0.2L * I;
__int128 wide = ((__int128)1 << 100) + 5, below = -7;
unsigned __int128 most = (unsigned __int128)-1;
struct bits bits = {1, 0, 5, -3, 123456789012LL};
struct mix mix = {1.25L, 2 + 3 * I, -9, true};
wchar_t text[] = L"h\u00e4llo\n\x80\"", letter = L'\u00e9';
char16_t text16[] = u"hi \u20ac \U0001F600\xd800!", letter16 = u'x';
char32_t text32[] = U"hi \U0001F600", letter32 = U'y', same[20] = U"aaaaaaaaaaaabc";
const wchar_t *pointer = L"pointed";
const char16_t *pointer16 = u"p16";
char utf8[] = "h\303\244llo \342\202\254 \377x\303\050";
char s16[] = "s16 is no type here";

__attribute__((noipa)) long double times(long double a, long double b)
{
	return a * b;
}

/* One constant more than ptype prints. */
#define TEN(of) of##0, of##1, of##2, of##3, of##4, of##5, of##6, of##7, of##8, of##9
#define HUNDRED(of)                                                                                \
	TEN(of##0), TEN(of##1), TEN(of##2), TEN(of##3), TEN(of##4), TEN(of##5), TEN(of##6),        \
		TEN(of##7), TEN(of##8), TEN(of##9)
enum many { HUNDRED(m1), HUNDRED(m2) } many;
enum more { HUNDRED(n1), HUNDRED(n2), n300 } more;
enum sizes { LESS = -200, BYTE = 200, HALF = 40000, WORD = 0x70000000 } sizes = HALF;
static const int folded = 200; /* a value without a place when optimised */

__attribute__((noipa)) double _Complex turned(double _Complex a, int n)
{
	return a * n;
}

__attribute__((noipa)) float _Complex small(float _Complex a, int n)
{
	return a * n;
}

__attribute__((noipa)) __int128 product(__int128 a, long n)
{
	return a * n;
}

__attribute__((noipa)) struct one in_struct(struct one t)
{
	t.only *= 2;
	return t;
}

int main(void)
{
	volatile long double a = times(1.25L, 3.5L);
	volatile double _Complex b = turned(1 + 2 * I, 3);
	volatile float _Complex c = small(1 + 2 * I, 3);
	volatile __int128 d = product((__int128)1 << 80, -3);
	volatile struct one e = in_struct((struct one){1.5L});
	return folded + a > 1 && creal(b) > 1 && crealf(c) > 1 && d < 5 && e.only > 1;
}
