"""What a venue's text is read as."""

from __future__ import annotations

import pytest
from builders import study

from core.config import Settings
from core.hindsight.venue_names import CONFERENCES, JOURNALS
from core.hindsight.venues import _core, read_venue, venue_readings

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
    "KDD": "KDD",
    "Knowledge Discovery and Data Mining": "KDD",
    "KDD '23: Proceedings of the 29th ACM SIGKDD Conference on Knowledge Discovery and Data Mining": "KDD",
    "Proceedings of the 28th ACM SIGKDD Conference on Knowledge Discovery & Data Mining": "KDD",
    "SIGIR 2024": "SIGIR",
    "Annual International ACM SIGIR Conference on Research and Development in Information"
    " Retrieval": "SIGIR",
    "ICASSP 2023 - 2023 IEEE International Conference on Acoustics, Speech and Signal Processing"
    " (ICASSP)": "ICASSP",
    "IEEE International Conference on Acoustics, Speech, and Signal Processing": "ICASSP",
    "Interspeech": "INTERSPEECH",
    "The Web Conference": "WWW",
    "Proceedings of the ACM Web Conference 2023": "WWW",
    "International Conference on Information and Knowledge Management": "CIKM",
    "Web Search and Data Mining": "WSDM",
    "International Conference on Artificial Intelligence and Statistics": "AISTATS",
    "Conference on Uncertainty in Artificial Intelligence": "UAI",
    "CoRL 2024": "CoRL",
    "ACM Multimedia": "ACM MM",
    "IEEE Symposium on Security and Privacy": "IEEE S&P",
    "2023 IEEE Symposium on Security and Privacy (SP)": "IEEE S&P",
    "32nd USENIX Security Symposium (USENIX Security 23)": "USENIX Security",
    "J. Mach. Learn. Res.": "JMLR",
    "Trans. Mach. Learn. Res.": "TMLR",
    "IEEE Transactions on Pattern Analysis and Machine Intelligence": "TPAMI",
    "IEEE Trans. Pattern Anal. Mach. Intell.": "TPAMI",
    "Proc. VLDB Endow.": "VLDB",
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
    "Pacific-Asia Conference on Knowledge Discovery and Data Mining Workshops",
    "KDD 2023 Workshop on Mining and Learning with Graphs",
    "CHI Extended Abstracts",
    "SIGIR Forum",
    "Web",
    "IEEE International Conference on Acoustics, Speech, and Signal Processing Workshops",
    "Companion Proceedings of the ACM Web Conference 2023",
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


def test_no_name_stands_for_two_venues() -> None:
    names = [
        _core(alias)
        for name, aliases in (CONFERENCES | JOURNALS).items()
        for alias in dict.fromkeys((name.lower(), *aliases))
    ]
    assert len(names) == len(set(names))
    assert all(names)


def test_known_names_are_top_venues_only_where_they_are_chosen() -> None:
    papers = [{"paper_id": "p", "title": "t", "venue": "Knowledge Discovery and Data Mining"}]
    made = study(papers=papers)
    assert not venue_readings(made, Settings())["top"].any()
    assert venue_readings(made, Settings(venues=("KDD",)))["top"].all()


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
