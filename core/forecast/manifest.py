"""The manifest: every episode's pools by identifier, checked, stored and compared.

Two releases of a benchmark are compared by the papers in their pools, not by counts, and a
repeated episode never hides a missing one. Source: IdeaForecastBench, arXiv 2609.00747.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from core.config import window_end
from core.errors import DataError, UsageError
from core.ingest.tabular import replacing
from core.matching.pools import possible_days
from core.study import Study

EPISODES_FILE = "episodes.json"


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One (topic, cutoff). ``history`` and ``target`` are sorted paper ids; ``uncertain`` counts
    the topic's papers left out because their date may lie on either side of ``cutoff`` or
    ``end``; ``digest`` is of both pools."""

    topic: str
    cutoff: date
    end: date
    history: tuple[str, ...]
    target: tuple[str, ...]
    uncertain: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """All episodes of a study, by topic and cutoff.

    ``undated`` counts papers of the topics without a date, ``uncertain`` those left out of some
    episode because of a coarse date, each once. ``digest`` is of every episode's topic, cutoff
    and pools.
    """

    study: str
    horizon_months: int
    topics: tuple[str, ...]
    cutoffs: tuple[date, ...]
    episodes: tuple[Episode, ...]
    undated: int
    uncertain: int
    digest: str

    def find(self, topic: str, cutoff: date) -> Episode:
        """One episode; raises :class:`UsageError` where there is none."""
        for episode in self.episodes:
            if episode.topic == topic and episode.cutoff == cutoff:
                return episode
        raise UsageError(f"No episode of topic '{topic}' and cutoff {cutoff}.")

    def to_frame(self) -> pd.DataFrame:
        """One row an episode: topic, cutoff, end, history, target (counts), uncertain, digest."""
        return pd.DataFrame(
            [
                {
                    "topic": episode.topic,
                    "cutoff": pd.Timestamp(episode.cutoff),
                    "end": pd.Timestamp(episode.end),
                    "history": len(episode.history),
                    "target": len(episode.target),
                    "uncertain": episode.uncertain,
                    "digest": episode.digest,
                }
                for episode in self.episodes
            ],
            columns=["topic", "cutoff", "end", "history", "target", "uncertain", "digest"],
        )


@dataclass(frozen=True, kw_only=True)
class ChangedEpisode:
    """An episode that both manifests have with unlike pools: ids that came and went."""

    topic: str
    cutoff: date
    history_only_a: tuple[str, ...]
    history_only_b: tuple[str, ...]
    target_only_a: tuple[str, ...]
    target_only_b: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ManifestComparison:
    """Two manifests by identifier; ``same`` counts episodes with equal pools and end."""

    a: str
    b: str
    only_a: tuple[tuple[str, date], ...]
    only_b: tuple[tuple[str, date], ...]
    changed: tuple[ChangedEpisode, ...]
    other_end: tuple[tuple[str, date], ...]
    same: int

    @property
    def equal(self) -> bool:
        """Whether both hold the same episodes with the same papers."""
        return not (self.only_a or self.only_b or self.changed or self.other_end)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that does not hold: the place of its episode in the file from 1, and the field;
    both None where it is the whole manifest's. ``text`` names the episode itself."""

    episode: int | None
    field: str | None
    text: str


def manifest_problems(manifest: Manifest, papers: pd.DataFrame | None = None) -> tuple[str, ...]:
    """:func:`manifest_faults` as sentences; none where all is well."""
    return tuple(fault.text for fault in manifest_faults(manifest, papers))


def manifest_faults(manifest: Manifest, papers: pd.DataFrame | None = None) -> tuple[Fault, ...]:
    """What does not hold; nothing where all is well.

    Each (topic, cutoff) once and none missing; pools sorted, without repeats, apart from each
    other and as their digest says; no target paper that may be dated on or before the cutoff or
    after the end and no history paper that may be dated after it, by ``papers``' dates.
    """
    found: list[Fault] = []
    places: dict[tuple[str, date], list[int]] = {}
    for place, episode in enumerate(manifest.episodes, start=1):
        places.setdefault((episode.topic, episode.cutoff), []).append(place)
    for (topic, cutoff), own in sorted(places.items()):
        if len(own) > 1:
            told = f"episode '{topic}' {cutoff} stands {len(own)} times"
            found.append(Fault(episode=own[1], field="topic, cutoff", text=told))
    for topic in manifest.topics:
        for cutoff in manifest.cutoffs:
            if (topic, cutoff) not in places:
                told = f"episode '{topic}' {cutoff} is missing"
                found.append(Fault(episode=None, field="episodes", text=told))
    for (topic, cutoff), own in sorted(places.items()):
        if topic not in manifest.topics or cutoff not in manifest.cutoffs:
            told = f"episode '{topic}' {cutoff} is not among the topics and cutoffs"
            found.append(Fault(episode=own[0], field="topic, cutoff", text=told))
    dates = None if papers is None else _possible_dates(papers)
    for place, episode in enumerate(manifest.episodes, start=1):
        told_of = _pool_problems(episode)
        if episode.end != window_end(episode.cutoff, manifest.horizon_months):
            months = f"which is not {manifest.horizon_months} months on"
            told_of.append(("end", f"ends on {episode.end}, {months}"))
        if dates is not None:
            told_of += _date_problems(episode, *dates)
        found += [
            Fault(episode=place, field=field, text=f"{_name(episode)}: {text}")
            for field, text in told_of
        ]
    if manifest_digest(manifest.episodes) != manifest.digest:
        told = "the manifest's digest is not that of its episodes"
        found.append(Fault(episode=None, field="digest", text=told))
    return tuple(found)


def write_manifest(manifest: Manifest, path: Path) -> None:
    """Write the manifest as JSON, whole or not at all."""
    episodes = [
        {
            "topic": episode.topic,
            "cutoff": episode.cutoff.isoformat(),
            "end": episode.end.isoformat(),
            "history": list(episode.history),
            "target": list(episode.target),
            "uncertain": episode.uncertain,
            "digest": episode.digest,
        }
        for episode in manifest.episodes
    ]
    whole = {
        "study": manifest.study,
        "horizon_months": manifest.horizon_months,
        "topics": list(manifest.topics),
        "cutoffs": [day.isoformat() for day in manifest.cutoffs],
        "undated": manifest.undated,
        "uncertain": manifest.uncertain,
        "digest": manifest.digest,
        "episodes": episodes,
    }
    with replacing(path) as file:
        file.write((json.dumps(whole, ensure_ascii=False) + "\n").encode())


def read_manifest(path: Path) -> Manifest:
    """A manifest from its file, or from a study's folder.

    Raises :class:`DataError` where it does not read or a check does not hold.
    """
    path = path / EPISODES_FILE if path.is_dir() else path
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        manifest = Manifest(
            study=str(told["study"]),
            horizon_months=int(told["horizon_months"]),
            topics=tuple(told["topics"]),
            cutoffs=tuple(date.fromisoformat(day) for day in told["cutoffs"]),
            episodes=tuple(_read_episode(item) for item in told["episodes"]),
            undated=int(told["undated"]),
            uncertain=int(told["uncertain"]),
            digest=str(told["digest"]),
        )
    except FileNotFoundError:
        raise DataError(
            f"{path}: no such file. Make it: foreseen forecast episodes STUDY --cutoffs …"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path}: not readable as a manifest ({error!r}).") from None
    problems = manifest_problems(manifest)
    if problems:
        more = f" … and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise DataError(f"{path}: {'; '.join(problems[:5])}{more}.")
    return manifest


def stored_manifest(study: Study) -> Manifest | None:
    """The study's manifest; None where the study has no folder or its folder no manifest."""
    if study.folder is None or not (study.folder / EPISODES_FILE).is_file():
        return None
    return read_manifest(study.folder)


def compare_manifests(a: Manifest, b: Manifest) -> ManifestComparison:
    """Two manifests by the identifiers in their pools."""
    in_a = {(episode.topic, episode.cutoff): episode for episode in a.episodes}
    in_b = {(episode.topic, episode.cutoff): episode for episode in b.episodes}
    changed, ends, same = [], [], 0
    for key in sorted(in_a.keys() & in_b.keys()):
        one, other = in_a[key], in_b[key]
        if one.end != other.end:
            ends.append(key)
        if (one.history, one.target) != (other.history, other.target):
            changed.append(
                ChangedEpisode(
                    topic=one.topic,
                    cutoff=one.cutoff,
                    history_only_a=_without(one.history, other.history),
                    history_only_b=_without(other.history, one.history),
                    target_only_a=_without(one.target, other.target),
                    target_only_b=_without(other.target, one.target),
                )
            )
        elif one.end == other.end:
            same += 1
    return ManifestComparison(
        a=a.study,
        b=b.study,
        only_a=tuple(sorted(in_a.keys() - in_b.keys())),
        only_b=tuple(sorted(in_b.keys() - in_a.keys())),
        changed=tuple(changed),
        other_end=tuple(ends),
        same=same,
    )


def pools_digest(history: Sequence[str], target: Sequence[str]) -> str:
    """Digest of two pools by identifier, in the order given."""
    text = json.dumps([list(history), list(target)], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def manifest_digest(episodes: Sequence[Episode]) -> str:
    """Digest of all episodes, in any order."""
    lines = [
        json.dumps([e.topic, e.cutoff.isoformat(), e.end.isoformat(), e.digest]) for e in episodes
    ]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def _read_episode(item: dict[str, Any]) -> Episode:
    return Episode(
        topic=str(item["topic"]),
        cutoff=date.fromisoformat(item["cutoff"]),
        end=date.fromisoformat(item["end"]),
        history=tuple(map(str, item["history"])),
        target=tuple(map(str, item["target"])),
        uncertain=int(item["uncertain"]),
        digest=str(item["digest"]),
    )


def _name(episode: Episode) -> str:
    return f"episode '{episode.topic}' {episode.cutoff}"


def _pool_problems(episode: Episode) -> list[tuple[str, str]]:
    """Field and what is wrong in it."""
    found = []
    for pool in ("history", "target"):
        ids = getattr(episode, pool)
        if list(ids) != sorted(set(ids)):
            found.append((pool, f"the {pool} is not sorted or repeats an identifier"))
    both = set(episode.history) & set(episode.target)
    if both:
        found.append(("target", f"'{min(both)}' is in the history and in the target"))
    if pools_digest(episode.history, episode.target) != episode.digest:
        found.append(("digest", "its digest is not that of its identifiers"))
    return found


def _possible_dates(papers: pd.DataFrame) -> tuple[dict[str, date], dict[str, date]]:
    """The first and the last day on which each dated paper may have appeared."""
    first, last = possible_days(papers)
    earliest = dict(zip(papers["paper_id"], first.tolist(), strict=True))
    return earliest, dict(zip(papers["paper_id"], last.tolist(), strict=True))


def _date_problems(
    episode: Episode, earliest: dict[str, date], latest: dict[str, date]
) -> list[tuple[str, str]]:
    """Field and what is wrong in it."""
    found = []
    for paper in episode.history:
        day = latest.get(paper)
        if day is None:
            found.append(("history", f"history paper '{paper}' has no date in the study"))
        elif day > episode.cutoff:
            found.append(("history", f"history paper '{paper}' is dated {day}, after it"))
    for paper in episode.target:
        day = earliest.get(paper)
        if day is None:
            found.append(("target", f"target paper '{paper}' has no date in the study"))
        elif day <= episode.cutoff or latest[paper] > episode.end:
            found.append(("target", f"target paper '{paper}' is dated {day}, outside it"))
    return found


def _without(ids: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(ids) - set(others)))
