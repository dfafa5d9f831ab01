-- Neovim's client, nvim-dap, on `cyclops dap`: a breakpoint, steps, reverse, a value. The results
-- go to the file RESULTS. NVIM_DAP has the client; LINE of SOURCE, the breakpoint.
vim.opt.rtp:append(os.getenv "NVIM_DAP")
local out = assert(io.open(os.getenv "RESULTS", "w"))
local function say(...) out:write(table.concat({...}, " "), "\n") out:flush() end
local dap = require "dap"
dap.adapters.cyclops = {type = "executable", command = os.getenv "CYCLOPS", args = {"dap"}}
local source, program = os.getenv "SOURCE", os.getenv "PROGRAM"
local line = tonumber(os.getenv "LINE")
vim.cmd("edit " .. source)
vim.fn.cursor(line, 1)
dap.set_breakpoint()
local stops = 0
local function where(session)
	local f = session.current_frame
	return f and f.name .. ":" .. f.line or "?"
end
local function wait(session, before)
	vim.wait(20000, function() return stops > before and session.current_frame ~= nil end, 20)
end
dap.listeners.after.event_stopped["test"] = function(_, body)
	say("stopped", body.reason)
	stops = stops + 1
end
dap.listeners.after.event_terminated["test"] = function() say "terminated" end
dap.run {type = "cyclops", request = "launch", name = "test", program = program,
	stopOnEntry = false}
vim.wait(20000, function() return dap.session() ~= nil and stops > 0 and
	dap.session().current_frame ~= nil end, 20)
local s = dap.session()
if not s then say "no session" out:close() vim.cmd "qa!" end
say("at", where(s))
for _, motion in ipairs {"step_over", "step_into", "step_out", "step_back", "reverse_continue"} do
	local before = stops
	s.current_frame = nil
	dap[motion]()
	wait(s, before)
	say(motion, where(s))
end
local answered
s:evaluate("1 + 2 * 3", function(err, answer)
	answered = err and ("error " .. (err.message or vim.inspect(err))) or answer.result
end)
vim.wait(10000, function() return answered ~= nil end, 20)
say("value", tostring(answered))
dap.terminate()
vim.wait(10000, function() return dap.session() == nil end, 20)
say("session", dap.session() and "left" or "over")
out:close()
vim.cmd "qa!"
