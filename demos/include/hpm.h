/* Any of the machine's statistics as a counter that a program reads: `cyclops help statistics` lists their names.
 *
 *     hpm_select(3, "l1d.misses");
 *     unsigned long before = hpm_read(3);
 *     ...
 *     printf("%lu misses\n", hpm_read(3) - before);
 *
 * Counters 3 to 31; what is read is the total since the machine began, firmware's share included where the statistic
 * includes it. Without timing (--functional, --ff) there is no pipeline, and what it would count stands still: then only
 * sim.functional_insts and sim.functional_cycles go on, by one for each instruction. Derived statistics (ratios) and names that don't exist read as 0. Only Cyclops has these: elsewhere the
 * first use is an illegal instruction. With optimisation on the name is digested by the compiler. */
#ifndef CYCLOPS_HPM_H
#define CYCLOPS_HPM_H

/* The FNV-1a digest of a name, 32 bits. */
static inline unsigned hpm_id(const char *name)
{
	unsigned h = 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ? h : 1;
}

/* counter: a constant. hpmselectN is CSR 0x800 + N, hpmcounterN is 0xc00 + N. */
#define hpm_select(counter, name) \
	__asm__ volatile("csrw %0, %1" : : "i"(0x800 + (counter)), "r"((unsigned long)hpm_id(name)) : "memory")
#define hpm_read(counter) \
	__extension__({ \
		unsigned long hpm_value_; \
		__asm__ volatile("csrr %0, %1" : "=r"(hpm_value_) : "i"(0xc00 + (counter)) : "memory"); \
		hpm_value_; \
	})

#endif
