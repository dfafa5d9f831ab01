#!/bin/bash
# Other programs are started by process_start() (core/host/process.h), and that is called by
# ui/child/child_words.c alone, which takes care of file names that look like options, and of where
# programs are looked for. Only what starts this program itself, or a line for the shell that a
# person typed, is beside it. Prints every other place and fails if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
names='exec(l|v|ve|le|lp|vp|lpe|vpe|veat)|posix_spawnp?|popen|system|v?fork|wordexp|process_start'
found=$(grep -rnP --include='*.[ch]' --include='*.inc' \
	"^(?!\s*(/?\*|//)).*(?<![\w.>])(?:$names)\(" core loader hwviews scripting ui |
	grep -vE '^(core/host/((posix|web)/process\.c|posix/descendants\.c|process\.h)|ui/(child/child_words|cli/jobs|cmd/shell|screen/term)\.c):')
[ -z "$found" ] && exit
echo "$found" >&2
echo 'start programs by child_start() or child_run() (ui/child/child_words.h)' >&2
exit 1
