"""The parts of the page that brings files, makes studies and matches."""
