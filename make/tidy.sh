#!/bin/bash
# clang-tidy of one file, unless the same has passed before, here or in another clone.
#
#   make/tidy.sh FILE STAMP FLAGS...      FLAGS: the compiler's. Makes STAMP, and STAMP.d with what FILE includes
#
# The same is: what the preprocessor makes of FILE, with macros as they are defined, NOLINT comments, .clang-tidy, FLAGS and clang-tidy's
# version. A pass leaves an empty file of that name in ${XDG_CACHE_HOME:-~/.cache}/cyclops/tidy; what failed is not kept, and what nobody
# asked for in 30 days goes. TIDY_CHECKS has checks beside those of .clang-tidy.
set -u -o pipefail

file=$1 stamp=$2
shift 2
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/cyclops/tidy
log=$stamp.log

# Where a line stands does not matter; names of headers are as the compiler found them, from the top of the tree: the same in any clone.
text() {
	clang-tidy --version && cat .clang-tidy && printf '%s\n' "$file" "${TIDY_CHECKS:-}" "$@" &&
		clang -E -dD "$@" -MD -MP -MT "$stamp" -MF "$stamp.d" "$file" 2>/dev/null |
		sed -e '/^# [0-9]* "[^"]*"$/d' -e 's/^# [0-9]* /# /' -e '/^[[:space:]]*$/d' || return
	{ echo "$file"; sed -n 's/^\([A-Za-z_.][^ :]*\):$/\1/p' "$stamp.d"; } | xargs grep -h NOLINT || true
}
key=$(text "$@" | sha256sum) || key=
key=${key%% *}

if [ -n "$key" ] && [ -e "$cache/$key" ]; then
	touch "$cache/$key" "$stamp"
	exit 0
fi
if ! clang-tidy --quiet ${TIDY_CHECKS:+--checks="$TIDY_CHECKS"} "$file" -- "$@" >"$log" 2>&1; then
	grep -A2 -E ' (error|warning): ' "$log"
	echo "how it gets there: $log"
	exit 1
fi
touch "$stamp"
[ -n "$key" ] && mkdir -p "$cache" 2>/dev/null && : >"$cache/$key" && find "$cache" -type f -mtime +30 -delete
exit 0
