/* A library of tests/values/turns.c, which is compiled with its value. */
long turn_value(long k)
{
	long value = VALUE;
	__asm__ volatile("addi %0, %0, 0" : "+r"(value));
	return value + k;
}
