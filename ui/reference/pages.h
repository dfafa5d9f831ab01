/* The pages of the reference, for reference.c. */
#ifndef CYCLOPS_UI_REFERENCE_PAGES_H
#define CYCLOPS_UI_REFERENCE_PAGES_H

#include <stdio.h>

struct console;

/* machine.c */
void page_events(FILE *f, struct console *c);
void page_fields(FILE *f, struct console *c);
void page_statistics(FILE *f, struct console *c);
void page_parameters(FILE *f, struct console *c);
void page_csrs(FILE *f, struct console *c);
/* session.c */
void page_command_line(FILE *f, struct console *c);
void page_commands(FILE *f, struct console *c);
void page_keys(FILE *f, struct console *c);
void page_views(FILE *f, struct console *c);
void page_reports(FILE *f, struct console *c);
void page_expressions(FILE *f, struct console *c);
void page_programs(FILE *f, struct console *c);
void page_glossary(FILE *f, struct console *c);
void page_microcode(FILE *f, struct console *c);
/* lua.c */
void page_lua(FILE *f, struct console *c);

/* Writes a page of help in a fence. */
void put_help_page(FILE *f, struct console *c, const char *name);
/* Writes a line of links to the parameters and statistics that a text names. */
void put_links(FILE *f, const char *text);
/* "l1d" of "l1d.size". Returns buf. */
char *family_of(const char *name, char *buf, size_t n);

#endif
