/* Variables of every kind, written repeatedly, so that an instruction in flight always writes
 * one. */
struct pair {
	int value;
	struct pair *next;
};

int total;
char word[8] = "abcdefg";
unsigned char pieces[8]; /* stored all at once */
struct pair a, b = {2, &a};
struct { unsigned low : 3, high : 7; } bits;

static __attribute__((noinline, noclone)) long fold(long x)
{
	long half = x / 2;
	for (int k = 0; k < 3; k++)
		half = half * 3 + k;
	return half;
}

int main(void)
{
	int sum = 0;
	double d = 0;
	float f = 1;
	for (int i = 0; i < 4000; i++) {
		sum += i & 7;
		d += sum * 0.5;
		f *= 1.25f;
		total ^= sum;
		total += i;
		*(volatile unsigned long *)pieces = (unsigned long)i * 0x123456789abcdef;
		b.value = sum - i;
		bits.high += 3;
		word[i & 3] = (char)('a' + i % 20);
		a.next = i & 1 ? &a : &b;
		sum ^= (int)fold(sum);
	}
	return (sum + (int)d + (int)f) & 1;
}
