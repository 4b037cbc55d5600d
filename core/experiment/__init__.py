"""An experiment in one file: from an empty folder to scores, each step once."""
