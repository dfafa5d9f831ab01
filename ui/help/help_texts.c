/* Pages of `help` that are texts. Each file of ui/help/pages/ is part of the program. */
#include "ui/help/help_texts.h"

#include "ui/console/command.h"

#define PAGE(name) \
	__asm__(".pushsection .rodata\nhelp_text_" #name \
	        ":\n\t.incbin \"ui/help/pages/" #name ".txt\"\n\t.byte 0\n.popsection"); \
	extern const char help_text_##name[]; \
	void help_put_##name(struct console *c) \
	{ \
		console_print(c, "%s", help_text_##name); \
	}

PAGE(dap)
PAGE(gdb)
PAGE(json)
PAGE(locations)
PAGE(plugins)
PAGE(programs)
PAGE(values)
PAGE(xprof)
