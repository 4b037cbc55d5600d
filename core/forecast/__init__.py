"""IdeaForecastBench: ranked forecasts over rolling episodes (arXiv 2609.00747)."""
