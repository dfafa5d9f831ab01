#!/bin/bash
# `sample` in a session: units and phases of the whole run, motions to units, refusals.
. tests/lib.sh

batch() { # STATUS COMMAND...
	local want=$1 words=()
	shift
	for word in "$@"; do words+=(-e "$word"); done
	run "$want" inspect --batch "${words[@]}" build/demos/linked
}
batch 0 'view sample' 'view phases'
says out 'no sample was taken yet'
batch 0 'sample 20' 'view phases' 'sample goto 9' 'why' 'back 100' 'info history'
says out '20 units of 1,000'
says out ' phases in 20 intervals of '
says out 'unit 9: history begins before it'
silent err
# The same units again, wherever the session is.
batch 0 'sample 20'
cp "$dir/out" "$dir/begin"
batch 0 'step 5000' 'sample 20' 'goto 0' 'view sample'
check 'the units are the same' same_bytes <(grep -c ' A ' "$dir/begin") <(tail -n 22 "$dir/out" |
	grep -c ' A ')
wrong() { # COMMAND TEXT
	batch 1 "$1"
	says err "$2"
}
wrong 'sample goto 1' 'no sample was taken yet'
wrong 'sample 0' 'expected sample'
wrong 'sample 3000' 'expected sample'
wrong 'sample x' 'expected sample'
batch 1 'sample 20' 'sample goto 21'
says err 'expected sample goto 1 to 20'
batch 1 'sample 20' 'sample goto'
says err 'expected sample goto 1 to 20'
batch 1 'step 100' 'set x5 = 1' 'step 10' 'sample'
says err 'changed by hand'
run 1 inspect --batch -e sample build/demos/hello
says err 'too few for a sample'
batch 1 'view sample 3'
says err 'takes no words'
batch 1 'view phases 3'
says err 'takes no words'

finish
