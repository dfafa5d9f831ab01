-- Smith's tagged prefetch: a miss, and the first use of a prefetched line, request the next line.
-- As the built-in one:
--   cyclops run --plugin l1d.prefetch=demos/plugins/next_line.lua --stats - build/demos/matmul
--   cyclops run -o l1d.prefetch=next-line --stats - build/demos/matmul
return {
	description = "tagged next-line prefetcher",
	access = function(s, a)
		if not a.hit or a.prefetched then
			return a.line + 1
		end
	end,
}
