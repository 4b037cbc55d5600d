"""The parts of the page on judges."""
