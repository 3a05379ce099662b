"""What the checker marks, sentence by sentence; the truth is the invented game of invented_league.py."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.texts.readers.gsml import spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.season import Season
from invented_league import LEAGUE, SCHEDULE, game, marked, mistakes, season

RIGHT = [
    "The Thornwick Badgers ( 7 - 3 ) defeated the host Port Ansel Herons ( 6 - 4 ) , 112 - 104 , at Tidewater Hall on "
    "Wednesday .",
    "The Herons lost to the Badgers , 112 - 104 .",
    "The Badgers were led by Conrad Vale , who finished with 24 points ( 9 - 18 FG , 2 - 5 3Pt , 4 - 4 FT ) , 11 "
    "rebounds and three assists in 35 minutes .",
    "Tobias Wenlock scored a game - high 30 points on 11 - of - 20 shooting , including 4 - of - 9 from long range .",
    "Vale posted a 24 - point , 11 - rebound double - double that also included a steal .",
    "The Badgers outscored the Herons 57 - 54 in the second half .",
    "The Badgers shot 49 percent from the field and 38 percent from deep , while the Herons shot 44 percent from the "
    "floor .",
    "The Badgers held the Herons to 44 percent shooting and forced them to commit 12 turnovers .",
    "Milos Jank led the bench with 12 points and a pair of assists .",
    "Kwame Adjei was n't at his best with nine points , but he dished 12 assists .",
]


@pytest.mark.parametrize("sentence", RIGHT)
def test_true_sentences_are_left_alone(sentence: str) -> None:
    assert marked(sentence) == []


WRONG = [
    ("The Herons defeated the Badgers , 112 - 104 .", [("defeated", "WORD")]),
    ("The Badgers defeated the Badgers , 112 - 104 .", [("Badgers", "NAME")]),
    ("The Badgers defeated the Herons , 112 - 101 , on Friday .", [("101", "NUMBER"), ("Friday", "NAME")]),
    ("The host Badgers defeated the Herons .", [("host", "WORD")]),
    ("The Badgers ( 6 - 3 ) won .", [("6", "NUMBER")]),
    ("The game was played at Foundry Court .", [("Foundry Court", "NAME")]),
    ("Conrad Vale had 24 points and nine rebounds .", [("nine", "NUMBER")]),
    ("Conrad Vale had 24 points . He added six assists .", [("six", "NUMBER")]),
    ("Stellan Rask recorded a double - double with 18 points .", [("double - double", "WORD")]),
    ("Stellan Rask came off the bench for 18 points .", [("off the bench", "WORD")]),
    ("Stellan Rask led the way for the Badgers with 18 points .", [("led", "WORD")]),
    ("Conrad Vale led the way for the Herons with 24 points .", [("Herons", "NAME")]),
    ("Conrad Vale had a game - high 24 points .", [("game - high", "WORD")]),
    ("Stellan Rask was third on the team with 18 points .", [("third", "NUMBER")]),
    ("Conrad Vale led the Badgers . Kwame Adjei chipped in nine points .", [("Kwame Adjei", "CONTEXT")]),
    ("The Herons outscored the Badgers 30 - 26 in the fourth quarter .", [("Herons", "NAME"), ("Badgers", "NAME")]),
    ("The Badgers outscored the Herons 35 - 28 in the third quarter .", [("outscored", "WORD"), ("35", "NUMBER")]),
    ("The Herons shot 49 percent from the field and 38 percent from deep .", [("Herons", "NAME")]),
    ("The Herons were able to prevail with a home win .", [("Herons", "NAME")]),
    ("The Badgers will look to bounce back .", [("bounce back", "WORD")]),
    ("The Badgers touched up Ada Quill 's crew .", [("Ada Quill", "NAME")]),
    ("The Herons got off to a hot start .", []),  # 30-25 after the first quarter, 50-55 at half-time
    ("The Badgers got off to a hot start .", [("hot start", "WORD")]),
    ("The Herons were able to pull away in the second half .", [("pull away", "WORD")]),  # and lost
    ("The Herons have been one of the hottest teams .", []),
    ("The Badgers left no doubt with this overtime win .", [("overtime", "WORD")]),
    ("The Badgers played without Stellan Rask .", [("without", "WORD")]),
    ("The Badgers held the Badgers to 44 percent shooting .", [("Badgers", "NAME")]),
    ("Roy Maddern had 15 points for the Badgers .", []),  # nobody knows him; see the season's names for strangers
    ("Rebounding was key for the Herons .", [("key", "WORD")]),  # 40 rebounds to 45
    ("The Badgers led by five at halftime .", []),  # 55-50
    ("The Badgers led by seven at halftime .", [("seven", "NUMBER")]),
    ("The Herons led by five at halftime .", [("led", "WORD")]),
    ("The Badgers improved to 7 - 4 .", [("4", "NUMBER")]),
    ("Milos Jank had 12 points in a starting role .", [("in a starting role", "WORD")]),
    ("Conrad Vale had 24 points in a losing effort .", [("losing", "WORD")]),
    ("Conrad Vale led all scorers with 24 points .", [("led all scorers", "WORD")]),
    ("It was a blowout .", [("blowout", "WORD")]),  # by eight points
    ("Conrad Vale and Stellan Rask combined for 40 points .", [("40", "NUMBER")]),  # 24 and 18
    ("The Badgers got 20 points from Milos Jank .", [("20", "NUMBER")]),
    ("Milos Jank was right behind Stellan Rask with 12 points .", []),
    ("Stellan Rask was right behind Milos Jank with 18 points .", [("right behind", "WORD")]),
    ("Soren Lind finished with 14 points for the Badgers .", [("Badgers", "NAME")]),
    ("Badgers guard Kwame Adjei had nine points .", [("Badgers", "NAME")]),
    ("The Badgers got 14 points from Soren Lind .", [("Badgers", "NAME")]),
    ("Former Badgers guard Kwame Adjei had nine points .", []),
    ("Soren Lind had 24 points , 11 rebounds and three assists for the Badgers .", [("Soren Lind", "NAME")]),  # Vale's
    ("Milos Jank led the way with 12 points off the bench .", []),  # of those who came off it
    ("Stellan Rask had a near double - double of 18 points and eight assists .", []),
    ("Milos Jank had a near double - double of 12 points and five rebounds .", [("near double - double", "WORD")]),
    # Rask's team-mate goes on with Rask's story, whosever it was before; one told of before is taken up again.
    ("The Herons got going early . Conrad Vale was right behind Stellan Rask .", [("right behind", "WORD")]),
    ("Soren Lind had 14 points . Conrad Vale added 11 rebounds to his aforementioned 24 points .", []),
    ("The Badgers hit 7 - of - 8 free throws , though the Herons did well , hitting 6 - of - 9 .", []),
    ("The Herons fell behind against a stingy Badgers defense that held them to 44 percent shooting .", []),
    ("Conrad Vale had seven points and adding four rebounds in that first period .", []),  # not in the data
    ("Conrad Vale was back . It was business as usual for the big forward , who had 25 points .", [("25", "NUMBER")]),
    ("The Badgers won despite the return of Soren Lind , who had 14 points .", []),
    ("Thornwick’s record is 7 - 4 .", [("4", "NUMBER")]),
    ("Conrad Vale flirted with a double - double with at least 30 points per game .", []),
    (
        "The Badgers got 18 points from Stellan Rask and a near triple - double from Kwame Adjei .",
        [("near triple - double", "WORD")],
    ),  # 9 points, 3 rebounds, 12 assists
    ("The big center finished with 31 points for the Badgers .", []),  # whoever that is
    ("Stellan Vale had 24 points .", [("Stellan Vale", "NAME")]),  # Rask's first name, Vale's last
    ("The Badgers were led by the duo of Conrad Vale and Conrad Vale .", [("Conrad Vale", "NAME")]),
    ("The Badgers are in first place in the Hills Division .", [("first place", "NOT_CHECKABLE")]),
    ("Conrad Vale had 26 points to go along with 11 rebounds .", [("26", "NUMBER")]),
    ("Conrad Vale scored 24 , while Stellan Rask added 16 .", [("16", "NUMBER")]),
    ("Conrad Vale and Stellan Rask scored 24 and 20 points , respectively .", [("20", "NUMBER")]),
    ("Conrad Vale shot 9 - 17 from the field and 4 - 4 from the line .", [("17", "NUMBER")]),
    ("Conrad Vale hit three of his five three - point attempts .", [("three", "NUMBER")]),
    ("Conrad Vale led the Badgers with 11 rebounds .", []),  # in rebounds, whoever scored most
    ("Stellan Rask led the Badgers with four rebounds .", [("led", "WORD")]),
    ("Conrad Vale led the Badgers to a win with 24 points .", []),  # his points, not what somebody was held to
    ("The Badgers bench contributed 15 points .", [("15", "NUMBER")]),  # Jank's 12
    ("The Badgers coughed the ball up 13 times .", [("13", "NUMBER")]),
    ("The Badgers forced 15 turnovers .", [("15", "NUMBER")]),  # the Herons' 12
    ("The Badgers made 49 percent of their field goals .", []),
    ("The final score was 112 - 103 .", [("103", "NUMBER")]),
    ("The Badgers won by nine .", [("nine", "NUMBER")]),
    ("The Badgers had six wins away from Kiln Street Arena .", []),  # their own, though the game was elsewhere
    ("The Badgers had six wins away from Tidewater Hall .", [("Tidewater Hall", "NAME")]),
    ("The Herons won the third quarter 28 - 25 .", [("25", "NUMBER")]),
    ("In the fourth quarter , the Badgers outscored the Herons 30 - 26 .", []),
    ("The Badgers took a six - point lead into halftime .", [("six", "NUMBER")]),
    ("The Badgers led by four heading into the final frame .", []),  # 82-78
    ("The score was 55 - 52 at the break .", [("52", "NUMBER")]),
    ("The Herons came away with a big win .", [("win", "WORD")]),
    ("The Herons dominated the glass .", [("dominated", "WORD")]),
    ("The Badgers had fewer assists than the Herons .", [("fewer", "WORD")]),  # 25 and 22
    ("Conrad Vale and Stellan Rask carried the load . The latter had 20 points .", [("20", "NUMBER")]),
    ("Conrad Vale was strong . The forward finished with 22 points .", [("22", "NUMBER")]),
    ("Stellan Rask was the second - leading scorer for the Badgers with 18 points .", []),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[text for text, _ in WRONG])
def test_wrong_words_are_marked_with_their_category(text: str, expected: list[tuple[str, str]]) -> None:
    assert marked(text) == expected


def test_another_players_line_is_one_wrong_name_and_not_many_wrong_numbers() -> None:
    # 14 points, 8 rebounds, 1 assist and 6-10 shooting are Lind's figures.
    text = "Kwame Adjei had 14 points , eight rebounds and an assist on 6 - of - 10 shooting ."
    (mistake,) = mistakes(text)
    assert (mistake.label, mistake.correction) == ("NAME", "Soren Lind")
    assert "Soren Lind" in mistake.comment


def test_every_mistake_says_what_is_right_and_why() -> None:
    (mistake,) = mistakes("Stellan Rask had 18 points and five assists .")
    assert mistake.correction == "eight"
    assert mistake.comment == "Stellan Rask had 8 assists"


AWAY = [("Saltmarsh", "NAME"), ("Sunday", "NAME")]
SEASON = [
    # Badgers: won 5, 9 and 12 November; next home against the Pilots on Friday the 14th.
    ("The Badgers have now won three straight games .", []),
    ("The Badgers have now won two straight games .", [("two", "NUMBER")]),
    ("The Herons have won three of their last three games .", [("won", "WORD")]),
    ("The Herons have won four of their last six games .", [("won four of their last six", "NOT_CHECKABLE")]),
    ("It was the second straight win for the Badgers .", [("second", "NUMBER")]),
    ("The loss was the third in a row for the Herons .", []),
    ("The Badgers extended their winning streak to four games .", [("four", "NUMBER")]),
    ("The Herons have gone 1 - 2 over their last three games .", [("1", "NUMBER"), ("2", "NUMBER")]),  # 0-3
    ("The Badgers head home to face the Pilots on Friday .", []),
    ("The Badgers head to Saltmarsh to face the Pilots on Sunday .", AWAY),
    ("The Badgers head to Copperdale to face the Foxes on Saturday .", [("Badgers", "NAME")]),  # the Herons do
    ("The Herons ' next game will be at home against the Foxes on Saturday .", [("home", "WORD")]),
    ("Conrad Vale has combined for 40 points and 20 rebounds over his last two games .", [("20", "NUMBER")]),
    ("It was his second double - double in a row for Conrad Vale .", []),
    ("The Herons were coming off a win over the Pilots .", [("win", "WORD"), ("Pilots", "NAME")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SEASON, ids=[text for text, _ in SEASON])
def test_the_season_tells_of_other_games(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert marked(text, season(tmp_path)) == expected


LEADS = [
    ("The Badgers led by as many as 20 points .", [("20", "NUMBER")]),
    ("The Badgers led by as many as 17 points .", []),
    ("The Badgers were up by 12 at one point .", []),
    ("The Badgers were up by 18 at one point .", [("18", "NUMBER")]),
    ("The Herons led by as many as 20 points .", []),  # a lead that the table does not tell
]


@pytest.mark.parametrize(("text", "expected"), LEADS, ids=[text for text, _ in LEADS])
def test_the_largest_lead_is_looked_up_where_the_tables_tell_it(
    text: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    tables = season(tmp_path)
    rows = "team_name,game_date,largest_lead\nBadgers,2025-11-12,17.0\nHerons,2025-11-12,\n"
    (tmp_path / "teams.csv").write_text(rows, encoding="utf-8")
    assert marked(text, Season(tables.folder)) == expected


def test_at_a_neutral_place_nobody_is_at_home(tmp_path: Path) -> None:
    text = "The visiting Herons lost at Kiln Street Arena ."
    assert marked(text, season(tmp_path)) == [("visiting", "WORD"), ("Kiln Street Arena", "NAME")]
    first, *games = SCHEDULE.splitlines()
    neutral = [f"{first},neutral_site", *(f"{game},{'2025-11-12' in game}" for game in games)]
    (tmp_path / "schedule.csv").write_text("\n".join(neutral), encoding="utf-8")
    assert marked(text, Season(tmp_path)) == []


def test_without_a_season_other_games_stay_unknown() -> None:
    assert marked("The Badgers head to Copperdale to face the Foxes on Saturday .") == []


def test_tokens_joined_by_hyphens_are_read_as_their_words() -> None:
    assert marked("Stellan Rask had a double-double on 7-of-16 shooting .") == [
        ("double-double", "WORD"),
        ("7-of-16", "NUMBER"),
    ]


def test_a_player_who_did_not_play_has_nothing_to_his_name() -> None:
    assert marked("Hugo Pember had four points .") == [("four", "NUMBER")]


def test_statistics_that_the_data_lack_are_not_judged() -> None:
    line = {"TEAM-NAME": "Herons", "TEAM-PTS_QTR3": "N/A"}
    assert marked("The Badgers outscored the Herons 40 - 12 in the third quarter .", home_line=line) == []


PHRASES = (
    "the Badgers Herons Thornwick Conrad Vale Rask Wenlock led by 24 points rebounds ( ) - , . while as he they next "
    "double three of shooting percent on Friday at Tidewater Hall in quarter first second half outscored home road "
    "will host defeated only other starter figures won lost their last games season high"
)
WORDS = st.sampled_from(PHRASES.split())


@given(st.lists(WORDS, max_size=60))
def test_any_words_are_read_without_failing_and_mistakes_never_overlap(words: list[str]) -> None:
    text = spaced_text("T1", " ".join(words))
    found = BoxScoreChecker(LEAGUE).check(text, game()).mistakes if words else ()
    taken = [position for mistake in found for position in mistake.span.positions()]
    assert len(taken) == len(set(taken))
    assert all(position < len(words) for position in taken)
    assert taken == sorted(taken)


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("Conrad Vale had 24 points and nine rebounds , while ", "11"),
        ("Kwame Adjei had 14 points , eight rebounds and an assist on 6 - of - 10 shooting , and ", "Soren Lind"),
    ],
)
def test_a_sentence_twice_as_long_takes_twice_the_steps(words: str, right: str) -> None:
    """However long it is: steps are calls of functions, which are the same on every machine."""

    def steps(times: int) -> int:
        text = spaced_text("T1", words * times)
        profile = cProfile.Profile()
        found = profile.runcall(BoxScoreChecker(LEAGUE).check, text, game()).mistakes
        assert {mistake.correction for mistake in found} == {right}
        return sum(one.callcount for one in profile.getstats())

    steps(1)  # what is read only once
    assert steps(120) / steps(60) < 2.2
