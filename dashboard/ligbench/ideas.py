"""Single ideas on the LigBench page: one idea's games, and where HindSight disagrees."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.ligbench.idea_games import IdeaGames
from core.ligbench.meeting import MEASURES, disagreements
from core.ligbench.novelty import Novelty
from core.ligbench.rank import Rank
from dashboard import components, picking, state
from dashboard.charts.ligbench_idea import spread_chart, trajectory_chart
from dashboard.charts.ligbench_meeting import meeting_chart
from dashboard.charts.theme import SystemStyle
from dashboard.export.cases import STATES
from dashboard.ligbench import results
from dashboard.ligbench.findings import idea_sentence, meeting_sentence, meeting_title
from dashboard.ligbench.parts import without_empty
from dashboard.prose import count, plain, shorten
from dashboard.state import View

Styles = Mapping[str, SystemStyle]
ONE_IDEA = "One idea"
LISTED = 8
MOST_REPLIES = 12
LONGEST_REASON = 600
TITLE = {"title": st.column_config.TextColumn("Title", width="medium")}
_OUTCOMES = {1.0: "idea better", 0.5: "equal", 0.0: "reference better"}
_ORDERS = {"idea_first": "idea first", "reference_first": "reference first"}
_SIDES = ("rated high, not come true", "come true, rated low")


def one_idea(
    view: View, ranked: Rank, dimension: str, titles: Mapping[str, str], styles: Styles
) -> None:
    """The rated ideas as a table; the picked one's path, spread, games and reasons."""
    rows = ranked.ideas[ranked.ideas["dimension"] == dimension]
    rows = rows.sort_values(["elo", "idea_id"], ascending=[False, True], ignore_index=True)
    ids = [str(idea) for idea in rows["idea_id"]]
    if not ids:
        components.nothing(f"No idea has a game in {dimension}.")
        return
    shown = rows.assign(title=[titles.get(idea, "") for idea in ids])
    columns = ["idea_id", "title", "system", "start", "elo", "elo_low", "elo_high"]
    columns += ["bradley_terry", "bt_low", "bt_high", "wins", "ties", "losses", "stopped"]
    event = components.table(
        shown[columns],
        key=f"lig_ideas_{picking.digest(ids)}",
        alt=f"{len(ids)} rated ideas, the highest {dimension} first",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        height=240,
        columns=TITLE,
    )
    components.csv_button(rows, name="ligbench_ideas", key="rated_ideas_csv")
    picked = picking.row(event, "lig_ideas", ids)
    if picked:
        picking.choose(picked)
    idea = picking.chosen_idea(set(view.study.ideas["idea_id"])) or ids[0]
    found = results.games_of(view, idea, dimension)
    system = str(view.study.ideas.set_index("idea_id").loc[idea, "system"])
    st.subheader(plain(titles.get(idea) or idea), anchor=False)
    st.caption(f"{plain(idea)} · {plain(system)} · {dimension}")
    if found.games.empty:
        components.nothing(f"This idea has no game in {dimension}, so it has no rating.")
        return
    st.markdown(idea_sentence(found))
    components.link("ideas", "Read the idea", icon=":material/lightbulb:", idea=idea)
    left, right = st.columns(2, gap="medium")
    theme = components.theme()
    with left:
        components.chart(
            trajectory_chart(found, styles[system], theme),
            key="lig_path",
            title="Its path, and the drag",
        )
    with right:
        components.chart(
            spread_chart(found, styles[system], theme),
            key="lig_spread",
            title="What the order of games does",
        )
    _games(found)


def _games(found: IdeaGames) -> None:
    """Every opponent, and the judges' words on the one that is picked."""
    st.subheader("Against each reference", anchor=False)
    games = found.games
    ids = [str(name) for name in games["reference_id"]]
    columns = ["reference_id", "outcome", "reference_score", "title", "venue", "decision"]
    event = components.table(
        games[[*columns, "repeats", "one_order"]],
        key=f"lig_games_{picking.digest([found.idea_id, found.dimension, found.judge, *ids])}",
        alt=f"The {len(ids)} references that idea {found.idea_id} met, the strongest first",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        columns=TITLE | {"one_order": st.column_config.CheckboxColumn("One order only")},
    )
    components.csv_button(found.replies, name="ligbench_replies", key="lig_replies_csv")
    place = picking.selected_row(event, len(ids)) or 0
    replies = found.replies[found.replies["reference_id"] == ids[place]]
    st.markdown(f"**What the judges said of it and {plain(games['title'][place])}**")
    _replies(replies)
    st.caption("Pick a row above for another reference. Two orders that differ count as a tie.")


def _replies(replies: pd.DataFrame) -> None:
    """Each judge's choice and reason, in two columns; beyond the first dozen the CSV has them."""
    shown = replies.head(MOST_REPLIES).to_dict("records")
    for begin in range(0, len(shown), 2):
        for column, row in zip(st.columns(2), shown[begin : begin + 2], strict=False):
            with column.container(border=True, height="stretch"):
                said = _outcome(row["outcome"]) if row["state"] == "ok" else STATES[row["state"]]
                repeat = "" if row["repeat"] == 1 else f", repeat {row['repeat']}"
                st.markdown(f"**{plain(row['judge'])}**: {said}")
                st.caption(f"{_ORDERS[row['order']]}{repeat}")
                if isinstance(row["reason"], str):
                    st.text(shorten(row["reason"], LONGEST_REASON))
    rest = len(replies) - len(shown)
    if rest:
        st.caption(f"{count(rest, 'more reply', 'more replies')} in the CSV.")


def meeting(
    view: View, own: View, ranked: Rank, found: Novelty | None, missing: str, styles: Styles
) -> None:
    """HindSight against LigBench: ρ, the cloud, and the ideas on which they disagree."""
    if view.study.candidates is None:
        components.nothing("This study has not been matched yet, so HindSight has no score. Run:")
        st.code(f"foreseen match {view.study.folder}", language="bash", wrap_lines=True)
        return
    measures = [name for name in MEASURES if name != "novelty" or found is not None]
    measure = st.segmented_control(
        "LigBench's measure",
        measures,
        default=measures[0],
        required=True,
        key="lig_measure",
        **state.BOUND,
    )
    measure = measure if measure in measures else measures[0]
    if found is None:
        st.caption(f"Novelty is not here: {plain(missing)}")
    joined = results.met(view, own, ranked, found)
    st.subheader(meeting_title(joined, measure), anchor=False)
    st.markdown(meeting_sentence(joined, measure))
    listed = disagreements(joined, measure)
    if listed.empty:
        components.nothing(f"No idea has both a HindSight score and a {measure}.")
        return
    event = components.chart(
        meeting_chart(joined, measure, styles, components.theme()),
        key=f"lig_meeting_{measure}",
        on_select="rerun",
    )
    picked = picking.point(event, "lig_meeting")
    if picked:
        picking.choose(picked)
    _disagreements(view, listed, measure)
    components.table(
        without_empty(joined.correlations),
        key="lig_correlations",
        alt="Rank correlations of HindSight with every LigBench measure",
    )
    st.caption("p is not corrected for the number of correlations.")


def _disagreements(view: View, listed: pd.DataFrame, measure: str) -> None:
    st.subheader("Where the two disagree most", anchor=False)
    side = st.segmented_control(
        "Ideas", _SIDES, default=_SIDES[0], required=True, key="lig_side", **state.BOUND
    )
    high = side != _SIDES[1]
    rows = listed[listed["difference"] > 0] if high else listed[listed["difference"] < 0]
    rows = rows.head(LISTED).reset_index(drop=True)
    if rows.empty:
        components.nothing("No idea stands on this side.")
        return
    ids = [str(idea) for idea in rows["idea_id"]]
    event = components.table(
        rows[["idea_id", "title", "system", "score", "value", "difference"]],
        key=f"lig_disagree_{picking.digest([measure, *ids])}",
        alt=f"The {len(ids)} ideas {side}",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        columns=TITLE
        | {
            "value": st.column_config.NumberColumn(measure.capitalize(), format="%.2f"),
            "difference": st.column_config.NumberColumn(
                "Difference of ranks",
                format="%.2f",
                help="Share of ideas below: LigBench − HindSight",
            ),
        },
    )
    components.csv_button(listed, name="disagreements", key="disagreements_csv")
    picked = picking.row(event, "lig_disagree", ids)
    if picked:
        picking.choose(picked)
    idea = picking.chosen_idea(set(view.study.ideas["idea_id"])) or ids[0]
    components.link(
        "ideas", f"Read {plain(idea)} and what it met", icon=":material/lightbulb:", idea=idea
    )
    st.button(
        f"See the games of {plain(idea)}",
        key="lig_open_games",
        icon=":material/leaderboard:",
        type="tertiary",
        on_click=_open_games,
        args=(idea,),
    )


def _open_games(idea: str) -> None:
    """Callback: the idea's games on the tab of single ideas."""
    picking.choose(idea)
    state.assign({"lig_tab": ONE_IDEA})


def _outcome(value: float) -> str:
    return "none" if pd.isna(value) else _OUTCOMES[float(value)]
