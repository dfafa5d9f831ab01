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
ui        | ui scripting hwviews loader core   | ncurses curses panel term.h readline/ jansson
'
# Headers that belong to a library; every other <...> is the C library and open to all.
libraries='jansson|ncurses|curses|panel|term\.h|readline/|lua|lauxlib|lualib|libelf|gelf|dwarf|elfutils/|libdw|libiberty/'

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

# Steps of core/, the lowest first.
steps='base | defs isa mem trap | os | pipe | prof | machine | run'
# What goes up nevertheless: none may come, and one that is gone leaves the list.
up='
core/defs/config.c core/prof/common/device.h
core/defs/config_check.c core/pipe/frontend/bpred.h
core/defs/stats.c core/prof/common/device.h
core/pipe/idle.c core/prof/values/vsample.h
core/pipe/interrupt/bounce.c core/prof/common/prof.h
core/pipe/interrupt/bounce.h core/prof/values/vsample.h
core/pipe/interrupt/handler.c core/prof/common/prof.h
core/pipe/interrupt/handler.c core/prof/values/vsample.h
core/pipe/interrupt/interpret.h core/prof/common/prof.h
core/pipe/interrupt/next_inst.c core/prof/values/vsample.h
core/pipe/invariants.c core/prof/common/prof.h
core/pipe/invariants.c core/prof/values/vsample.h
core/pipe/pipe.c core/prof/common/prof.h
core/pipe/plugin.c core/prof/sampler/compressor.h
core/pipe/squash.c core/prof/common/prof.h
core/pipe/variant.c core/prof/common/prof.h
core/pipe/why.c core/prof/common/prof.h
core/pipe/why.c core/prof/values/vsample.h
core/prof/values/value_daemon.c core/machine/alarm.h
core/prof/values/value_daemon.c core/machine/change.h
core/prof/values/value_daemon.c core/machine/machine.h
'
number=0
declare -A step
for word in $steps; do
	[ "$word" = '|' ] && number=$((number + 1)) || step[$word]=$number
done
found=
while IFS=: read -r file line text; do
	[[ $text =~ $quoted ]] && name=${BASH_REMATCH[1]}
	from=${file#core/} to=${name#core/}
	from=${step[${from%%/*}]-} to=${step[${to%%/*}]-}
	[ -n "$from" ] && [ -n "$to" ] || complain "$file:$line" "\"$name\"" \
		"core/ has no such room"
	if [ "${to:-0}" -gt "${from:-0}" ]; then
		found+="$file $name"$'\n'
		[[ $up == *$'\n'"$file $name"$'\n'* ]] || complain "$file:$line" "\"$name\"" \
			"within core/ it goes down: $steps"
	fi
done < <(grep -rnE --include='*.[ch]' --include='*.def' --include='*.inc' \
	'^[[:space:]]*#[[:space:]]*include[[:space:]]*"core/' core)
while read -r pair; do
	[ -z "$pair" ] || [[ $'\n'$found == *$'\n'"$pair"$'\n'* ]] || {
		echo "make/check-includes.sh: '$pair' is gone: take it from the list" >&2
		bad=1
	}
done <<<"$up"
# Rooms without circles stay so.
python3 make/include_circles.py ui >&2 || bad=1
exit $bad
