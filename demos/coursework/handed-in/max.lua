-- Never returns.
return {
	predict = function()
		while true do end
	end,
}
