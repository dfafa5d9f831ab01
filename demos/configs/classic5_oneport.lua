-- classic5 with one memory port for code and data, the structural hazard: nothing is fetched while
-- a load or store is in the memory stage.
return {
	base = "classic5",
	description = "classic5 with one memory port for code and data",
	mem = { unified_port = true },
}
