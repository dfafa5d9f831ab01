/* The place of an assembled program's last instruction, which a warning names. */
#ifndef CYCLOPS_CORE_OS_LAST_PLACE_H
#define CYCLOPS_CORE_OS_LAST_PLACE_H

struct os;

/* place: "at loop (x.s:3)", copied; "": not known. */
void os_set_last_place(struct os *os, const char *place);

#endif
