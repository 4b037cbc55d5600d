"""What hit rates hide: generality, lengths, pool size, contamination, the backward control.

None of these is blended into a score. Source: IdeaForecastBench, arXiv 2609.00747, §5 and
Limitations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.config import DIAGNOSTIC_DRAWS, Settings
from core.forecast.association import associate, rate_bins, resampling
from core.forecast.diagnosed import Association, Diagnostics, FieldProfile, GeneralityMean
from core.forecast.geometry import read_geometry
from core.forecast.ledger import ledger
from core.forecast.measures import MEASURES, Measured, field_profiles, measured
from core.forecast.probes import backward_control, contamination, equal_pools
from core.forecast.score import episode_metrics
from core.stats.resample import percentile_interval
from core.study import Study

SHORT_METHOD_WORDS = 8
MUCH_EMPTY = 0.5

__all__ = ["MEASURES", "Diagnostics", "diagnostics"]


def diagnostics(study: Study, settings: Settings) -> Diagnostics:
    """Every diagnostic of the study's forecasts; see :class:`Diagnostics`.

    Nothing is encoded or asked: what needs vectors or a rater is named in ``not_measured`` until
    it is there. Intervals resample topics, ``settings.draws`` times and no more than 1,000, from
    ``settings.seed``. Raises :class:`DataError` where there are no forecasts or candidates.
    """
    laid = ledger(study, settings)
    draws = min(settings.draws, DIAGNOSTIC_DRAWS)
    seed = settings.seed
    found = measured(study, laid, settings) if laid.judges else None
    names = () if found is None else found.measures
    associations = tuple(
        associate(found.frame, name, judge, draws=draws, seed=seed)
        for judge in laid.judges
        for name in names
        if found is not None
    )
    bins = tuple(
        bin_
        for judge in laid.judges
        for name in names
        if found is not None
        for bin_ in rate_bins(found.frame, name, judge)
    )
    fields = field_profiles(study, laid)
    episodes = episode_metrics(laid, settings) if laid.judges else None
    return Diagnostics(
        settings=settings,
        forecasts=pd.DataFrame() if found is None else found.frame,
        measures=names,
        not_measured=dict.fromkeys(MEASURES, "there are no verdicts")
        if found is None
        else found.not_measured,
        fields=fields,
        generality=() if found is None else _generality(found, draws, seed),
        associations=associations,
        bins=bins,
        contamination=()
        if episodes is None
        else contamination(study, episodes, draws=draws, seed=seed),
        backward=backward_control(
            study, laid, settings, read_geometry(study), draws=draws, seed=seed
        ),
        equal_pools=equal_pools(study, laid, settings) if laid.judges else (),
        cautions=tuple(_cautions(fields, associations)),
        resampled=resampling(laid.episodes["topic"].tolist(), draws=100, seed=seed).drawn,
        seed=seed,
    )


def _generality(found: Measured, draws: int, seed: int) -> tuple[GeneralityMean, ...]:
    frame = found.frame.drop_duplicates("idea_id")
    means = []
    for name, rater in found.raters.items():
        for system, group in frame[frame[name].notna()].groupby("system", sort=True):
            values = group[name].to_numpy(float)
            again = resampling(group["topic"].tolist(), draws=draws, seed=seed)
            sums = again.totals(np.column_stack([values, np.ones_like(values)]))
            drawn = np.divide(
                sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0
            )
            band = percentile_interval(drawn[:, None])
            low, high = float(band.low[0]), float(band.high[0])
            means.append(
                GeneralityMean(
                    system=str(system),
                    rater=rater,
                    n=len(values),
                    mean=float(values.mean()),
                    low=None if np.isnan(low) else low,
                    high=None if np.isnan(high) else high,
                )
            )
    return tuple(means)


def _cautions(fields: Sequence[FieldProfile], associations: Sequence[Association]) -> list[str]:
    found = []
    for row in fields:
        if row.empty > MUCH_EMPTY * row.forecasts:
            found.append(
                f"{row.system}: {row.empty} of {row.forecasts} forecasts have no {row.field}."
                " Was it lost in conversion?"
            )
        if row.field == "method" and row.median is not None and row.median < SHORT_METHOD_WORDS:
            found.append(
                f"{row.system}: the median approach has {row.median:g} words. Judges saw little"
                " of a method."
            )
    for item in associations:
        if item.measure.startswith("generality") and item.low is not None and item.low > 0:
            found.append(
                f"Broader forecasts are credited more often under judge {item.judge}"
                f" (r = {item.r:.2g}): a hit rate is not precision."
            )
    return found
