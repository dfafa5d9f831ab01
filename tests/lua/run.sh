#!/bin/bash
# The Lua API: every tests/lua/test_*.lua through `cyclops lua`, and `cyclops lua` from outside.
. tests/lib.sh

for script in tests/lua/test_*.lua; do
	counts "$CYCLOPS" lua "$script"
done

. tests/lua/script.sh

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
run 0 "local m = cyclops.machine{ program = '$G', echo = true }; print 'A'; m:run() print 'B'"
check "output in its order" [ "$(cat "$dir/out")" = "$(printf 'A\nbegin\nend\nB')" ]
check "and that on stderr" [ "$(cat "$dir/err")" = middle ]
options='-o pipe.rob_size=16 -c classic5' run 0 \
	"print(cyclops.machine{ program = '$G' }.pipe.rob_size)"
check "-o counts" [ "$(cat "$dir/out")" = 16 ]
options='-o pipe.rob_size=16' run 0 \
	"print(cyclops.machine{ program = '$G', config = 'classic5' }.pipe.rob_size)"
check "a script's own configuration counts alone" [ "$(cat "$dir/out")" != 16 ]
# The user's modules, in either kind of host.
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
says err "no script given"

# The error of an incomplete file comes when the machine is closed, else at the script's end.
lost='/dev/full: not written in full: No space left on device'
run 1 "cyclops.machine{ program = '$G' }:cmd 'trace konata /dev/full'"
says err "cyclops: $lost"
run 1 "local m <close> = cyclops.machine{ program = '$G' } m:cmd 'trace chrome /dev/full'"
says err "cyclops: $lost"
run 0 "local m = cyclops.machine{ program = '$G' } m:cmd 'trace konata /dev/full' print(pcall(m.close, m))"
says out "$lost"
silent err

# Modules beside the script take precedence over installed ones.
mkdir "$dir/shelf"
printf 'return "from the shelf"\n' >"$dir/shelf/installed.lua"
LUA_PATH=$dir/shelf/?.lua run 0 'print(require "installed")'
says out 'from the shelf'

# A script that requires itself gets an error; one that failed may be tried again.
printf 'require "around"\n' >"$dir/around.lua"
run 1 'require "around"'
says err "module 'around' requires itself"
printf 'tries = (tries or 0) + 1 if tries == 1 then error "not yet" end return { tries = tries }\n' >"$dir/later.lua"
run 0 'print(pcall(require, "later")) print(require("later").tries, require("later").tries)'
says out 'not yet'
says out $'2\t2'

# Ctrl-C: in Lua, in a machine's run, in a command.
for what in "while true do end" "while true do pcall(error) end" \
	"cyclops.machine{ program = '$G', args = {'l'} }:run()" \
	"local m = cyclops.machine{ program = '$G', args = {'l'} } pcall(m.run, m) while true do end" \
	"cyclops.machine{ program = '$G', args = {'l'} }:cmd 'continue'"; do
	printf 'io.stdout:write("on\\n"):flush() %s\n' "$what" >"$dir/script.lua"
	command="Ctrl-C: $what"
	mkfifo "$dir/fifo"
	# A shell starts its background jobs with interrupts ignored; env restores them.
	env --default-signal=INT "$CYCLOPS" lua "$dir/script.lua" >"$dir/fifo" 2>"$dir/err" \
		</dev/null &
	pid=$!
	read -r line <"$dir/fifo"
	rm "$dir/fifo"
	kill -INT "$pid"
	wait "$pid"
	check "status 130" [ $? = 130 ]
	says err interrupted
done

finish
