#include "ui/screen/paste.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/palette.h"
#include "ui/screen/playground.h"
#include "ui/screen/term.h"

/* Ends lines in \n and removes other control characters but tabs; for the prompt, also newlines at
 * the end. */
static void paste_sanitize_text(struct text *t, bool for_prompt)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		char c = t->s[i];
		if (c == '\r') {
			if (i + 1 < t->n && t->s[i + 1] == '\n')
				continue;
			c = '\n';
		}
		if ((unsigned char)c >= ' ' || c == '\n' || c == '\t')
			t->s[n++] = c;
	}
	while (for_prompt && n && t->s[n - 1] == '\n')
		n--;
	t->n = n;
	if (t->s)
		t->s[n] = '\0';
}

static unsigned paste_count_lines(const char *text)
{
	unsigned n = 1;
	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void paste_open_menu(struct screen *s)
{
	const unsigned n = paste_count_lines(s->pasted.s);
	char title[POPUP_TITLE];
	snprintf(title, sizeof title, "%u lines were pasted: %.*s ...", n,
	         (int)strcspn(s->pasted.s, "\n"), s->pasted.s);
	popup_menu(&s->popup, title);
	popup_item(&s->popup, "run them as commands, up to one that fails", "paste run");
	popup_item(&s->popup, "put the first one at the prompt", "paste first");
	popup_item(&s->popup, "drop them", "paste drop");
	s->damaged = true;
}

static void type_in(struct screen *s, const char *text)
{
	if (s->cmdline.open)
		cmdline_insert(s, text);
	else
		cmdline_open(s, text);
}

void paste_use(struct screen *s)
{
	s->paste_waits = false;
	const bool edits =
		s->playground && s->playground->focused && !s->popup.open && !s->cmdline.open;
	paste_sanitize_text(&s->pasted, !edits);
	if (!s->pasted.n)
		return;
	if (edits) {
		playground_paste(s, s->pasted.s, s->pasted.n);
		text_clear(&s->pasted);
		return;
	}
	if (s->popup.open && s->popup.finds && paste_count_lines(s->pasted.s) == 1) {
		palette_type(s, s->pasted.s);
		text_clear(&s->pasted);
		return;
	}
	if (s->popup.open)
		popup_close(&s->popup);
	if (paste_count_lines(s->pasted.s) > 1) {
		paste_open_menu(s);
		return;
	}
	type_in(s, s->pasted.s);
	text_clear(&s->pasted);
}

void paste_to_guest(struct screen *s, unsigned at)
{
	wchar_t wc;
	mbstate_t state = {0};
	s->paste_waits = false;
	paste_sanitize_text(&s->pasted, false);
	const char *c = s->pasted.s;
	for (size_t left = s->pasted.n; left && s->typed_count < TYPED_MAX;) {
		size_t n = mbrtowc(&wc, c, left, &state);
		if (n == 0 || n > left)
			break;
		memmove(s->typed + at + 1, s->typed + at, (s->typed_count - at) * sizeof *s->typed);
		s->typed[at++] = wc == '\n' ? '\r' : (int)wc;
		s->typed_count++;
		c += n;
		left -= n;
	}
	text_clear(&s->pasted);
}

/* Runs each line as if typed, until one fails or is stopped. */
static void run_lines(struct screen *s, char *text)
{
	unsigned at = 0;
	for (char *save, *line = strtok_r(text, "\n", &save); line && !s->quit;
	     line = strtok_r(NULL, "\n", &save)) {
		at++;
		s->running.stopped = false;
		screen_run(s, line);
		const bool failed = s->message_is_error && s->message.n;
		if ((failed || s->running.stopped) && strtok_r(NULL, "\n", &save)) {
			char why[256];
			snprintf(why, sizeof why, "%.*s", failed ? (int)s->message.n : 7,
			         failed ? s->message.s : "stopped");
			screen_say(s, true,
			           "Pasted line %u, %s: %s; the lines after it were not run", at,
			           line, why);
			return;
		}
	}
}

bool exec_paste(struct screen *s, const char *args, struct err *err)
{
	if (strcmp(args, "run") != 0 && strcmp(args, "first") != 0 && strcmp(args, "drop") != 0)
		return err_set(err,
		               "'%s' is not understood; expected paste run, paste first or paste "
		               "drop, of lines that "
		               "were pasted",
		               args);
	if (!s->pasted.n)
		return err_set(err, "nothing was pasted");
	char *text = alloc_text(s->pasted.s);
	text_clear(&s->pasted);
	if (!text)
		return err_set(err, "out of memory for the pasted text");
	if (*args == 'r') {
		run_lines(s, text);
	} else if (*args == 'f') {
		text[strcspn(text, "\n")] = '\0';
		type_in(s, text);
	}
	free(text);
	return true;
}
