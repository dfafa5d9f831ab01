/* The guest of the tests of hooks: a short loop with a place to patch, cold lines, branches that no
 * predictor learns, and occasional output. Ends with status 7. */

unsigned long table[1024];
unsigned long counter;
char text[2] = ".\n";

/* s4: what `site` adds, s5: what a hook sets. */
__asm__(".option push\n"
        ".option norvc\n"
        ".globl _start, hot, site, loop, done\n"
        "_start: la s0, table\n"
        "la s6, counter\n"
        "li s1, 0\n"
        "li s2, 88172645463325252\n"
        "loop: slli t0, s2, 13\n"
        "xor s2, s2, t0\n"
        "srli t0, s2, 7\n"
        "xor s2, s2, t0\n"
        "slli t0, s2, 17\n"
        "xor s2, s2, t0\n"
        "li t0, 0x1ff8\n"
        "and t0, s2, t0\n"
        "add t0, t0, s0\n"
        "ld t1, 0(t0)\n"
        "add t1, t1, s4\n"
        "sd t1, 0(t0)\n"
        "andi t2, s2, 64\n"
        "beqz t2, 1f\n"
        "call hot\n"
        "1: andi t2, s1, 63\n"
        "bnez t2, 1f\n"
        "li a0, 1\n"
        "la a1, text\n"
        "li a2, 2\n"
        "li a7, 64\n"
        "ecall\n"
        "1: addi s1, s1, 1\n"
        "li t0, 100\n"
        "blt s1, t0, loop\n"
        "done: li a0, 7\n"
        "li a7, 93\n"
        "ecall\n"
        "hot: ld t1, 0(s6)\n"
        "add t1, t1, s5\n"
        "site: addi s4, s4, 1\n"
        "sd t1, 0(s6)\n"
        "ret\n"
        ".option pop\n");
