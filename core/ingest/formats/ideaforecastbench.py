"""IdeaForecastBench's files; read in :mod:`core.forecast.benchmark_files`."""

from core.forecast.benchmark_files import FORMATS

__all__ = ["FORMATS"]
