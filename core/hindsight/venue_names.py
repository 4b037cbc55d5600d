"""The names under which conferences and journals of computer science are known.

Which of them count as top venues is a setting (``venues``), not said here. Names are compared
without years, ordinals and the like, and without regard to case: see ``core.hindsight.venues``.
Names that are plain words ("Artificial Intelligence", "Pattern Recognition") are left out, as any
text may hold them.
"""

from __future__ import annotations

CONFERENCES: dict[str, tuple[str, ...]] = {
    "ICLR": ("international conference on learning representations", "int conf learn represent"),
    "NeurIPS": (
        "nips",
        "neural information processing systems",
        "advances in neural information processing systems",
        "conference on neural information processing systems",
        "international conference on neural information processing systems",
        "adv neural inform process syst",
    ),
    "ICML": ("international conference on machine learning", "int conf mach learn"),
    "ACL": (
        "meeting of the association for computational linguistics",
        "meeting of the acl",
        "meeting of the association for computational linguistics and the international joint"
        " conference on natural language processing",
        "conference of the association for computational linguistics",
        "association for computational linguistics",
        "acl ijcnlp",
    ),
    "EMNLP": (
        "empirical methods in natural language processing",
        "conference on empirical methods in natural language processing",
        "conference on empirical methods in natural language processing and the international"
        " joint conference on natural language processing",
        "emnlp ijcnlp",
    ),
    "CVPR": (
        "computer vision and pattern recognition",
        "conference on computer vision and pattern recognition",
        "ieee conference on computer vision and pattern recognition",
        "ieee cvf conference on computer vision and pattern recognition",
        "ieee computer society conference on computer vision and pattern recognition",
        "ieee conf comput vis pattern recog",
        "ieee cvf computer vision and pattern recognition conference",
    ),
    "AAAI": (
        "aaai conference on artificial intelligence",
        "national conference on artificial intelligence",
        "association for the advancement of artificial intelligence",
    ),
    "NAACL": (
        "naacl hlt",
        "north american chapter of the association for computational linguistics",
        "conference of the north american chapter of the association for computational linguistics",
        "conference of the nations of the americas chapter of the association for computational"
        " linguistics",
        "conference of the north american chapter of the association for computational linguistics"
        " human language technologies",
        "conference of the nations of the americas chapter of the association for computational"
        " linguistics human language technologies",
    ),
    "EACL": (
        "conference of the european chapter of the association for computational linguistics",
    ),
    "COLING": ("international conference on computational linguistics",),
    "COLM": ("conference on language modeling",),
    "IJCAI": ("international joint conference on artificial intelligence",),
    "ICCV": (
        "ieee international conference on computer vision",
        "ieee cvf international conference on computer vision",
    ),
    "ECCV": ("european conference on computer vision",),
    "AACL": (
        "aacl ijcnlp",
        "conference of the asia pacific chapter of the association for computational linguistics",
        "asia pacific chapter of the association for computational linguistics",
    ),
    "CoNLL": ("conference on computational natural language learning",),
    "LREC": (
        "lrec coling",
        "international conference on language resources and evaluation",
        "language resources and evaluation conference",
    ),
    "INTERSPEECH": ("conference of the international speech communication association",),
    "ICASSP": (
        "international conference on acoustics speech and signal processing",
        "ieee international conference on acoustics speech and signal processing",
    ),
    "AISTATS": ("international conference on artificial intelligence and statistics",),
    "UAI": (
        "conference on uncertainty in artificial intelligence",
        "uncertainty in artificial intelligence",
    ),
    "COLT": ("conference on learning theory", "conference on computational learning theory"),
    "MLSys": ("conference on machine learning and systems", "machine learning and systems"),
    "CoRL": ("conference on robot learning",),
    "ECML PKDD": (
        "ecml",
        "pkdd",
        "european conference on machine learning",
        "european conference on machine learning and principles and practice of knowledge discovery"
        " in databases",
        "joint european conference on machine learning and knowledge discovery in databases",
    ),
    "ECAI": ("european conference on artificial intelligence",),
    "AAMAS": (
        "adaptive agents and multi agent systems",
        "international conference on autonomous agents and multiagent systems",
        "international joint conference on autonomous agents and multiagent systems",
    ),
    "ICAPS": ("international conference on automated planning and scheduling",),
    "KR": (
        "international conference on principles of knowledge representation and reasoning",
        "principles of knowledge representation and reasoning",
    ),
    "IJCNN": (
        "international joint conference on neural networks",
        "ieee international joint conference on neural networks",
    ),
    "WACV": (
        "ieee winter conference on applications of computer vision",
        "ieee cvf winter conference on applications of computer vision",
    ),
    "BMVC": ("british machine vision conference",),
    "ACCV": ("asian conference on computer vision",),
    "3DV": ("international conference on 3d vision",),
    "MICCAI": (
        "international conference on medical image computing and computer assisted intervention",
        "medical image computing and computer assisted intervention",
    ),
    "ICIP": (
        "international conference on image processing",
        "ieee international conference on image processing",
    ),
    "ICPR": ("international conference on pattern recognition",),
    "ICME": (
        "ieee international conference on multimedia and expo",
        "international conference on multimedia and expo",
    ),
    "ACM MM": (
        "acm multimedia",
        "acm international conference on multimedia",
        "acm multimedia conference",
    ),
    "SIGGRAPH": (
        "acm siggraph",
        "international conference on computer graphics and interactive techniques",
    ),
    "KDD": (
        "sigkdd",
        "acm sigkdd",
        "knowledge discovery and data mining",
        "international conference on knowledge discovery and data mining",
        "acm sigkdd conference on knowledge discovery and data mining",
        "acm sigkdd international conference on knowledge discovery and data mining",
    ),
    "SIGIR": (
        "acm sigir",
        "international acm sigir conference on research and development in information retrieval",
        "acm sigir conference on research and development in information retrieval",
    ),
    "WWW": (
        "thewebconf",
        "web conference",
        "acm web conference",
        "world wide web conference",
        "international world wide web conference",
        "international conference on world wide web",
    ),
    "CIKM": (
        "international conference on information and knowledge management",
        "acm international conference on information and knowledge management",
        "conference on information and knowledge management",
    ),
    "WSDM": (
        "web search and data mining",
        "acm international conference on web search and data mining",
    ),
    "RecSys": (
        "acm recsys",
        "acm conference on recommender systems",
        "conference on recommender systems",
    ),
    "ICDM": (
        "ieee international conference on data mining",
        "international conference on data mining",
    ),
    "SDM": ("siam international conference on data mining", "sdm siam"),
    "PAKDD": ("pacific asia conference on knowledge discovery and data mining",),
    "ECIR": ("european conference on information retrieval",),
    "ISWC": ("international semantic web conference",),
    "SIGMOD": (
        "acm sigmod",
        "acm sigmod conference",
        "international conference on management of data",
        "acm sigmod international conference on management of data",
    ),
    "VLDB": (
        "pvldb",
        "vldb endowment",
        "vldb endow",
        "very large data bases",
        "very large data bases conference",
        "international conference on very large data bases",
    ),
    "ICDE": (
        "ieee international conference on data engineering",
        "international conference on data engineering",
    ),
    "CHI": (
        "acm chi",
        "sigchi conference on human factors in computing systems",
        "acm chi conference on human factors in computing systems",
        "chi conference on human factors in computing systems",
        "international conference on human factors in computing systems",
    ),
    "UIST": (
        "acm symposium on user interface software and technology",
        "symposium on user interface software and technology",
    ),
    "CSCW": (
        "conference on computer supported cooperative work",
        "acm conference on computer supported cooperative work",
        "acm conference on computer supported cooperative work and social computing",
    ),
    "IUI": ("international conference on intelligent user interfaces",),
    "FAccT": (
        "conference on fairness accountability and transparency",
        "acm conference on fairness accountability and transparency",
    ),
    "ICRA": (
        "ieee international conference on robotics and automation",
        "international conference on robotics and automation",
    ),
    "IROS": (
        "ieee rsj international conference on intelligent robots and systems",
        "ieee rjs international conference on intelligent robots and systems",
        "international conference on intelligent robots and systems",
    ),
    "RSS": ("robotics science and systems",),
    "ICSE": (
        "international conference on software engineering",
        "ieee acm international conference on software engineering",
        "acm ieee international conference on software engineering",
    ),
    "FSE": (
        "esec fse",
        "acm international conference on the foundations of software engineering",
        "acm joint european software engineering conference and symposium on the foundations of"
        " software engineering",
    ),
    "ASE": (
        "international conference on automated software engineering",
        "ieee acm international conference on automated software engineering",
    ),
    "ISSTA": ("international symposium on software testing and analysis",),
    "PLDI": (
        "acm sigplan symposium on programming language design and implementation",
        "acm sigplan conference on programming language design and implementation",
    ),
    "POPL": (
        "acm sigact sigplan symposium on principles of programming languages",
        "symposium on principles of programming languages",
    ),
    "IEEE S&P": (
        "ieee symposium on security and privacy",
        "ieee symposium on security and privacy sp",
    ),
    "USENIX Security": ("usenix security symposium",),
    "CCS": (
        "acm ccs",
        "conference on computer and communications security",
        "acm sigsac conference on computer and communications security",
        "acm conference on computer and communications security",
    ),
    "NDSS": (
        "network and distributed system security symposium",
        "network and distributed systems security symposium",
    ),
    "OSDI": (
        "usenix symposium on operating systems design and implementation",
        "symposium on operating systems design and implementation",
    ),
    "SOSP": ("symposium on operating systems principles",),
    "NSDI": (
        "usenix symposium on networked systems design and implementation",
        "symposium on networked systems design and implementation",
    ),
    "EuroSys": ("european conference on computer systems",),
    "ASPLOS": (
        "international conference on architectural support for programming languages and operating"
        " systems",
    ),
    "ISCA": ("international symposium on computer architecture",),
    "HPCA": ("international symposium on high performance computer architecture",),
    "SIGCOMM": (
        "acm sigcomm",
        "conference on applications technologies architectures and"
        " protocols for computer communications",
    ),
    "INFOCOM": ("ieee conference on computer communications", "ieee infocom"),
    "STOC": ("symposium on the theory of computing", "acm symposium on theory of computing"),
    "FOCS": ("ieee symposium on foundations of computer science",),
    "SODA": ("acm siam symposium on discrete algorithms",),
}

JOURNALS: dict[str, tuple[str, ...]] = {
    "TACL": ("transactions of the association for computational linguistics",),
    "JMLR": ("journal of machine learning research", "j mach learn res"),
    "TMLR": (
        "transactions on machine learning research",
        "trans mach learn res",
    ),
    "JAIR": ("journal of artificial intelligence research", "j artif intell res"),
    "TPAMI": (
        "ieee tpami",
        "ieee transactions on pattern analysis and machine intelligence",
        "ieee trans pattern anal mach intell",
    ),
    "IJCV": ("international journal of computer vision", "int j comput vis"),
    "TIP": ("ieee transactions on image processing", "ieee trans image process"),
    "TNNLS": (
        "ieee transactions on neural networks and learning systems",
        "ieee trans neural netw learn syst",
    ),
    "TKDE": (
        "ieee transactions on knowledge and data engineering",
        "ieee trans knowl data eng",
    ),
    "TKDD": ("acm transactions on knowledge discovery from data",),
    "TOIS": ("acm transactions on information systems", "acm trans inf syst"),
    "TIST": ("acm transactions on intelligent systems and technology",),
    "TOG": ("acm transactions on graphics", "acm trans graph"),
    "TASLP": (
        "ieee acm transactions on audio speech and language processing",
        "ieee acm trans audio speech lang process",
    ),
    "TMM": ("ieee transactions on multimedia", "ieee trans multim"),
    "TSE": ("ieee transactions on software engineering", "ieee trans software eng"),
    "TRO": ("ieee transactions on robotics", "ieee trans robot"),
    "RA-L": ("ieee robotics and automation letters", "ieee robotics autom lett"),
    "CSUR": ("acm computing surveys", "acm comput surv"),
    "CACM": ("communications of the acm", "commun acm"),
    "Nature Machine Intelligence": ("nat mach intell",),
    "Neurocomputing": (),
    "IEEE Access": (),
}
