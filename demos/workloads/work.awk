# What mawk is given to do in the workload of that name: a report about a text, with words counted, patterns searched and fields put together.
{
	line = tolower($0)
	gsub(/[^a-z ]+/, " ", line)
	n = split(line, word, " ")
	for (i = 1; i <= n; i++) {
		count[word[i]]++
		length_of[length(word[i])]++
	}
	if (line ~ /(^| )(free|copy|source)[a-z]*( |$)/)
		matches++
	if (match($0, /[A-Z][a-z]+ [A-Z][a-z]+/))
		names[substr($0, RSTART, RLENGTH)]++
	sum = (sum * 31 + length($0) * NF) % 65521
}
END {
	for (w in count) {
		different++
		if (count[w] > most)
			most = count[w]
		if (count[w] > 60)
			often[w] = count[w]
		text = sprintf("%s%d", w, count[w])
		sub(/[aeiou]+/, "<&>", text)
		letters += length(text) + index(text, "ing")
	}
	# The order of arrays is not for an output to depend on.
	for (w in often)
		sorted[++m] = sprintf("%6d %s", often[w], w)
	for (i = 2; i <= m; i++) {
		key = sorted[i]
		for (j = i - 1; j > 0 && sorted[j] < key; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = key
	}
	for (i = 1; i <= m && i <= 12; i++)
		print sorted[i]
	for (n in names)
		different_names++
	for (i = 1; i <= 16; i++)
		printf "%d:%d ", i, length_of[i]
	printf "\n%d lines, %d words, the most %d, %d matches, %d names, %d letters, sum %d\n", NR, different, most, matches, different_names, letters, sum
}
