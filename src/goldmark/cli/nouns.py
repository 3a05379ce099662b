"""Every noun of the command line, what it is for, and the module that is imported when its command is given."""

from __future__ import annotations

from cyclopts import App

from goldmark import __version__

NOUNS = {
    "agreement": "How far annotators agree, with intervals.",
    "aggregate": "One label per item from many annotators' labels.",
    "annotators": "Find noisy annotators; simulate how well they are found.",
    "benchmark": "Run and score models on the tasks of a dataset.",
    "campaign": "Check, create, run and export campaigns.",
    "check": "Find mistakes in texts automatically.",
    "crowd": "Crowd platforms: publish a campaign, approve, pay, keep the books.",
    "curation": "From several people's marks to one verified gold list.",
    "database": "Upgrade, back up, restore and check the database.",
    "dataset": "Release a campaign as a dataset; import, show and verify datasets.",
    "doctor": "Find what is wrong with an installation.",
    "demo": "Start Goldmark with sample campaigns.",
    "jobs": "Long work, and the workers that do it.",
    "leaderboard": "Rolling leaderboards: submissions, metrics, human evaluation, standings.",
    "metrics": "Automatic metrics, and how they correlate with people.",
    "model": "Models of ratings: systems, people, items, and how reliable people are.",
    "plugin": "What is built in and what installed packages add: formats, tables, metrics and more.",
    "prepare": "Make texts ready: cut, clean, pair, choose prompt words, generate.",
    "protocol": "Check, show, list and save protocols.",
    "rank": "Rank systems by people's scores.",
    "score": "Score a mistake list against a gold list.",
    "serve": "Start the web server.",
    "study": "Plan, run and analyse controlled studies.",
    "table": "One table of results or of a published method, from a campaign or from tidy files.",
    "text": "Look at texts the way Goldmark reads them, and put errors into them.",
    "user": "Accounts and API tokens of managers and curators.",
}

FOLDERS = {
    "texts": ("text", "prepare", "protocol", "check"),
    "campaigns": ("campaign", "annotators", "crowd", "curation"),
    "figures": ("agreement", "aggregate", "rank", "model", "score", "table", "metrics"),
    "evaluations": ("leaderboard", "study", "dataset", "benchmark"),
    "server": ("serve", "demo", "jobs", "database", "user", "plugin", "doctor"),
}
PLACES = {noun: f"goldmark.cli.{folder}.{noun}" for folder, nouns in FOLDERS.items() for noun in nouns}
ALSO = {"texts": "text"}  # nouns as people also say them

app = App(name="goldmark", version=__version__, help="Reproducible human evaluation of generated text.")
for noun, purpose in NOUNS.items():
    app.command(f"{PLACES[noun]}:app", name=noun, help=purpose)
