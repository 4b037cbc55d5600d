"""Which system foresaw more, how sure is that, and did the judges see it?"""

import streamlit as st

from dashboard import cached, components, findings, state
from dashboard.charts.correlations import correlation_chart, correlations_of
from dashboard.charts.distributions import JUDGE, SCORE, distribution_chart
from dashboard.charts.theme import system_styles
from dashboard.prose import count, number

view = state.current()
score = components.score_or_stop(view)
styles, theme = system_styles(view.systems), components.theme()
finding = findings.overview(score)
judged = bool(score.ideas[JUDGE].notna().any())

components.page(finding.title, finding.sentence)
components.notices(view, score)
components.cards(findings.cards(score))

left, right = st.columns(2) if judged else (st.container(), None)
with left:
    row = findings.comparison_of(score)
    components.chart(
        distribution_chart(score, SCORE, styles, theme),
        key="scores",
        title=findings.separation_title(row, "HindSight"),
    )
if right is not None:
    with right:
        row = findings.comparison_of(score, findings.OVERALL)
        components.chart(
            cached.chart(
                f"marks {theme.name}",
                view,
                lambda: distribution_chart(score, JUDGE, styles, theme),
                *cached.BESIDE_MARKS,
            ),
            key="marks",
            title=findings.separation_title(row, "Judges"),
        )
resampled = "topics resampled" if score.resampled == "topics" else "ideas resampled: one topic"
st.caption(
    "Each mark is an idea; the dark mark is the mean with its 95 % interval"
    f" ({resampled}, {count(score.settings.draws, 'draw')}). Ideas at 0 met no later paper at or"
    f" above θ = {number(score.settings.theta)}."
)

if not judged:
    components.nothing(
        "No judge has marked these ideas, so the score cannot be held against judges' marks."
        " Bring marks with `foreseen import scores`."
    )
else:
    rows = correlations_of(score)
    title = findings.correlation_title(rows)
    if any(row.rho is not None for row in rows):
        components.chart(correlation_chart(score, theme), key="correlations", title=title)
    else:
        reasons = sorted({row.undefined for row in rows if row.undefined})
        components.nothing(f"No correlation is defined: {'; '.join(reasons) or 'too few marks'}.")

fold = st.expander(
    "Every comparison, with test and effect", key="comparisons_fold", on_change="rerun"
)
if fold.open:
    with fold:
        components.table(
            findings.comparison_frame(score),
            key="comparisons",
            alt="Every comparison of two systems on the score and on each judge dimension",
        )
        st.caption(
            "Mann–Whitney U, two-sided, asymptotic with tie and continuity correction; Holm over"
            " all rows; intervals by bootstrap clustered by topic."
        )
