"""LigBench: ideas rated against reviewed papers (arXiv 2608.13136)."""
