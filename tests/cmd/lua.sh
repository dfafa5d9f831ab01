#!/bin/bash
# Lua in a session: `lua`, `hook`, files of Lua, and views and commands that they define.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
fib=$demos/fib

# ---- values, statements, lasting state ----
batch 0 "$fib" 'break main' continue 'lua m.a0, m.pc == m.main, "x"' 'lua n = 20' 'lua n = n + 1' \
	'lua n' 'lua print(m.cycle)' \
	'lua m:step(3).reason' 'lua for i = 1, 2 do print("i", i) end; print "end"'
check "an expression shows its values" grep -qP '^1\t(true|false)\t"?x"?$' out
check "what is set stays" grep -qx 21 out
check "a text is shown as it is" grep -qx 'done' out
check "a motion by Lua is reported" grep -q '^cycle [0-9,]*, main' out
says out $'i\t2'
check "a semicolon is Lua's" grep -qx end out
silent err

# ---- errors: their place, their stack, the machine at a cycle's end, the session as it was ----
printf 'local function inner() error("too bad") end\nfunction outer() inner() end\n' >lib.lua
batch 1 "$fib" 'lua lib.lua' 'lua outer()'
says err 'lib.lua:1: too bad'
says out 'stack traceback:'
says out "lib.lua:2: in function 'outer'"
printf 'break main\ncontinue\nlua lib.lua\nlua outer()\n' >commands
stdin=commands run 1 --no-init --batch -x commands "$fib"
for wrong in 'lua m:stepp()' 'lua m:step(-1)' 'lua m:step("x")' 'lua )' 'lua m.regs.a77 = 1' \
	'lua nowhere.lua' 'lua' 'lua m:cmd "nonsense"' \
	'lua m:close()' 'hook 1' 'hook delete' 'hook delete 1' 'hook delete x' 'hook delete 1 2' \
	'hook enable 99999999999999999999' 'hook burn 1'; do
	batch 1 "$fib" "$wrong"
	check "$wrong: says why" [ -s err ]
done
batch 1 "$fib" 'hook burn 1'
says err 'hook delete|enable|disable NUMBER|all'

# ---- -x FILE.lua, source, the start-up file ----
printf 'print("from a file", m.cycle)\n' >file.lua
run 0 --batch -x file.lua "$fib"
says out $'from a file\t0'
batch 0 "$fib" 'source file.lua'
says out $'from a file\t0'
printf 'print("fine")\nlocal x = nil + 1\n' >wrong.lua
run 1 --batch -x wrong.lua "$fib"
says out fine
says err 'wrong.lua:2: attempt to perform arithmetic on a nil value'

# ---- hooks ----
batch 0 "$fib" 'lua count = 0' 'lua m:on("commit", function(e) count = count + 1 end)' hook \
	'stepi 100' 'lua count >= 100' hook \
	'lua before = count' 'reverse-stepi 50' 'stepi 30' 'lua count == before' 'hook disable 1' \
	'goto live' 'stepi 50' 'lua count == before' \
	'hook enable 1' 'stepi 50' 'lua count > before' 'hook delete 1' hook
says out 'hook 1 on commit (lua:1), called 0 times'
check "100 instructions are 100 calls; none going back; none while off; again when on" \
	[ "$(grep -cx true out)" = 4 ]
says out 'No hooks'
batch 0 "$fib" 'lua m:on("squash", function() end)' 'lua m:every({ cycles = 10 }, function() end)' \
	'lua m:at_exit(function(m) print("over", m.cycle) end)' \
	'hook disable all' hook 'hook enable all' hook continue 'hook delete all' hook
check "all three are off, then on" [ "$(grep -c ', off$' out)" = 3 ]
check "at_exit is called" grep -qP '^over\t[0-9]+$' out
says out 'No hooks'

# A stop names the hook that requested it; hooks survive `run`.
batch 0 "$fib" 'lua m:on("commit", { pc = "fib" }, function(e) return "stop" end)' continue \
	'print pc' run 'print insts > 0' hook
check "both runs end at the hook" [ "$(grep -c 'hook 1 on commit' out)" -ge 3 ]

# A hook that fails, or loops, ends the motion; the message names it, and it is off from then on.
batch 1 "$fib" 'lua m:on("commit", function(e) local x = nil; x.y = 1 end)' 'stepi 5'
says err 'hook 1 on commit'
says err 'hook enable N'
printf '%s\n' 'lua m:on("commit", function() error "bad" end)' 'stepi 5' hook >commands
"$CYCLOPS" --no-init --no-screen -x commands "$fib" </dev/null >out 2>err
for body in 'error("bad")' 'while true do end' 'while true do pcall(error) end' \
	'string.rep("x", 1 << 20):find(("a*"):rep(30) .. "b")'; do
	cat >hook.lua <<-END
		m:on("commit", function(e) $body end)
		local ok, why = pcall(m.stepi, m, 5)
		print(ok, why)
		print(m.cycle > 0, m.insts <= 8)
	END
	command="hook: $body"
	run 0 --batch -o lua.hook_budget=20000 -x hook.lua "$fib"
	check "$body: is caught by name" grep -qP '^false\t.*hook 1 on commit' out
	check "$body: the machine stands at once" grep -qP '^true\ttrue$' out
done

# Ctrl-C ends Lua that loops, and the session continues and reports it.
for loop in 'while true do end' 'while true do pcall(error) end' \
	'string.rep("a", 40):find(("a*"):rep(40) .. "b")'; do
	command="Ctrl-C in lua $loop"
	: >out
	# a shell starts background jobs with Ctrl-C ignored
	env --default-signal=INT "$CYCLOPS" --no-init --batch \
		-e "lua print 'now'; io.stdout:flush(); $loop" "$fib" >out 2>err </dev/null &
	pid=$!
	until grep -q now out || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
	kill -INT $pid
	got=0
	wait $pid || got=$?
	check "it ends with status 1, not $got" [ "$got" = 1 ]
	says err interrupt
done

# ---- views ----
cat >views.lua <<'EOL'
tally = {}
m:on("commit", { class = { "branch", "jump" } }, function(e) tally[e.pc] = (tally[e.pc] or 0) + 1 end)
cyclops.view{
	name = "turns", title = "Branches and jumps", help = "Where the program has turned.", args = "[COUNT]", empty = "straight on so far",
	columns = { { "pc", "left", "", "the place", hex = true }, { "count", "right", "times", "how often" }, "mark" },
	rows = function(m, args)
		local rows = {}
		for pc, n in pairs(tally) do rows[#rows + 1] = { key = pc, pc = pc, count = n, mark = { text = "*", value = n * 2, role = "hot" } } end
		table.sort(rows, function(a, b) return a.count > b.count or a.count == b.count and a.pc < b.pc end)
		for i = #rows, (tonumber(args[1]) or #rows) + 1, -1 do rows[i] = nil end
		return rows, #rows .. " places"
	end,
}
cyclops.view{ name = "odd", columns = { "a", "b" }, rows = function() return { { -1234567, 2.5 }, { true, "te\0xt" }, { nil, 1 }, {} } end }
EOL
batch 0 "$fib" 'lua views.lua' 'view turns' 'stepi 200' 'view turns 1' 'stepi 100' 'view turns 1' \
	'view turns 2 --json' 'view odd' 'help turns' view \
	'print turns[1].count > 1' 'lua #m:view("turns 2").rows' 'print view["turns 1"].count' \
	'apropos turned'
silent err
says out 'straight on so far'
says out 'Branches and jumps  1 places'
check "what has changed is marked" grep -qP '^0x[0-9a-f]+ .*[0-9]+\*' out
check "JSON has values" grep -qP \
	'^  {"pc": "0x[0-9a-f]+", "count": [0-9]+, "mark": [0-9]+, .*"changed"' out
says out '-1,234,567'
says out 'view turns [COUNT]: Branches and jumps'
says out 'count: how often (times)'
check "expressions have it" [ "$(grep -c '= 1 (\|= true' out)" -ge 1 ]
batch 1 "$fib" 'lua views.lua' 'view turnss'
says err "did you mean 'turns'"
batch 0 "$fib" 'lua views.lua' 'view turn' # an abbreviation

# A view that would change something, fails, or never ends is an error of that view; the machine is
# unchanged.
try_view() {
	batch 1 "$fib" "lua cyclops.view{ name = 'bad', columns = { 'x' }, rows = function(m, args) $1 end }" 'stepi 20' 'lua before = m:hash()' \
		'lua ok = pcall(m.view, m, "bad")' 'lua not ok and m:hash() == before' 'view bad'
	check "$1: the machine is as it was" grep -qx true out
	says err 'view bad'
	says err "$2"
}
try_view 'm:step(1) return {}' 'a motion: not in view bad, which only looks'
try_view 'm:back(1) return {}' 'which only looks'
try_view 'm:restart() return {}' 'which only looks'
try_view 'm.regs.a0 = 77 return {}' 'which only looks'
try_view 'm:write(m.sp, "x") return {}' 'which only looks'
try_view 'm.pc = m.main return {}' 'which only looks'
try_view 'm:cmd "step" return {}' 'which only looks'
try_view 'm:on("commit", function() end) return {}' 'which only looks'
try_view 'm:state{} return {}' 'which only looks'
try_view 'm:snapshot() return {}' 'which only looks'
try_view 'cyclops.machine{ program = m.program } return {}' 'which only looks'
try_view 'cyclops.command{ name = "x", run = print } return {}' 'which only looks'
try_view 'local t; return t.x' "attempt to index a nil value (local 't')"
try_view 'return 3' 'rows returns a list of rows, not a number'
try_view 'return { 1 }' 'row 1: a row is a table of cells'
try_view 'return { { 1 }, { 1, 2 } }' 'row 2: 2 cells for 1 columns'
try_view 'return { { print } }' "a function can't be shown"
try_view 'return { { x = 1, role = "hto" } }' "did you mean 'hot'"
try_view 'return m:view("bad").rows' 'view bad shows itself'
try_view 'while true do end' 'lua.hook_budget = 10000000 steps'
try_view 'while true do pcall(error) end' 'lua.hook_budget = 10000000 steps'

try_define() {
	batch 1 "$fib" "lua $1"
	says err "$2"
}
try_define 'cyclops.view{ name = "rob", columns = { "x" }, rows = print }' \
	"there is a view 'rob' already"
try_define 'cyclops.view{ name = "Rob", columns = { "x" }, rows = print }' "can't be a name"
try_define 'cyclops.view{ columns = { "x" }, rows = print }' "needs 'name'"
try_define 'cyclops.view{ name = "x", columns = {}, rows = print }' 'needs columns'
try_define 'cyclops.view{ name = "x", columns = { "a", "a" }, rows = print }' "'a' is there twice"
try_define 'cyclops.view{ name = "x", columns = { "role" }, rows = print }' "column 'role' can't be a name"
try_define 'cyclops.view{ name = "x", columns = { { "a", "up" } }, rows = print }' \
	'left, right or centre'
try_define 'cyclops.view{ name = "x", columns = { "a" } }' 'needs rows'
try_define 'cyclops.view{ name = "x", colums = { "a" } }' "did you mean 'columns'"
try_define 'cyclops.view(3)' 'table expected'
try_define 'cyclops.command{ name = "step", run = print }' "the command 'step' already"
try_define 'cyclops.command{ name = "s", run = print }' "the command 'step' already"
try_define 'cyclops.command{ name = "layout", run = print }' \
	"'layout' is the command 'layout' already"
try_define 'cyclops.command{ name = "two words", run = print }' "can't be a name"
try_define 'cyclops.command{ name = "zag" }' 'needs run'
try_define 'cyclops.command{ name = "zag", complete = "locaton", run = print }' \
	"did you mean 'location'"

# ---- commands ----
cat >commands.lua <<'EOL'
cyclops.command{
	name = "on", usage = "on [CYCLES]", summary = "go on a bit", help = "A help of its own.", repeats = true, complete = { "10", "100" },
	run = function(m, args, n, ...) m:step(tonumber(n) or 1) print("args", args, n, select("#", ...)) return m.cycle end,
}
cyclops.command{ name = "fails", run = function(m) m:stepp() end }
cyclops.command{ name = "stepper", run = function() print "stepper" end }
cyclops.command{ name = "zig", run = function() print "old" end }
cyclops.command{ name = "zig", run = function() print "new" end }
EOL
batch 0 "$fib" 'lua commands.lua' 'on 5  x' zi 'help on' 'alias o on' 'o 2' 'on; zig' \
	'apropos bit' 'lua (m:cmd "zig")' 'help commands'
silent err
says out $'args\t5  x\t5\t1'
check "its value is shown" grep -qx 5 out
check "the motion is reported" grep -q '^cycle 5' out
check "the later one counts" grep -qx new out
check "and only that" [ "$(grep -cx old out)" = 0 ]
says out 'on [CYCLES]'
says out 'A help of its own.'
says out 'In Lua, of a script:'
batch 1 "$fib" 'lua commands.lua' 'ste 2' # built-in commands alone
check "ours is not among what 'ste' may be" grep -qx "cyclops: ste 2: 'ste' may be: step, stepi" err
batch 0 "$fib" 'lua cyclops.command{ name = "echoes", run = print }' 'ech x'
check "ech is echo" grep -qx x out
batch 1 "$fib" 'lua commands.lua' fails
says err 'commands.lua:5:'
printf 'on 3\n\n' >typed
stdin=typed run 0 --no-init --batch -x commands.lua -x - "$fib"
batch 1 "$fib" 'lua commands.lua' 'onn'
says err "did you mean 'on'?"

# In `cyclops lua`, m:cmd and m:view have them.
cat >script.lua <<EOL
local m = cyclops.machine{ program = "$fib" }
cyclops.command{ name = "go-on", run = function(m, args) m:step(tonumber(args)) print("at", m.cycle) end }
cyclops.view{ name = "one", columns = { "x" }, rows = function(m) return { { m.cycle } } end }
print("answer", (m:cmd "go-on 7"))
print(m:view("one").rows[1].x, m:cmd("view one", 1))
EOL
run 0 lua script.lua
says out $'answer\tat\t7'
says out 'one  cycle 7'

for topic in lua hook 'lua ownviews' 'lua owncommands' cyclops.view cyclops.command m:on; do
	run 0 help $topic
	check "help $topic explains" [ "$(wc -l <out)" -ge 4 ]
done

finish
