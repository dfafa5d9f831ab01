#include "ui/cli/lua_field.h"

void lua_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++)
		fprintf(f, "\\%03u", (unsigned char)*text);
	fputc('"', f);
}

void lua_field(FILE *f, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(f, "%s = ", name);
	lua_text(f, text);
	fputs(", ", f);
}
