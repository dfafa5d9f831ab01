/* A guest whose stores cross a page: eight bytes with the loop's number in each, the last four on
 * the next page. A system call follows each store, so that no two are in flight. */
_Alignas(4096) char pages[2 * 4096];

void _start(void)
{
	for (unsigned long i = 1; i <= 40; i++)
		__asm__ volatile("div t0, %0, %0\n"
		                 ".globl crosses\n"
		                 "crosses: sd %1, (%2)\n"
		                 "li a7, 172\n" /* getpid */
		                 "ecall" ::"r"(i), "r"(i * 0x0101010101010101), "r"(pages + 4092) : "t0", "a0", "a7", "memory");
	__asm__ volatile("li a0, 0\n"
	                 "li a7, 93\n"
	                 "ecall");
}
