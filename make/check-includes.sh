#!/bin/bash
# The include rule of the design: data flows up, so each folder includes only what lies below it.
# Prints every line that breaks it and fails if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1

# folder | folders of ours it may include | libraries it may include (prefixes of <...>)
rules='
core      | core                               |
loader    | loader core                        | libelf gelf elf dwarf elfutils/
hwviews   | hwviews loader core                |
scripting | scripting hwviews loader core      | lua lauxlib lualib
ui        | ui scripting hwviews loader core   | ncurses curses panel term.h readline/ jansson
'
# Headers that belong to a library; every other <...> is the C library and open to all.
libraries='jansson|ncurses|curses|panel|term\.h|readline/|lua|lauxlib|lualib|libelf|gelf|dwarf|elfutils/|libdw'

quoted='["<]([^">]*)[">]'
bad=0
complain() {
	echo "$1: includes $2: $3" >&2
	bad=1
}

while IFS='|' read -r folder ours theirs; do
	folder=${folder// /}
	[ -n "$folder" ] && [ -d "$folder" ] || continue
	while IFS=: read -r file line text; do
		[[ $text =~ $quoted ]] && name=${BASH_REMATCH[1]}
		if [[ $text == *\"* ]]; then
			top=${name%%/*}
			if [[ $name != */* ]]; then
				complain "$file:$line" "\"$name\"" "name it from the top of the tree, as in \"$folder/$name\""
			elif [[ " $ours " != *" $top "* ]]; then
				complain "$file:$line" "\"$name\"" "$folder/ may include only: $(echo $ours)"
			fi
		elif [[ $name =~ ^($libraries) ]]; then
			allowed=
			for prefix in $theirs; do
				[[ $name == "$prefix"* ]] && allowed=1
			done
			[ -n "$allowed" ] || complain "$file:$line" "<$name>" "$folder/ may not use that library"
		fi
	done < <(grep -rnE --include='*.[ch]' --include='*.def' '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "$folder")
done <<<"$rules"
exit $bad
