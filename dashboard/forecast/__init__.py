"""The parts of the page on forecasting."""
