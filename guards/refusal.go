package guards

// refusal tells a model what stands in the way of a look, and what to do: most
// often the look can be had in another form.
func refusal(why string) string {
	return "this does more than look, or may: " + why + "." +
		" Write it so that it only looks, for example 'git status', 'git log --oneline -5 | head', 'cat FILE', \"grep -rn WORD DIR\"," +
		" joined by && || ; or |. For what has to change something, dispatch a worker."
}
