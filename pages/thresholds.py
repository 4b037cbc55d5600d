"""For which thresholds does the answer hold?"""

import streamlit as st

from core.errors import ForeseenError
from dashboard import cached, components, state
from dashboard.charts.conclusions import strip_chart
from dashboard.charts.similarities import similarity_chart
from dashboard.charts.sweep import METRICS, curve_chart, ratio_chart
from dashboard.charts.theme import system_styles
from dashboard.findings.thresholds import pair_of, thresholds
from dashboard.prose import count, number, percent, plain

view = state.current()
score = components.score_or_stop(view)
sweep = cached.sweep(view)
theta = view.settings.theta
styles, colors = system_styles(view.systems), components.theme()
head = st.container()
pair = components.choose_pair(view, pair_of(score))
finding = thresholds(score, sweep, theta, pair)

with head:
    components.page(finding.title, finding.sentence)
    components.notices(view, score)
if not len(sweep.thetas):
    components.nothing("No candidate passes the settings, so there is no threshold to move.")
    st.stop()

metric = st.segmented_control(
    "Against θ",
    list(METRICS),
    default="Ideas matched",
    required=True,
    key="metric",
    **state.BOUND,
)
left, right = st.columns(2) if pair else (st.container(), None)
with left:
    components.chart(
        curve_chart(sweep, metric, theta, styles, colors), key="curve", title=METRICS[metric].title
    )
if pair and right is not None:
    with right:
        components.chart(
            ratio_chart(sweep, *pair, theta, styles, colors),
            key="ratio",
            title="How far apart the systems are",
        )
st.caption(
    f"Computed at all {count(len(sweep.thetas), 'similarity', 'similarities')} at which something"
    " changes, not on a grid. The orange line is the operating point; move θ in the sidebar."
)

if sweep.conclusions:
    components.chart(
        strip_chart(sweep, theta, colors, styles, pair or view.systems),
        key="conclusions",
        title="For which θ does each conclusion hold?",
    )

st.subheader("Which θ fits this encoder?", anchor=False)
try:
    calibration = cached.calibration(view)
except ForeseenError as error:
    components.nothing("No calibration goes with these candidates. Run `foreseen match`.")
    st.caption(plain(error))
else:
    if calibration.suggested_theta is None:
        components.nothing(f"No θ is suggested: {calibration.undefined}.")
    else:
        suggested = calibration.suggested_theta
        false_rate = calibration.share_matching(theta, own=False)
        st.markdown(
            f"At θ = **{number(suggested)}** no more than"
            f" {percent(calibration.false_match_rate)} of ideas would match a paper if shown only"
            f" those of other topics; at the present θ = {number(theta)} it is"
            f" **{percent(false_rate)}**."
        )
        components.use_theta(suggested, key="use_calibrated_theta", now=theta)
    components.chart(similarity_chart(calibration, theta, colors), key="similarities")
    st.caption(calibration.basis_note)
