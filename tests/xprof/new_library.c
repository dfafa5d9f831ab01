/* Part of new_code.c: adds 3, and 15 of type 0 (WHICH=0), or 100, and 10 of type 1 (WHICH=1). */
#include "demos/include/xprof.h"

long code(long);
__attribute__((naked)) long code(long n __attribute__((unused)))
{
#if WHICH
	__asm__("c.nop\n" XPROF_PI(1) "c.addi a0, 10\nc.nop\naddi a0, a0, 100\n.rept 8\nc.nop\n.endr\nret");
#else
	__asm__("c.nop\n.rept 5\n" XPROF_PI(0) "c.addi a0, 3\n.endr\naddi a0, a0, 3\nret");
#endif
}
