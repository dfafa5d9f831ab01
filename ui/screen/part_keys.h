/* Keys that have a meaning of their own in a part of the screen: in the timeline while it has the
 * focus, on the end page, and in a tour. */
#ifndef CYCLOPS_UI_SCREEN_PART_KEYS_H
#define CYCLOPS_UI_SCREEN_PART_KEYS_H

#include "ui/screen/keys.h"
#include "ui/screen/parts.h"

extern const char timeline_keys_title[];
/* Meaning of a key while the timeline has the focus, NULL: none of its own. The i-th such key;
 * NULL: there are fewer. */
const struct key *timeline_key(const struct timeline *t, int key);
const struct key *timeline_key_at(unsigned i);

/* Meaning of a key on the page at the program's end, NULL: none of its own. The i-th such key. */
const struct key *end_page_key(const struct end_page *e, int key);
const struct key *end_page_key_at(unsigned i);

/* Meaning of a key in a tour, NULL: none of its own. narration_own_key(): also when no tour is
 * played. */
const struct key *narration_own_key(int key);
const struct key *narration_key(const struct narration *n, int key);

#endif
