"""Model families, from model names: a judge tends to prefer its own.

A name may show two families (a model distilled from one into another), or none that is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

_FAMILIES: dict[str, str] = {
    "gpt": r"gpt|chatgpt|davinci|openai|o[1345](?=$|[-_:. ])",
    "claude": r"claude|anthropic",
    "gemini": r"gemini|gemma|palm",
    "llama": r"llama|vicuna|alpaca|tulu",
    "qwen": r"qwen|qwq|qvq",
    "mistral": r"mistral|mixtral|ministral|magistral|codestral|devstral|zephyr",
    "deepseek": r"deepseek",
    "phi": r"phi(?=$|[-_:. \d])",
    "grok": r"grok",
    "command": r"command-[ar]|cohere|c4ai|aya-",
    "glm": r"glm|chatglm",
    "kimi": r"kimi|moonshot",
    "minimax": r"minimax",
    "nova": r"nova(?=-(?:micro|lite|pro|premier))",
    "granite": r"granite",
    "olmo": r"olmo",
    "yi": r"yi(?=-\d)",
    "internlm": r"internlm",
    "falcon": r"falcon",
    "smollm": r"smollm",
}
_SERVERS = re.compile(r"ollama|x?llama[-_.]?cpp", re.IGNORECASE)
_PATTERNS = {
    name: re.compile(rf"(?<![a-z]){'(?:' + pattern + ')'}", re.IGNORECASE)
    for name, pattern in _FAMILIES.items()
}


@dataclass(frozen=True, kw_only=True)
class FamilyFlag:
    """A judge and a system whose ideas it judges: do their models share a family?

    ``same`` is None where either family is not known; ``reason`` then says which.
    """

    judge: str
    system: str
    judge_model: str
    system_model: str
    judge_families: tuple[str, ...]
    system_families: tuple[str, ...]
    same: bool | None
    reason: str | None


def families(model: str) -> tuple[str, ...]:
    """The families that a model's name shows, in alphabetical order; empty where none is known.

    Only the last two parts of a path count (owner and model), and the name of a program that
    serves models is not a model's.
    """
    name = "/".join(model.replace("\\", "/").split("/")[-2:])
    name = _SERVERS.sub("", name)
    return tuple(sorted(key for key, pattern in _PATTERNS.items() if pattern.search(name)))


def family_flags(
    judges: Mapping[str, str], systems: Iterable[str], models: Mapping[str, str]
) -> tuple[FamilyFlag, ...]:
    """One flag for each judge and system.

    ``judges`` maps a judge to its model. ``models`` is study.toml's [models]: it maps a system or
    a judge to the model behind it; a name that is not in it is read as a model's name itself.
    """
    flags = []
    for judge, judge_model in sorted(judges.items()):
        of_judge = families(models.get(judge, judge_model))
        for system in sorted(set(systems)):
            model = models.get(system, system)
            of_system = families(model)
            unknown = [
                f"{what} '{name}'"
                for what, name, known in (
                    ("judge", judge, of_judge),
                    ("system", system, of_system),
                )
                if not known
            ]
            flags.append(
                FamilyFlag(
                    judge=judge,
                    system=system,
                    judge_model=models.get(judge, judge_model),
                    system_model=model,
                    judge_families=of_judge,
                    system_families=of_system,
                    same=None if unknown else bool(set(of_judge) & set(of_system)),
                    reason=f"the model family of {' and '.join(unknown)} is not known; name it"
                    " under [models] in study.toml"
                    if unknown
                    else None,
                )
            )
    return tuple(flags)


def study_family_flags(
    marks: pd.DataFrame,
    ideas: pd.DataFrame,
    models: Mapping[str, str],
    judge_models: Mapping[str, str] | None = None,
) -> tuple[FamilyFlag, ...]:
    """Flags for every judge in a table of marks and every system whose ideas it marked.

    ``judge_models`` maps judges to their models where calls tell them; else a judge's name is
    read as its model's.
    """
    known = judge_models or {}
    systems = ideas.set_index("idea_id")["system"]
    flags: list[FamilyFlag] = []
    for judge, rows in marks.groupby("judge"):
        seen = rows["idea_id"].map(systems).dropna().unique()
        flags += family_flags(
            {str(judge): known.get(str(judge), str(judge))}, map(str, seen), models
        )
    return tuple(flags)
