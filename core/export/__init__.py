"""What a study holds, written for other programs: BibTeX, CSV, JSONL, Croissant, PAIR-IQ."""
