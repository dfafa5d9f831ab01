#include "loader/dwarf/unit_info.h"

#include <dwarf.h>
#include <stddef.h>

#include "loader/dwarf/scope_chain.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static const char *language_name(int language)
{
	static const struct {
		int code;
		const char *name;
	} all[] = {{DW_LANG_C, "c"},
	           {DW_LANG_C89, "c"},
	           {DW_LANG_C99, "c"},
	           {DW_LANG_C11, "c"},
	           {DW_LANG_C_plus_plus, "c++"},
	           {DW_LANG_C_plus_plus_03, "c++"},
	           {DW_LANG_C_plus_plus_11, "c++"},
	           {DW_LANG_C_plus_plus_14, "c++"},
	           {DW_LANG_Rust, "rust"},
	           {DW_LANG_Mips_Assembler, "asm"}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].code == language)
			return all[i].name;
	return NULL;
}

static const char *unit_info_attribute_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

bool unit_info_at(const struct program *p, uint64_t addr, struct unit_info *out)
{
	struct scope_chain chain;
	Dwarf_Half version = 0;
	walk_begin(p);
	if (!scope_chain(scope_image(p, addr), addr, &chain) || !chain.count)
		return false;
	Dwarf_Die unit = chain.block[0];
	dwarf_cu_info(unit.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
	*out = (struct unit_info){.folder = unit_info_attribute_text(&unit, DW_AT_comp_dir),
	                          .producer = unit_info_attribute_text(&unit, DW_AT_producer),
	                          .language = language_name(dwarf_srclang(&unit)),
	                          .dwarf = version};
	return true;
}
