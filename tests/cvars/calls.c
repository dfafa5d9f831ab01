/* Functions that tests call by expressions: arguments and results of each kind. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct pair { int a, b; };
struct point { double x, y; };
struct mixed { float f; int i; };
struct large { long v[5]; };
struct node { int value; struct node *next; int (*get)(struct node *); };
static int counter;
int add(int a, int b) { counter++; return a + b; }
long fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
double scale(double x, float f) { return x * f; }
float half(float x) { return x / 2; }
struct pair swap(struct pair p) { struct pair r = {p.b, p.a}; return r; }
struct point shift(struct point p, double d) { struct point r = {p.x + d, p.y + d}; return r; }
struct mixed mix(struct mixed m) { m.f *= 2; m.i++; return m; }
struct large fill(struct large l, int n)
{
	for (int i = 0; i < 5; i++)
		l.v[i] += n;
	return l;
}
int length(const char *s) { return (int)strlen(s); }
int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, short j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
int sum(int n, ...)
{
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n--)
		s += (int)va_arg(ap, double);
	va_end(ap);
	return s;
}
void bump(int *p) { ++*p; }
int crash(int n) { return *(volatile int *)(long)n; }
const char *name(int n) { return n ? "one" : "zero"; }
int get(struct node *n) { return n->value; }
_Bool odd(int n) { return n & 1; }
unsigned char low(int n) { return (unsigned char)n; }
long double ld(long double x) { return x + 1; }
struct pair p = {1, 2};
struct point q = {1.5, 2.5};
struct mixed m = {1.25f, 7};
struct large l = {{1, 2, 3, 4, 5}};
struct node n = {42, 0, get};
int main(void)
{
	int x = 5;
	printf("%d %ld %g %g\n", add(x, 1), fact(4), scale(2, 3), half(3));
	swap(p); /* the place */
	shift(q, 1);
	mix(m);
	fill(l, 1);
	x = length("abc") + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) + sum(2, 1.0, 2.0);
	bump(&x);
	if (x == -1)
		crash(0);
	printf("%d %s %d %d %d %Lg\n", x, name(1), n.get(&n), odd(3), low(300), ld(1));
	return counter;
}
