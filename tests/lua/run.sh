#!/bin/bash
# The Lua API: every tests/lua/test_*.lua through `cyclops lua`, and `cyclops lua` from outside.
. tests/lib.sh

for script in tests/lua/test_*.lua; do
	"$CYCLOPS" lua "$script" >"$dir/out" 2>&1 </dev/null
	status=$?
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	if [ "$status" != 0 ] || [ "${p:-0}" = 0 ]; then
		[ "${f:-0}" != 0 ] || failed=$((failed + 1))
		echo "FAIL: $script: status $status"
		head -n 40 "$dir/out"
	fi
done

# run STATUS SCRIPT ARGS...: the script's text, run as a file.
run() {
	local want=$1 got=0
	printf '%s\n' "$2" >"$dir/script.lua"
	command=$2
	shift 2
	"$CYCLOPS" lua ${options:-} "$dir/script.lua" "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}

run 0 'print(arg[1], #arg, ...)' one two
check "arguments arrive" [ "$(cat "$dir/out")" = "$(printf 'one\t2\tone\ttwo')" ]
silent err
run 1 'local function deep() local x = nil + 1 end
function outer() deep() end
outer()'
says err "script.lua:1: attempt to perform arithmetic"
says err "stack traceback:"
says err "script.lua:2: in function 'outer'"
run 1 'x ='
says err "script.lua:2: unexpected symbol near <eof>"
check "no stack" [ "$(wc -l <"$dir/err")" = 1 ]
run 1 'error({})'
run 1 'error(setmetatable({}, { __tostring = function() return "seven" end }))'
says err seven
run 0 'local co = coroutine.wrap(function(m) m:on("commit", function() coroutine.isyieldable() end) return m:run().reason end)
print(co(cyclops.machine{ program = "build/tests/lua/guest" }))'
says out exit
run 7 'os.exit(7)'
run 0 '#!/usr/bin/env cyclops
print(1)'
G=build/tests/lua/guest
run 0 "local m = cyclops.machine{ program = '$G', echo = true }; print 'A'; m:run() print 'B'"
check "output in its order" [ "$(cat "$dir/out")" = "$(printf 'A\nbegin\nend\nB')" ]
check "and that on stderr" [ "$(cat "$dir/err")" = middle ]
options='-o pipe.rob_size=16 -c classic5' run 0 "print(cyclops.machine{ program = '$G' }.pipe.rob_size)"
check "-o counts" [ "$(cat "$dir/out")" = 16 ]
options='-o pipe.rob_size=16' run 0 "print(cyclops.machine{ program = '$G', config = 'classic5' }.pipe.rob_size)"
check "a script's own configuration counts alone" [ "$(cat "$dir/out")" != 16 ]
# Modules of our own, in either kind of host.
for options in "" --lua-safe; do
	run 0 "local t = require 'cyclops.triggers'
assert(t == require 'cyclops.triggers')
local m = cyclops.machine{ program = '$G', args = {'l'} }
local p = t.new(m):profile{ exact = true }
p:start()
m:run{ insts = 100000 }
print(p:top(1)[1].name)"
	check "profile in the script" [ "$(cat "$dir/out")" = start ]
	run 1 "require 'cyclops.trigger'"
	says err "cyclops.trigger' not found"
done
options=
command="no script"
"$CYCLOPS" lua >"$dir/out" 2>"$dir/err"
check "status 125" [ $? = 125 ]
says err "which script?"

# With --lua-safe: no files but those below here and beside the script, none written, nothing to poison, limits.
safe() {
	local said=$1
	options="--lua-safe --lua-steps ${steps:-20M}" run 1 "local m = cyclops.machine{ program = '$G' } $2"
	says err "$said"
}
safe "attempt to index a nil value (global 'io')" "io.write 'x'"
safe "attempt to index a nil value (global 'os')" "os.exit(0)"
safe "rw: with --lua-safe no program may write files" "cyclops.machine{ program = '$G', rw = true }"
safe "program = '/bin/true': with --lua-safe only what is below" "cyclops.machine{ program = '/bin/true' }"
safe "stdin = '/etc/passwd': with --lua-safe" "cyclops.machine{ program = '$G', stdin = '/etc/passwd' }"
safe "config = '/etc/passwd': with --lua-safe" "cyclops.machine{ program = '$G', config = '/etc/passwd' }"
safe "firmware = '/bin/true': with --lua-safe" "cyclops.machine{ program = '$G', firmware = '/bin/true' }"
mkfifo "$dir/pipe"
for what in cop predictor config values; do
	safe 'a pipe, not a file' "cyclops.machine{ program = '$G', $what = '$dir/pipe', set = { ['cop.enable'] = true } }"
done
rm "$dir/pipe"
safe "source = '/etc/passwd': with --lua-safe" "m:source('/etc/passwd', 1)"
safe "save: with --lua-safe no file is written" "m:save 'x'"
safe "load = '/etc/passwd': with --lua-safe" "m:load '/etc/passwd'"
for line in "save x" "restore x" "source x" "trace konata x" "alias s save; s x" "continue; save x" "shell touch x" "!touch x" \
	'lua os.execute "touch x"' "lua x.lua" 'alias l lua; l io.open("x", "w")' "break twice; commands; save x; end; continue"; do
	safe "reaches files, which --lua-safe forbids" "m:cmd '$line'"
done
safe "machine of cyclops can't be set" "cyclops.machine = nil"
steps=3M safe "computes for too long" "while true do pcall(error) end"
safe "not enough memory" "local u, t = ('x'):rep(5000), {} for i = 1, 1e9 do t[i] = u:rep(200) .. i end"
# What its machines do counts as what it does, and what they take of memory, too.
for move in "m:run()" "while true do pcall(m.run, m) end" "m:cmd 'continue'" "m:run{ until_cycle = 1 << 60 }" "while true do m:run{ insts = 1000 } m:go(1) end"; do
	steps=3M safe "computes for too long" "m = cyclops.machine{ program = '$G', args = {'l'} } $move"
done
steps=3M safe "computes for too long" "cyclops.machine{ program = '$G', args = {'l'}, ff = 1 << 50 }"
[[ $BUILD == *asan* ]] || safe "out of memory" "local t = {} for i = 1, 500 do t[i] = cyclops.machine{ program = '$G', set = { ['l2.size'] = '64M' } } end"
check "nothing was written" [ ! -e x ]
options="-o sim.lua_memory=16M" run 1 "local t = {} for i = 1, 1e9 do t[i] = {} end"
says err "not enough memory: Lua has 16 MiB here"
options="-o sim.lua_memory=16M" run 0 "local t = {} for i = 1, 1e5 do t[i] = {} end"
options="--lua-safe -o sim.lua_memory=1G" run 1 "local u, t = ('x'):rep(5000), {} for i = 1, 1e9 do t[i] = u:rep(20) .. i end"
says err "not enough memory: Lua has 256 MiB here"
options=--lua-safe run 0 "local m = cyclops.machine{ program = '$G' }
local n = 0
m:on('commit', { pc = m.twice }, function(e) n = n + 1 m.regs.a0 = n end)
print(coroutine.wrap(function() return m:run().reason, n, m:cmd 'print a0' end)())"
check "and everything else works, in a coroutine too" [ "$(head -n 1 "$dir/out" | cut -f 1,2)" = "$(printf 'exit\t5')" ]

# A file that a command could not write in full: who closes the machine is told, else the script's end.
lost='/dev/full: not written in full: No space left on device'
run 1 "cyclops.machine{ program = '$G' }:cmd 'trace konata /dev/full'"
says err "cyclops: $lost"
run 1 "local m <close> = cyclops.machine{ program = '$G' } m:cmd 'trace chrome /dev/full'"
says err "cyclops: $lost"
run 0 "local m = cyclops.machine{ program = '$G' } m:cmd 'trace konata /dev/full' print(pcall(m.close, m))"
says out "$lost"
silent err

# Ctrl-C: in Lua, in a machine's run, in a command.
for what in "while true do end" "while true do pcall(error) end" \
	"cyclops.machine{ program = '$G', args = {'l'} }:run()" \
	"local m = cyclops.machine{ program = '$G', args = {'l'} } pcall(m.run, m) while true do end" \
	"cyclops.machine{ program = '$G', args = {'l'} }:cmd 'continue'"; do
	printf 'io.stdout:write("on\\n"):flush() %s\n' "$what" >"$dir/script.lua"
	command="Ctrl-C: $what"
	mkfifo "$dir/fifo"
	# A shell starts its background jobs with interrupts ignored; env gives them back.
	env --default-signal=INT "$CYCLOPS" lua "$dir/script.lua" >"$dir/fifo" 2>"$dir/err" </dev/null &
	pid=$!
	read -r line <"$dir/fifo"
	rm "$dir/fifo"
	kill -INT "$pid"
	wait "$pid"
	check "status 130" [ $? = 130 ]
	says err interrupted
done

# A script of somebody else: what it may have, and what it can't hold up (tests/unit/test_host.c tries it hard).
echo 'shared = (shared or 0) + 1 return { n = shared }' >"$dir/util.lua"
options=--lua-safe
run 0 "assert(io == nil and os == nil and debug == nil and package == nil)
assert(require('util').n == 1 and shared == 1 and load('return shared')() == 1)
assert(not pcall(function() cyclops.machine = nil end) and not pcall(function() string.format = nil end))
print(cyclops.machine{ program = '$G' }:step().cycle)"
check "prints 1" [ "$(cat "$dir/out")" = 1 ]
run 1 "x = 1
string = {}"
says err "script.lua:2: 'string' is Lua's own here and can't be set"
run 1 "require '../secret'"
says err "a module is called as its file in the script's folder"
run 1 "local u, t = ('x'):rep(5000), {} while true do t[#t + 1] = u:rep(20) .. #t end"
says err "not enough memory: Lua has 256 MiB here"
options=

finish
