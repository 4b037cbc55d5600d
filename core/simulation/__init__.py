"""How the simulated study is made: texts, a plan of what is planted, papers, ideas and marks."""
