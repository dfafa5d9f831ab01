#!/bin/bash
# The command line in shells: completion in bash and zsh, and the manual page.
. tests/lib.sh
tree=$PWD
mkdir "$dir/bin" "$dir/here" "$dir/here/folder"
ln -s "$CYCLOPS" "$dir/bin/cyclops"
# Presets are found beside the real program, not beside a link.
PATH=$dir/bin:$PATH
cd "$dir/here" || exit 1
: >"prog.elf" >"mine.lua" >"two words.lua"

# ---- cyclops complete: lines of a word and its help ----
# has WORDS... -- LINE: the candidates for the end of WORDS have this line, a word before its tab
words_of() { "$CYCLOPS" complete "$@" | cut -f1; }
has() {
	local -a words=()
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	command="cyclops complete ${words[*]@Q}"
	check "no '$2'" grep -qxF -- "$2" <(words_of "${words[@]}")
}
lacks() {
	local -a words=()
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	command="cyclops complete ${words[*]@Q}"
	check "has '$2'" [ -z "$(words_of "${words[@]}" | grep -xF -- "$2")" ]
}

# Every option of --help is offered, and no other.
for name in inspect run compare lua sweep instrument microcode; do
	command="cyclops complete $name --"
	"$CYCLOPS" "$name" --help | grep -oE '^  (-.,|   ) --[a-z-]+' | grep -oE -- '--.*' |
		sort >"$dir/want"
	words_of "$name" -- | sort >"$dir/out"
	check "options differ from --help" cmp -s "$dir/want" "$dir/out"
	check "options are there" [ -s "$dir/want" ]
done
has "" -- run
has com -- compare
lacks "" -- complete
has run --config "" -- classic5
has run --config=cla -- --config=classic5
has run -c cla -- classic5
has run -ccla -- -cclassic5
has run -o l1d.si -- l1d.size=
has run -o bpred.kind= -- bpred.kind=gshare
has run --set=bpred.kind=g -- --set=bpred.kind=gshare
lacks run -o l1d.size= -- l1d.size=gshare
has compare cla -- classic5
has compare classic5,pipe.rob -- classic5,pipe.rob_size=
has compare classic5,bpred.kind=g -- classic5,bpred.kind=gshare
has run --report "oracle b" -- "oracle blocks"
has run --export fol -- folded=
has run --metrics sim.cycles,l1d.mis -- sim.cycles,l1d.misses
has run --instrument bb,pa -- bb,path
has instrument --labels "" -- chords
has help pip -- pipe
has help lua mach -- machine
has values str -- strides
has demo so -- sort
has demo h -- hash hello
# Words after a program's name are its arguments.
lacks run prog.elf -- --config
lacks run -- -- --config
# An option with an argument takes the next word.
lacks run --stats --conf -- --config
has run --stats out.json --conf -- --config
has run --summary --conf -- --config
files() {
	command="cyclops complete ${*:2}"
	check "files should be '$1'" grep -qxF -- "$(printf '\t%s' "$1")" \
		<("$CYCLOPS" complete "${@:2}")
}
files "files - *" run ""
files "files - *.lua" run --config ""
files "files - *.elf" run --firmware ""
files "files folded= *" run --export folded=o
files "files --stats= *" run --stats=o
files "folders -" inspect --source ""
files "folders -" inspect --sysroot ""
files "folders /x=" run --dir /x=b
files "files - *" compare classic5 -- ""
files "files - *.lua" lua ""
files "files - *.mic" microcode ""
files "files - *.s" asm ""

# ---- completion in bash itself ----
cat >"$dir/complete.bash" <<END
. "$tree/ui/shell/cyclops.bash"
END
cat >>"$dir/complete.bash" <<'END'
compopt() { options+=" $2"; }
options=
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_cyclops
printf '%s\n' "${COMPREPLY[@]}"
echo "options:$options"
END
# in_bash REPLY WORDS...: the words as bash cuts them
in_bash() {
	command="bash: ${*:2}"
	bash "$dir/complete.bash" "${@:2}" >"$dir/out" 2>"$dir/err"
	check "no '$1'" grep -qxF -- "$1" "$dir/out"
	silent err
}
in_bash compare cyclops comp
in_bash classic5 cyclops run --config cla
in_bash classic5 cyclops run --config = cla
in_bash l1d.size= cyclops run -o l1d.si
says out "options: nospace"
in_bash gshare cyclops run -o bpred.kind = gsh
in_bash bimodal cyclops run -o bpred.kind =
in_bash prog.elf cyclops run --firmware pr
in_bash mine.lua cyclops run --config mi
in_bash "two words.lua" cyclops run --config tw
says out filenames
in_bash "oracle blocks" cyclops run --report "oracle b"
says out filenames
in_bash folder cyclops inspect --source fo
# Tab executes nothing of the current folder.
mkdir build
for place in . build; do
	printf '#!/bin/sh\ntouch "%s/PWNED"\necho hostile\n' "$dir" >"$place/cyclops"
	chmod +x "$place/cyclops"
done
in_bash compare ./cyclops comp
in_bash compare build/cyclops comp
PATH=.:$PATH in_bash "options:" cyclops comp
check "./cyclops was not executed" [ ! -e "$dir/PWNED" ]
rm -r build cyclops

# ---- completion in zsh ----
cat >"$dir/zpty.zsh" <<'END'
setopt extendedglob
zmodload zsh/zpty
zpty shell zsh -f -i
# put LINE UNTIL: types it, and prints the output up to the text UNTIL, without bells and colours
put() {
	local out= piece
	zpty -w -n shell $1
	repeat 200; do
		zpty -r -t shell piece && out+=${${piece//$'\a'/}//$'\e'\[[0-9;]#m/} || sleep 0.05
		[[ $out == *$2* ]] && break
	done
	print -r -- $out
}
put $'PS1=""; fpath=('$1$' $fpath); autoload -U compinit; compinit -D -u; print ready$((1))\n' ready1 >/dev/null
put $'cyclops run --conf\t' 'config '
put $'\x15cyclops run -o l1d.siz\t' 'size='
put $'\x15cyclops run -o bpred.kind=gsh\t' 'gshare '
put $'\x15cyclops run --firmware pro\t' 'prog.elf '
put $'\x15cyclops compare classic5,pipe.rob_s\t' 'rob_size='
put $'\x15cyclops run --source fol\t' 'folder/'
put $'\x15./cyclops run --conf\t' 'config '
zpty -d shell
END
command="zsh"
printf '#!/bin/sh\ntouch "%s/PWNED"\n' "$dir" >cyclops
chmod +x cyclops
zsh -f "$dir/zpty.zsh" "$tree/ui/shell" >"$dir/out" 2>"$dir/err"
for word in "--config " "l1d.size=" "bpred.kind=gshare " "prog.elf " "classic5,pipe.rob_size=" \
	"folder/"; do
	check "zsh should complete to '$word'" grep -qF -- "$word" "$dir/out"
done
check "./cyclops was not executed by zsh" [ ! -e "$dir/PWNED" ]
rm cyclops

# ---- the manual page ----
run 0 help --man
cp "$dir/out" "$dir/page"
command="groff -man -ww"
groff -man -Tascii -ww -P-cbou "$dir/page" >"$dir/text" 2>"$dir/err"
silent err
for name in inspect run compare lua sweep instrument microcode; do
	for option in $("$CYCLOPS" complete "$name" -- | cut -f1); do
		check "$option is in the page" grep -q -- "^ *\(-., \)\?$option\( \|$\)" "$dir/text"
	done
done
check "no word of troff is left" [ -z "$(grep -E '^\s*\.[A-Z]{2}|\\f' "$dir/text")" ]
check "lines stay in their width, but for the usages" \
	[ "$(awk 'length > 80' "$dir/text" | grep -vc '^ *cyclops')" = 0 ]
finish
