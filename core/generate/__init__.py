"""Generators of ideas: from literature before the cutoff, or from a topic's name alone."""
