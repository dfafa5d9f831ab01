/* Xprof for C: profile instructions and what switches them, as inline assembly for gcc and clang.
 *
 *     unsigned long counts[2];
 *
 *     __attribute__((noinline)) int f(int n)
 *     {
 *             xprof_pushpf(0);                 the caller's flag is kept
 *             xprof_resetpf(0);                off; a runtime profiles f by making a setpf of this
 *             xprof_count(0, counts, 0);       one more in counts[0]: four profile instructions of type 0
 *             while (n--)
 *                     xprof_count(0, counts, 1);
 *             xprof_poppf(0);                  the caller's flag again, on every way out
 *             return n;
 *     }
 *
 * A profile instruction of your own is XPROF_PI(k) before one instruction in an asm statement (not before a
 * pseudo-instruction that becomes several): __asm__ volatile(XPROF_PI(0) "addi %0, %0, 1" : "+r"(n)).
 *
 * k is a type, 0 to 7, and a constant, as are indices. All of these are hints: on machines without Xprof they do nothing, and every
 * profile instruction executes. A function that is left by a tail call needs its poppf before that:
 * code after these macros does not move past them. demos/include/xprof.inc has the same for
 * assembly, and explains each of them. */
#ifndef CYCLOPS_XPROF_H
#define CYCLOPS_XPROF_H

#ifndef __riscv
#error "xprof.h is for RISC-V"
#endif

/* 16 bits where the compiler may use them. */
#ifdef __riscv_compressed
#define XPROF_HINT "c.slli zero, "
#else
#define XPROF_HINT "slti zero, ra, "
#endif

/* A prefix, for use before an instruction in an asm statement. */
#define XPROF_PI(k) XPROF_HINT "8 + " #k "\n\t"

/* pushpf saves in a shadow of the stack, at sp, where poppf looks. So the function needs a frame of its own (or what it calls may
 * save at the same sp): pushpf is declared to change ra. And both must find the same sp: no alloca
 * or array of variable length in between. both are declared to read sp, so that no prologue or
 * epilogue moves past them; clang's frames, once made before a pushpf, reach to every return. */
#ifdef __clang__
#define xprof_control_(s, k, ...) \
	do { \
		_Static_assert((k) >= 0 && (k) <= 7, "a profile type is 0 to 7"); \
		__asm__ volatile(XPROF_HINT "%0" : : "i"((s) + (k)) : __VA_ARGS__); \
	} while (0)
#else
#define xprof_control_(s, k, ...) \
	do { \
		_Static_assert((k) >= 0 && (k) <= 7, "a profile type is 0 to 7"); \
		register unsigned long xprof_sp_ __asm__("sp"); \
		__asm__ volatile(XPROF_HINT "%0" : : "i"((s) + (k)), "r"(xprof_sp_) : __VA_ARGS__); \
	} while (0)
#endif

#define xprof_resetpf(k) xprof_control_(16, k, "memory")
#define xprof_setpf(k) xprof_control_(24, k, "memory")
#define xprof_pushpf(k) xprof_control_(32, k, "memory", "ra")
#define xprof_poppf(k) xprof_control_(40, k, "memory")
#define xprof_pushpf_all() xprof_control_(48, 0, "memory", "ra")
#define xprof_poppf_all() xprof_control_(49, 0, "memory")
#define xprof_mark() xprof_control_(50, 0, "memory")

/* A trigger in the program itself (Vaswani, figure 1): profiles the following code if the condition
 * holds. */
#define xprof_check(k, condition) \
	do { \
		if (condition) \
			xprof_setpf(k); \
		else \
			xprof_resetpf(k); \
	} while (0)

/* A run of profile instructions of so many bytes follows. */
#define xprof_pblen(bytes) __asm__ volatile("slti zero, zero, %0" : : "i"(bytes) : "memory")

/* Increments counter[index]: an array of unsigned long, by its name; not a static one, whose name
 * the compiler may change. */
#define xprof_count(k, counter, index) \
	do { \
		unsigned long xprof_at_, xprof_value_; \
		__asm__ volatile(".option push\n\t.option norelax\n\t" \
		                 XPROF_PI(k) ".Lxprof_count_%=:\n\t" \
		                 "auipc %0, %%pcrel_hi(" #counter " + 8 * (" #index "))\n\t" \
		                 XPROF_PI(k) "ld %1, %%pcrel_lo(.Lxprof_count_%=)(%0)\n\t" \
		                 XPROF_PI(k) "addi %1, %1, 1\n\t" \
		                 XPROF_PI(k) "sd %1, %%pcrel_lo(.Lxprof_count_%=)(%0)\n\t" \
		                 ".option pop" \
		                 : "=&r"(xprof_at_), "=&r"(xprof_value_) : : "memory"); \
	} while (0)

#endif
