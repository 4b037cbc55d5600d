"""Every quantity of HindSight: its formula, and where the code that computes it says what it is.

The words are the docstrings' own and the defaults are the settings' own, so that the page on
methods and the README's table say what the code does. Section numbers are of arXiv 2603.15164.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_args, get_origin

from core.config import Settings

PAPER = "arXiv 2603.15164"
_ROLE = re.compile(r":(?:func|class|exc|mod|meth):`~?([^`]+)`")


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One quantity. ``formula`` is LaTeX; ``homes`` are what computes it: 'module:name' or a module.

    ``range`` says where values lie and which direction is better; ``limits`` what it cannot say.
    """

    name: str
    group: str
    formula: str
    homes: tuple[str, ...]
    source: str
    range: str
    limits: str = ""
    settings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What the code says of it, as Markdown."""
        return "\n\n".join(markdown(docstring(home)) for home in self.homes)


@dataclass(frozen=True, kw_only=True)
class SettingText:
    """One setting in words: what it is, its default, what it may be."""

    name: str
    description: str
    default: Any
    allowed: str


QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        name="Text of an idea and of a paper",
        group="Match",
        formula=r"\text{idea} = \text{problem} \oplus \text{method},\qquad"
        r" \text{paper} = \text{title} \oplus \text{abstract}",
        homes=(
            "core.matching.text",
            "core.matching.text:idea_texts",
            "core.matching.text:paper_texts",
        ),
        source=f"{PAPER}, section 3.3",
        range="text",
        limits="An encoder reads only its first tokens (256 for minilm, 512 for specter2).",
        settings=("title_only",),
    ),
    Quantity(
        name="Pool of an idea",
        group="Match",
        formula=r"\mathcal{P}(i) = \{p \mid T < \text{published}(p) \le T + \Delta\}",
        homes=("core.matching.pools", "core.matching.pools:pools"),
        source=f"{PAPER}, sections 3.2 and 4.1",
        range="a set of papers; more is not better",
        limits="A paper that no source lists cannot be met: a score of 0 is not a verdict.",
        settings=("pool", "ambiguous_dates"),
    ),
    Quantity(
        name="Candidates",
        group="Match",
        formula=r"\operatorname{sim}(i, p) = \frac{\mathbf{x}_i \cdot \mathbf{x}_p}"
        r"{\lVert\mathbf{x}_i\rVert\,\lVert\mathbf{x}_p\rVert},\qquad"
        r" \operatorname{top-}K(\mathcal{P}(i), i)",
        homes=("core.matching.index:search",),
        source=f"{PAPER}, section 3.3",
        range="similarity from −1 to 1, higher is nearer",
        limits="Near in an encoder's space is near in topic; method and novelty may differ.",
        settings=("k", "depth"),
    ),
    Quantity(
        name="Match set",
        group="Match",
        formula=r"\mathcal{M}(i) = \{p \in \operatorname{top-}K(\mathcal{P}(i), i) \mid"
        r" \operatorname{sim}(i, p) \ge \theta\}",
        homes=("core.hindsight.panel:matched",),
        source=f"{PAPER}, section 3.3, equation 1",
        range="0 to K papers",
        limits="θ belongs to the encoder: the paper's means nothing for another model.",
        settings=("theta", "k"),
    ),
    Quantity(
        name="Citations between 0 and 1, ĉ",
        group="Score",
        formula=r"\hat{c}(p) = \frac{c(p) - \min c}{\max c - \min c}",
        homes=("core.hindsight.impact:normalized_citations",),
        source=f"{PAPER}, section 3.4; the other normalisers are variants",
        range="0 to 1, higher is more cited",
        limits="Under min–max one much-cited paper sets the scale of all, and old papers lead.",
        settings=("normalizer", "unknown_citations"),
    ),
    Quantity(
        name="Top venue, v",
        group="Score",
        formula=r"v(p) \in \{0, 1\}",
        homes=("core.hindsight.venues", "core.hindsight.venues:is_top"),
        source=f"{PAPER}, section 3.4",
        range="0 or 1",
        limits="Workshops, Findings and tracks are 0. A new paper may yet be published.",
        settings=("venues",),
    ),
    Quantity(
        name="Impact of a paper, h",
        group="Score",
        formula=r"h(p) = w_c\,\hat{c}(p) + w_v\,v(p)",
        homes=("core.hindsight.impact:impacts",),
        source=f"{PAPER}, section 3.4, equation 2",
        range="0 to the sum of the weights, higher is better",
        limits="With min–max citations h is nearly a venue flag: look at both terms.",
        settings=("citation_weight", "venue_weight"),
    ),
    Quantity(
        name="HindSight score of an idea",
        group="Score",
        formula=r"\operatorname{HindSight}(i) = \max_{p \in \mathcal{M}(i)} h(p),\qquad"
        r" 0 \text{ where } \mathcal{M}(i) = \emptyset",
        homes=("core.hindsight.score:score", "core.hindsight.panel:prefix_scores"),
        source=f"{PAPER}, section 3.4, equation 3; mean, top1 and sum are variants",
        range="0 to the sum of the weights (sum: to K times that), higher is better",
        limits="A maximum over many matches beats one over few by chance; it rewards conformity.",
        settings=("aggregate",),
    ),
    Quantity(
        name="A system's aggregates",
        group="Score",
        formula=r"\bar{s} = \frac{1}{n}\sum_i \operatorname{HindSight}(i),\qquad"
        r" \text{match rate} = \frac{|\{i : \mathcal{M}(i) \neq \emptyset\}|}{n}",
        homes=("core.hindsight.results:SystemScore",),
        source=f"{PAPER}, section 5.1, Table 1",
        range="as the score; match rate 0 to 1",
    ),
    Quantity(
        name="Judge value of an idea",
        group="Judges",
        formula=r"j(i) = \frac{1}{|J_i|}\sum_{j \in J_i} \frac{1}{|R_{ij}|}"
        r"\sum_{r \in R_{ij}} m_{ijr}",
        homes=("core.hindsight.marks:marks",),
        source=f"{PAPER}, section 4.4",
        range="1 to 10, higher is better",
        limits="Refusals and unreadable replies are left out and counted, never taken as low.",
        settings=("judge",),
    ),
    Quantity(
        name="Comparison of two systems",
        group="Compare",
        formula=r"\bar{s}_a - \bar{s}_b,\qquad \bar{s}_a / \bar{s}_b,\qquad U_a,\qquad"
        r" r = \frac{2U_a}{n_a n_b} - 1",
        homes=("core.hindsight.comparisons:comparisons", "core.stats.compare:mann_whitney"),
        source=f"{PAPER}, section 5.1; Mann and Whitney (1947)",
        range="ratio above 1 and r above 0: a is higher; r from −1 to 1",
        limits="Ideas of one topic are alike, so p from single ideas is on the small side.",
    ),
    Quantity(
        name="Interval",
        group="Compare",
        formula=r"[q_{0.025},\ q_{0.975}] \text{ of the quantity over topics drawn with"
        r" replacement}",
        homes=("core.stats.resample:draw_topics", "core.stats.resample:percentile_interval"),
        source="Efron and Tibshirani (1993), by clusters",
        range="as the quantity",
        limits="With few topics an interval is too narrow.",
        settings=("draws", "seed"),
    ),
    Quantity(
        name="Correlation with a judge, ρ",
        group="Compare",
        formula=r"\rho = \operatorname{corr}(\operatorname{rank}(\operatorname{HindSight}),"
        r" \operatorname{rank}(j))",
        homes=("core.hindsight.correlations:correlations", "core.stats.correlate:spearman"),
        source=f"{PAPER}, section 5.2, Table 2; Spearman (1904)",
        range="−1 to 1; above 0: judges like what came true",
        limits="Many ideas tie at 0; a constant side leaves ρ undefined.",
    ),
    Quantity(
        name="Correction for many tests",
        group="Compare",
        formula=r"\tilde{p}_{(i)} = \max_{j \le i} \min\bigl(1, (m - j + 1)\,p_{(j)}\bigr)",
        homes=("core.stats.compare:holm",),
        source="Holm (1979); the families are all comparisons, and all correlations, of a result",
        range="p to 1",
    ),
    Quantity(
        name="Quadrants",
        group="Compare",
        formula=r"\text{high}_x(i) \iff x(i) > \text{cut}_x",
        homes=("core.hindsight.quadrants:quadrants",),
        source=f"{PAPER}, section 6, Table 3",
        range="true positive, hidden gem, overhyped, true negative, or unscored",
        limits="The paper's Table 3 does not follow from pooled medians: hence the named rule.",
        settings=("quadrant_rule", "hindsight_cut", "judge_cut", "inclusive"),
    ),
    Quantity(
        name="Threshold curve",
        group="Check",
        formula=r"\theta \mapsto \operatorname{HindSight}_\theta(i)"
        r" \text{ at every stored similarity}",
        homes=("core.hindsight.sweep:sweep",),
        source=f"{PAPER}, section 5.3, Figure 3, computed exactly",
        range="as the score; for max it never rises with θ",
    ),
    Quantity(
        name="Calibration of θ",
        group="Check",
        formula=r"\hat\theta = \min\{\theta : \tfrac{1}{n}\,|\{i : \max_{p\,\notin\,"
        r"\text{topic}(i)} \operatorname{sim}(i, p) \ge \theta\}| \le \alpha\}",
        homes=("core.hindsight.calibration:Calibration",),
        source="our own; the paper chose θ by looking at its sweep",
        range="−1 to 1",
        limits="Papers of another topic may be real matches; the rate is then too high.",
        settings=("false_match_rate",),
    ),
    Quantity(
        name="Specification curve",
        group="Check",
        formula=r"\bar{s}_a - \bar{s}_b \text{ under every combination of choices}",
        homes=("core.hindsight.specifications:specifications",),
        source="Simonsohn, Simmons and Nelson (2020)",
        range="as the difference",
        limits="It shows sensitivity and is no better estimate.",
    ),
    Quantity(
        name="Leakage",
        group="Check",
        formula=r"\text{published}(p) \le \text{knowledge cutoff of the system}",
        homes=("core.hindsight.leakage:leakage",),
        source="our own; the paper's model knows until December 2023, after its T",
        range="counts of matches, and the mean score with and without them",
        limits="A knowledge cutoff is what the model's maker says it is.",
        settings=("leakage",),
    ),
)


def docstring(home: str) -> str:
    """The docstring of 'module:name', or of a whole module."""
    module, _, name = home.partition(":")
    found = import_module(module)
    return inspect.getdoc(getattr(found, name) if name else found) or ""


def markdown(text: str) -> str:
    """A docstring as Markdown: its code marks and roles become code."""
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def setting_texts(names: Iterable[str] = ()) -> list[SettingText]:
    """The named settings in words, all where none is named."""
    chosen = tuple(names) or tuple(Settings.model_fields)
    return [
        SettingText(
            name=name,
            description=Settings.model_fields[name].description or "",
            default=Settings.model_fields[name].default,
            allowed=_allowed(name),
        )
        for name in chosen
    ]


def quantity_table() -> str:
    """All quantities as a Markdown table: name, formula, range, settings with defaults, source."""
    lines = [
        "| Quantity | Formula | Range | Settings (default) | Source |",
        "|---|---|---|---|---|",
    ]
    for quantity in QUANTITIES:
        settings = ", ".join(
            f"`{item.name}` ({default_text(item.default)})"
            for item in (setting_texts(quantity.settings) if quantity.settings else [])
        )
        formula = quantity.formula.replace("|", r"\vert ")
        lines.append(
            f"| {quantity.name} | ${formula}$ | {quantity.range} | {settings} | {quantity.source} |"
        )
    return "\n".join(lines) + "\n"


def default_text(value: Any) -> str:
    """A default as people read it."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _allowed(name: str) -> str:
    field = Settings.model_fields[name]
    kind = field.annotation
    if get_origin(kind) is not None and all(isinstance(item, str) for item in get_args(kind)):
        return ", ".join(get_args(kind))
    if kind is bool:
        return "true or false"
    bounds = []
    for rule in field.metadata:
        for attribute, word in (("ge", "from"), ("gt", "above"), ("le", "to"), ("lt", "below")):
            if hasattr(rule, attribute):
                bounds.append(f"{word} {getattr(rule, attribute):,}")
    if bounds:
        return " ".join(bounds)
    return "names, parted by commas" if get_origin(kind) is tuple else "any"
