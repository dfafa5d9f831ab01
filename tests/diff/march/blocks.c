/* Cache blocks: cbo.zero clears every third block by any address in it; the other operations have
 * no visible effect. The last one names a read-only block, which ends the program. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 64, BLOCKS = 64 };
static unsigned char bytes[BLOCK * BLOCKS] __attribute__((aligned(4096)));

int main(void)
{
	unsigned wrong = 0;
	memset(bytes, 0xa5, sizeof bytes);
	for (int i = 0; i < BLOCKS; i++) {
		if (i % 3 == 0)
			__asm__ volatile("cbo.zero (%0)" : : "r"(bytes + i * BLOCK + i) : "memory");
		__asm__ volatile("cbo.clean (%0)\n\tcbo.flush (%0)\n\tcbo.inval (%0)"
		                 :
		                 : "r"(bytes + i * BLOCK)
		                 : "memory");
		wrong += bytes[i * BLOCK] != (i % 3 ? 0xa5 : 0);
	}
	for (int i = 0; i < BLOCK * BLOCKS; i++)
		wrong += bytes[i] != (i / BLOCK % 3 ? 0xa5 : 0);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__asm__ volatile("cbo.clean (%0)" : : "r"(page));
	printf("%u wrong\n", wrong);
	fflush(stdout);
	__asm__ volatile("cbo.zero (%0)" : : "r"(page) : "memory");
	return 0;
}
