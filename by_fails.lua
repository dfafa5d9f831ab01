return { files = { ["bpred.kind"] = "fails.lua" } }
