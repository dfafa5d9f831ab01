/* The program under the command fuzzer: calls, a loop, memory, a system call, in a few hundred cycles. */
volatile int counter;
long numbers[4] = {10, 20, 30, -40};
const char text[] = "hello";

__attribute__((noinline)) static int twice(int x)
{
	counter++;
	return 2 * x;
}

__attribute__((noinline)) int main(void)
{
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += twice(i);
	return sum + (int)numbers[0] + text[0];
}

__attribute__((noreturn)) void _start(void)
{
	register long a0 __asm__("a0") = main();
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
	__builtin_unreachable();
}
