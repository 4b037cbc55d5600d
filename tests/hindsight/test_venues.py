"""What a venue's text is read as."""

from __future__ import annotations

import pytest
from builders import study

from core.config import Settings
from core.hindsight.venues import read_venue, venue_readings

MAIN = {
    "NIPS": "NeurIPS",
    "Advances in Neural Information Processing Systems": "NeurIPS",
    "Advances in Neural Information Processing Systems 36": "NeurIPS",
    "Thirty-seventh Conference on Neural Information Processing Systems": "NeurIPS",
    "NeurIPS 2024 poster": "NeurIPS",
    "NeurIPS'24": "NeurIPS",
    "Proceedings of the 61st Annual Meeting of the Association for Computational Linguistics"
    " (Volume 1: Long Papers)": "ACL",
    "Annual Meeting of the Association for Computational Linguistics": "ACL",
    "ACL 2023 main": "ACL",
    "ACL (1)": "ACL",
    "2024.acl-long": "ACL",
    "ACL/IJCNLP": "ACL",
    "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing": "EMNLP",
    "International Conference on Learning Representations": "ICLR",
    "The Twelfth International Conference on Learning Representations, ICLR 2024, Vienna,"
    " Austria, May 7-11, 2024": "ICLR",
    "ICLR 2025": "ICLR",
    "ICLR.cc/2025/Conference": "ICLR",
    "ICLR 2023 notable top 5%": "ICLR",
    "ICLR 2024 spotlight": "ICLR",
    "Forty-first International Conference on Machine Learning": "ICML",
    "ICML 2024 Oral": "ICML",
    "IEEE/CVF Conference on Computer Vision and Pattern Recognition": "CVPR",
    "2023 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)": "CVPR",
    "AAAI Conference on Artificial Intelligence": "AAAI",
    "AAAI Technical Track on Machine Learning II": "AAAI",
    "EACL": "EACL",
    "NAACL 2024": "NAACL",
    "Proceedings of the 2024 Conference of the North American Chapter of the Association for"
    " Computational Linguistics: Human Language Technologies (Volume 1: Long Papers)": "NAACL",
    "Transactions of the Association for Computational Linguistics": "TACL",
}
NOT_MAIN = (
    "ICLR 2024 Workshop on LLM Agents",
    "CVPR Workshops",
    "CVPRW",
    "Findings of the Association for Computational Linguistics: ACL 2023",
    "EMNLP (Findings)",
    "ACL Findings",
    "NeurIPS 2023 Datasets and Benchmarks Track",
    "NeurIPS.cc/2024/Datasets_and_Benchmarks_Track",
    "ACL ARR 2024 June",
    "ACL 2024 System Demonstrations",
    "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing:"
    " Industry Track",
    "Proceedings of the 61st Annual Meeting of the Association for Computational Linguistics"
    " (Volume 4: Student Research Workshop)",
    "AAAI Spring Symposium",
    "AAAI/ACM Conference on AI, Ethics, and Society",
    "International AAAI Conference on Web and Social Media",
    "IAAI",
    "Submitted to ICLR 2025",
    "ICLR 2025 Withdrawn Submission",
    "International Conference on Machine Learning and Applications",
    "International Conference on Machine Learning, Optimization, and Data Science",
    "Asian Conference on Machine Learning",
    "International Conference on Neural Information Processing",
    "Proceedings of Machine Learning Research",
    "arXiv.org",
    "",
    "   ",
    "(((",
)


@pytest.mark.parametrize(("text", "venue"), MAIN.items())
def test_a_main_conference_is_told_by_any_of_its_names(text: str, venue: str) -> None:
    found = read_venue(text)
    assert (found.venue, found.main) == (venue, True)
    assert read_venue(text.upper()).venue == venue


@pytest.mark.parametrize("text", NOT_MAIN)
def test_what_is_not_the_main_conference_says_why(text: str) -> None:
    found = read_venue(text)
    assert not found.main
    assert found.reason


def test_a_reading_names_the_words_that_stood_in_the_way() -> None:
    assert "'findings'" in read_venue("EMNLP 2023 Findings").reason


def test_any_name_can_be_a_top_venue() -> None:
    papers = [
        {"paper_id": f"p{n}", "title": "t", "venue": venue}
        for n, venue in enumerate(
            ["My Conf 2024 Poster", "COLM 2024", "COLM 2024", "NIPS", None, "ICLR Workshop"]
        )
    ]
    made = study(papers=papers)
    settings = Settings(venues=("My Conf", "Conference on Language Modeling"))
    found = venue_readings(made, settings).set_index("raw")
    assert found["papers"].sum() == 6
    assert found.index[0] == "COLM 2024"
    assert found[found["top"]].index.tolist() == ["COLM 2024", "My Conf 2024 Poster"]
    assert found.loc["NIPS", "main"]
    assert not found.loc["NIPS", "top"]
    default = venue_readings(made, Settings()).set_index("raw")
    assert default[default["top"]].index.tolist() == ["NIPS"]
