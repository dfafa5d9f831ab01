return {
	predict = function() return false end,
	fetched = function(s, b, h) if h:path_bits(0, 1) then return b.target end end,
}
