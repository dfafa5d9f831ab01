-- classic5 as the books first draw it: branches and jumps write the program counter from the memory
-- stage. Three bubbles if taken.
return {
	base = "classic5",
	description = "classic5 with branches and jumps resolved in the memory stage",
	bpred = { resolve = "mem" },
}
