"""The parts of the page on LigBench."""
