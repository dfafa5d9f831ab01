-- Would be right, some day.
return {
	predict = function()
		while true do end
	end,
}
