-- classic5 whose branches and indirect jumps are compared in decode: one bubble if taken. They need
-- their operands a cycle earlier: one stall after an addition, two after a load.
return {
	base = "classic5",
	description = "classic5 with branches resolved in decode, which need operands early",
	bpred = { resolve = "id" },
}
