/* Two files of code are mapped at one place in turn and called at once: instructions fetched from
 * one must not run for the other. Its status is how often that went wrong. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096, TIMES = 100 };

/* The mapping, and the call in the next instruction. */
static long map_and_call(char *at, int fd)
{
	register long a0 __asm__("a0") = (long)at, a1 __asm__("a1") = PAGE, a2 __asm__("a2") = PROT_READ | PROT_EXEC,
	              a3 __asm__("a3") = MAP_PRIVATE | MAP_FIXED, a4 __asm__("a4") = fd, a5 __asm__("a5") = 0, a7 __asm__("a7") = SYS_mmap;
	__asm__ volatile("ecall\n\tjalr a0" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "ra", "memory");
	return a0;
}

int main(void)
{
	const int fd[2] = {open("one.code", O_RDONLY), open("two.code", O_RDONLY)};
	char *at = mmap(0, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd[0], 0);
	int wrong = 0;
	for (int i = 0; i < TIMES; i++)
		wrong += map_and_call(at, fd[i & 1]) != 1 + (i & 1);
	return wrong;
}
