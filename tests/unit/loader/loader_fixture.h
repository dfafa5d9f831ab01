/* Programs that the loader's tests compile or craft. */
#ifndef CYCLOPS_TESTS_UNIT_LOADER_LOADER_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_LOADER_LOADER_FIXTURE_H

#include <stdint.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

/* ---- crafted files ---- */

enum { IMAGE_BYTES = 0x400, IMAGE_BASE = 0x10000, CODE_AT = 0x200 };

/* One executable segment over the whole file and one writable page with bss. */
struct image {
	union {
		struct {
			Elf64_Ehdr eh;
			Elf64_Phdr ph[4];
		};
		uint8_t bytes[IMAGE_BYTES];
	};
	size_t n;
};

static inline void image_init(struct image *im)
{
	memset(im, 0, sizeof *im);
	im->n = IMAGE_BYTES;
	memcpy(im->eh.e_ident, ELFMAG, SELFMAG);
	im->eh.e_ident[EI_CLASS] = ELFCLASS64;
	im->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	im->eh.e_ident[EI_VERSION] = EV_CURRENT;
	im->eh.e_type = ET_EXEC;
	im->eh.e_machine = EM_RISCV;
	im->eh.e_version = EV_CURRENT;
	im->eh.e_entry = IMAGE_BASE + CODE_AT;
	im->eh.e_phoff = sizeof(Elf64_Ehdr);
	im->eh.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE;
	im->eh.e_ehsize = sizeof(Elf64_Ehdr);
	im->eh.e_phentsize = sizeof(Elf64_Phdr);
	im->eh.e_phnum = 2;
	im->ph[0] = (Elf64_Phdr){.p_type = PT_LOAD,
	                         .p_flags = PF_R | PF_X,
	                         .p_vaddr = IMAGE_BASE,
	                         .p_filesz = IMAGE_BYTES,
	                         .p_memsz = IMAGE_BYTES,
	                         .p_align = 4096};
	im->ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = CODE_AT,
		                  .p_vaddr = IMAGE_BASE + 0x1200, .p_filesz = 0x100,
		                  .p_memsz = 0x2000, .p_align = 4096 };
	const uint16_t self_loop = 0xa001;
	memcpy(im->bytes + CODE_AT, &self_loop, 2);
	im->bytes[CODE_AT + 8] = 0x5a;
}

#endif
