"""The parts of the page that runs a model."""
