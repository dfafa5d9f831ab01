// Values of all kinds, for engines.py: each expression of its table is evaluated where push() has
// been called for the third time.
struct point {
	int x, y;
};
enum colour { RED, GREEN = 5, BLUE };
typedef unsigned short count;
struct node {
	struct node *next;
	const char *name;
	struct point at;
	enum colour colour;
	unsigned bit : 3, flag : 1;
	union {
		int i;
		float f;
	} u;
	char c;
	double d;
};
static struct node one = {0, "one", {1, 2}, GREEN, 5, 1, {.f = 1.5f}, 'x', 2.25};
struct node two = {&one, "two", {-3, 4}, RED, 7, 0, {.i = 9}, '\n', -0.5};
struct node *head = &two;
int table[5] = {1, 2, 3, 4, 5};
short matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
char text[8] = "hello";
unsigned char bytes[4] = {200, 1, 2, 3};
static int total, mark;
long long big = 1LL << 40;
float small = 0.25f;
double half = 0.5;
_Bool yes = 1;
count many = 65535;

static int __attribute__((noinline)) push(int v, int w)
{
	int k = v * 2;
	total += k + w;
	mark = v; /* the table is evaluated here */
	return total;
}
int (*call)(int, int) = push;

int main(int argc, char **argv)
{
	int sum = argc - 1 + (argv == 0);
	for (int i = 0; i < 4; i++)
		sum += call(i, i * i);
	return sum & 7;
}
