#!/bin/bash
# The include rule of the design: data flows up, so each folder includes only what lies below it.
# Within core/ each room includes those on its own step and below. Prints every line that breaks it
# and fails if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1

# folder | folders of ours it may include | libraries it may include (prefixes of <...>)
rules='
core      | core                               |
loader    | loader core                        | libelf gelf elf dwarf elfutils/ libiberty/
hwviews   | hwviews loader core                |
scripting | scripting hwviews loader core      | lua lauxlib lualib
ui        | ui scripting hwviews loader core   | ncurses curses panel term.h readline/ jansson md4c ft2build zlib
'
# Headers that belong to a library; every other <...> is the C library and open to all.
libraries='jansson|md4c|zlib|ft2build|ncurses|curses|panel|term\.h|readline/|lua|lauxlib|lualib|libelf|gelf|dwarf|elfutils/|libdw|libiberty/'

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
				complain "$file:$line" "\"$name\"" \
					"name it from the top of the tree, as in \"$folder/$name\""
			elif [[ " $ours " != *" $top "* ]]; then
				complain "$file:$line" "\"$name\"" \
					"$folder/ may include only: $(echo $ours)"
			fi
		elif [[ $name =~ ^($libraries) ]]; then
			allowed=
			for prefix in $theirs; do
				[[ $name == "$prefix"* ]] && allowed=1
			done
			[ -n "$allowed" ] || complain "$file:$line" "<$name>" \
				"$folder/ may not use that library"
		fi
	done < <(grep -rnE --include='*.[ch]' --include='*.def' \
		'^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "$folder")
done <<<"$rules"

# Steps of core/, the lowest first: rooms, or parts of rooms by the beginning of their path. How the
# pipeline reaches devices is on its step, and so is the value sampler's state, since its handler
# acts in the pipeline.
steps='
base host
defs isa mem trap
os
pipe prof/common/ prof/values/vsample.h prof/values/vsample_
prof
machine
run'
step_of() { # path within core -> $of: the step of the longest beginning
	local number=0 longest=0 line word
	of=
	while read -r line; do
		number=$((number + 1))
		for word in $line; do
			if [[ $1 == "${word%%/*}"/* && ($word != */* || $1 == "$word"*) &&
				${#word} -gt $longest ]]; then
				of=$number longest=${#word}
			fi
		done
	done <<<"$steps"
}
while IFS=: read -r file line text; do
	[[ $text =~ $quoted ]] && name=${BASH_REMATCH[1]}
	step_of "${file#core/}"
	from=$of
	step_of "${name#core/}"
	[ -n "$from" ] && [ -n "$of" ] || complain "$file:$line" "\"$name\"" \
		"core/ has no such room"
	[ "${of:-0}" -le "${from:-0}" ] || complain "$file:$line" "\"$name\"" \
		"within core/ it goes down: ${steps//$'\n'/ | }"
done < <(grep -rnE --include='*.[ch]' --include='*.def' --include='*.inc' \
	'^[[:space:]]*#[[:space:]]*include[[:space:]]*"core/' core)
exit $bad
