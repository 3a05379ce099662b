"""Judges of what is said about players: counts, shooting, roles, double-doubles, ranks and highs."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, contradicted, supported, unknown
from goldmark_boxscore.games import Player, Side
from goldmark_boxscore.judging import Court, judges

A_TEAMS_POINTS = 65  # hardly any team of these years ended with fewer
A_PLAYERS_SHARE = 0.4  # of what his team had; less than this of a team's figure is some player's whom nobody named
OF_TEAMS = {"points", "rebounds", "assists", "fgm", "fga"}  # figures of which teams have many
A_MINUTE = 1  # tables round minutes up or down
DOUBLE = 2  # statistics of ten or more in a double-double
SHOTS = {"fg": ("fgm", "fga"), "tp": ("tpm", "tpa"), "ft": ("ftm", "fta")}
# "10 of its 14 three-pointers" and "10 of its 14 three-point attempts" speak of the same shots.
OF_SHOTS = {stat: kind for kind, stats in SHOTS.items() for stat in stats}


def shot_kind(claim: Claim) -> str:
    """Which shots a claim of made and tried ones is about."""
    shot = claim.part("shot")
    if shot is not None:
        return OF_SHOTS.get(shot.unit.stat, shot.unit.stat)
    return "tp" if claim.part("deep") else "ft" if claim.part("stripe") else "fg"


def says_which(claim: Claim) -> bool:
    """Do the words say what shots are meant?"""
    return any(claim.part(role) for role in ("shot", "deep", "stripe", "field"))


def in_words(value: float, like: str) -> str:
    """A corrected number in the manner of the words it replaces."""
    small = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    whole = round(value)
    return small[whole] if not like[:1].isdigit() and 0 <= whole <= 10 else str(whole)


def number_fault(part: Part, truth: float, who: str, what: str) -> Fault:
    return Fault(part.span, "NUMBER", in_words(truth, part.text), f"{who} had {round(truth)} {what}")


@judges("count", "giveaways", "bare-points")
def count(claim: Claim, court: Court) -> Judgement:
    """A number of something; of turnovers or points where only the verb says of what."""
    value, named = claim.parts["value"], claim.part("stat")
    stat = named.unit.stat if named else "points" if claim.kind == "bare-points" else "turnovers"
    if claim.subject.several:
        return _of_several(claim, value, stat)
    holder: Player | Side | None = claim.subject.player or court.game.side(claim.subject.team)
    if holder is None or (stat == "minutes" and claim.subject.player is None):
        return unknown(claim, "it is not clear who is meant")
    if claim.kind == "bare-points" and claim.subject.player is None and value.number < A_TEAMS_POINTS:
        return unknown(claim, "too few to be all that a team scored")
    truth = holder.value(stat)
    if truth is None:
        return unknown(claim, f"no {stat} of {holder.name} in the data")
    if truth == value.number or (stat == "minutes" and abs(truth - value.number) <= A_MINUTE):
        return supported(claim, f"{holder.name} had {truth} {stat}", (holder.name, stat, str(truth)))
    if _of_somebody(claim, holder, stat, value.number):
        return unknown(claim, "too few for a team; some player may be meant")
    return contradicted(claim, number_fault(value, truth, holder.name, stat))


def _of_somebody(claim: Claim, holder: Player | Side, stat: str, said: float) -> bool:
    """ "By adding 12 rebounds, the veteran ...": of a team that the sentence does not name, and too few for one."""
    named = isinstance(holder, Player) or claim.subject.mention is not None or stat not in OF_TEAMS
    truth = None if named else holder.value(stat)
    return truth is not None and said < A_PLAYERS_SHARE * truth


def _of_several(claim: Claim, value: Part, stat: str) -> Judgement:
    """Said of two players together: true of both, of either, or of their sum."""
    truths = [player.value(stat) for player in claim.subject.several]
    known = [truth for truth in truths if truth is not None]
    if not known or value.number in known or value.number == sum(known):
        return supported(claim, f"{stat}: {known}")
    player = claim.subject.several[-1]
    return contradicted(claim, number_fault(value, known[-1], player.name, stat))


@judges("each-of-two")
def each_of_two(claim: Claim, court: Court) -> Judgement:
    """ "X and Y had 20 and 14 points": the first number is the first one's."""
    stat, faults = claim.parts["stat"].unit.stat, []
    for who, role in (("first", "a"), ("second", "b")):
        player, value = claim.parts[who].player, claim.parts[role]
        truth = player.value(stat) if player else None
        if player is not None and truth is not None and truth != value.number:
            faults.append(number_fault(value, truth, player.name, stat))
    return contradicted(claim, *faults) if faults else supported(claim)


@judges("matching")
def matching(claim: Claim, court: Court) -> Judgement:
    """ "Matching 15-point efforts" of two: both had as many."""
    stat, value = claim.parts["stat"].unit.stat, claim.parts["value"]
    for role in ("first", "second"):
        player = claim.parts[role].player
        truth = player.value(stat) if player else None
        if player is not None and truth is not None and truth != value.number:
            return contradicted(claim, number_fault(value, truth, player.name, stat))
    return supported(claim)


@judges("equalled")
def equalled(claim: Claim, court: Court) -> Judgement:
    """ "X matched Y's point total": nobody matches himself."""
    first, second = claim.parts["first"].player, claim.parts["second"].player
    if first is None or second is None:
        return unknown(claim, "one of them is not in the box score")
    if first == second:
        return contradicted(claim, Fault(claim.parts["second"].span, "NAME", "", f"{first.name} is named twice"))
    if first.value("points") == second.value("points"):
        return supported(claim)
    comment = f"{first.last_name} had {first.value('points')} points, {second.last_name} {second.value('points')}"
    return contradicted(claim, Fault(claim.parts["verb"].span, "WORD", "", comment))


@judges("made-and-tried")
def made_and_tried(claim: Claim, court: Court) -> Judgement:
    kind = shot_kind(claim)
    if kind not in SHOTS:
        return unknown(claim)
    holder: Player | Side | None = claim.subject.player or court.game.side(claim.subject.team)
    if holder is None:
        return unknown(claim, "it is not clear who is meant")
    if not says_which(claim):
        # "The Suns hit 24-of-32 as well": shots of the kind that was told of before
        said = tuple(claim.parts[role].number for role in ("made", "tried"))
        kind = next((other for other in SHOTS if said == tuple(map(holder.value, SHOTS[other]))), kind)
    faults = []
    for role, stat, what in zip(("made", "tried"), SHOTS[kind], ("made", "attempted"), strict=True):
        truth = holder.value(stat)
        if truth is None:
            return unknown(claim, f"no {stat} of {holder.name}")
        if _of_somebody(claim, holder, stat, claim.parts[role].number):
            return unknown(claim, "too few for a team; some player may be meant")
        if truth != claim.parts[role].number:
            name = {"fg": "field goals", "tp": "three-pointers", "ft": "free throws"}[kind]
            faults.append(
                Fault(
                    claim.parts[role].span,
                    "NUMBER",
                    in_words(truth, claim.parts[role].text),
                    f"{holder.name} {what} {round(truth)} {name}",
                )
            )
    if faults:
        return contradicted(claim, *faults)
    text = f"{claim.parts['made'].text}-{claim.parts['tried'].text}"
    return supported(claim, f"{holder.name} {kind} {text}", (holder.name, kind, text))


@judges("double-double")
def double_double(claim: Claim, court: Court) -> Judgement:
    player, words = claim.subject.player, claim.parts["words"]
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    number = claim.part("row") or claim.part("of_season") or claim.part("of_some")
    if number is not None:
        return _numbered_double_double(claim, court, player, number)
    needed = DOUBLE + words.text.startswith("triple")
    if player.in_double_figures > needed:
        comment = f"{player.name} reached ten in {player.in_double_figures} statistics"
        return contradicted(claim, Fault(words.span, "WORD", "triple-double", comment))
    if player.in_double_figures == needed:
        return supported(claim, f"{player.name} reached ten in {player.in_double_figures} statistics")
    fault = Fault(words.span, "WORD", "", f"{player.name} did not have a {words.text.replace(' ', '')}")
    return contradicted(claim, fault)


def _numbered_double_double(claim: Claim, court: Court, player: Player, number: Part) -> Judgement:
    """ "His second double-double in a row" or "of the season": how many, this game's included."""
    if player.in_double_figures < DOUBLE:
        # Annotators mark either the ordinal or the double-double; the whole phrase holds both.
        return contradicted(claim, Fault(claim.span, "WORD", "", f"{player.name} did not have a double-double"))
    games = court.season.player_games(player.name, court.game.day) if court.season else []
    had = [game.in_double_figures >= DOUBLE for game in games]
    in_a_row = had.index(False) if False in had else len(had)
    truth = in_a_row if claim.part("row") else sum(had) if claim.part("of_season") else 0
    if truth in (0, court.words.ordinals[number.text.lower()]):
        return supported(claim) if truth else unknown(claim, "it is not said of how many games, or there are none")
    right = next((word for word, value in court.words.ordinals.items() if value == truth), str(truth))
    what = "in a row" if claim.part("row") else "of the season"
    return contradicted(claim, Fault(number.span, "NUMBER", right, f"it was his {right} {what}"))


@judges("bench-role")
def bench_role(claim: Claim, court: Court) -> Judgement:
    player, words = claim.subject.player, claim.parts["words"]
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    if not player.starter:
        return supported(claim, f"{player.name} came off the bench")
    return contradicted(claim, Fault(words.span, "WORD", "", f"{player.name} was a starter"))


@judges("starter-role")
def starter_role(claim: Claim, court: Court) -> Judgement:
    player, words = claim.subject.player, claim.parts["words"]
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    if player.starter:
        return supported(claim, f"{player.name} started")
    return contradicted(claim, Fault(words.span, "WORD", "", f"{player.name} came off the bench"))


@judges("leader")
def leader(claim: Claim, court: Court) -> Judgement:
    """The best scorer of the team; of its bench or of its starters if the claim says so."""
    player, verb, scope = claim.parts["player"].player, claim.parts["verb"], claim.part("scope")
    if player is None:
        return unknown(claim, "the player is not in the box score")
    side = court.side_of(player)
    faults = []
    among = True if scope is not None and scope.text.startswith("start") else None
    reserves = (
        scope is not None and scope.team is None and scope.text.split()[0] in {"bench", "second", "reserves", "reserve"}
    )
    team = claim.part("team") or (scope if scope is not None and scope.team else None)
    if reserves and scope is not None:
        if player.starter:  # whom he led is what is wrong, not that he led
            return contradicted(claim, Fault(scope.span, "WORD", "starters", f"{player.name} was a starter"))
        among = False
    partner = claim.part("partner")
    if partner is not None and partner.text == claim.parts["player"].text:
        faults.append(Fault(partner.span, "NAME", "", f"{player.name} is named twice"))
    if team is not None and team.team != player.team and court.game.side(team.team):
        comment = f"{player.name} played for the {side.name}"
        mixed = partner is not None and partner.player is not None and partner.player.team == team.team
        wrong = claim.parts["player"] if mixed else team
        faults.append(Fault(wrong.span, "CONTEXT" if mixed else "NAME", side.name, comment))
    if partner is not None:
        why = "a pair is not compared with the rest"
        return contradicted(claim, *faults) if faults else supported(claim, why)
    said = claim.part("stat")
    stat = "points" if said is None else said.unit.stat if said.unit.kind == "stat" else "rebounds"
    best = side.ranked(stat, starters=among)
    if best and (player.value(stat) or 0) < (best[0].value(stat) or 0):
        top = best[0]
        faults.append(
            Fault(verb.span, "WORD", "", f"{top.last_name} led with {top.value(stat)}, not {player.last_name}")
        )
    return contradicted(claim, *faults) if faults else supported(claim, f"{player.name} led {side.name}")


@judges("high")
def high(claim: Claim, court: Court) -> Judgement:
    player, words = claim.subject.player, claim.parts["high"]
    stat = claim.parts["stat"].unit.stat if claim.part("stat") else "points"
    if player is None and words.text.startswith("season") and claim.part("stat") and stat == "points":
        return _team_season_high(claim, court)
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    side = court.side_of(player)
    scope = words.text.split()[0].lower()
    if scope not in {"season", "career", "team", "bench"}:
        scope = "game"
    if scope in {"season", "career"}:
        return _season_high(claim, court, player, stat)
    ranked = {
        "game": [*side.ranked(stat), *court.game.other(side).ranked(stat)],
        "team": side.ranked(stat),
        "bench": side.ranked(stat, starters=False),
    }[scope]
    truth = player.value(stat) or 0
    better = [other for other in ranked if (other.value(stat) or 0) > truth]
    if scope == "bench" and player.starter:
        return contradicted(claim, Fault(words.span, "WORD", "", f"{player.name} was a starter"))
    if not better:
        return supported(claim, f"{player.name} had the {scope}'s most {stat}")
    top = max(better, key=lambda other: other.value(stat) or 0)
    fault = Fault(words.span, "WORD", "", f"{top.name} had {top.value(stat)} {stat}")
    return contradicted(claim, fault)


def _season_high(claim: Claim, court: Court, player: Player, stat: str) -> Judgement:
    games = court.season.player_games(player.name, court.game.day) if court.season else []
    if not games:
        return unknown(claim, "no season to compare with")
    best = max(games, key=lambda game: game.stats.get(stat, 0))
    if best.stats.get(stat, 0) <= (player.value(stat) or 0):
        return supported(claim, f"no game of the season had more {stat}")
    comment = f"{player.name} had {best.stats[stat]} {stat} on {best.day:%-d %B}"
    return contradicted(claim, Fault(claim.parts["high"].span, "WORD", "", comment))


def _team_season_high(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team)
    points = side.value("points") if side else None
    if court.season is None or side is None or points is None:
        return unknown(claim, "no season to compare with")
    best = max((game.points_of(side.name) for game in court.season.last_games(side.name, court.game.day)), default=0)
    if best <= points:
        return supported(claim)
    comment = f"the {side.name} scored {best} in an earlier game"
    return contradicted(claim, Fault(claim.parts["high"].span, "WORD", "", comment))


@judges("next-scorer")
def next_scorer(claim: Claim, court: Court) -> Judgement:
    """Next in the team's scoring: nobody left unmentioned scored more."""
    player, verb = claim.parts["player"].player, claim.parts["verb"]
    if player is None or player.team != claim.story:
        return unknown(claim, "the story is not his team's")
    last = court.last
    if "behind" in verb.text and last is not None and last.team == player.team:
        ahead_of = (player.value("points") or 0, last.value("points") or 0)
        if ahead_of[0] > ahead_of[1]:
            comment = f"{player.last_name} had {ahead_of[0]} points, {last.last_name} {ahead_of[1]}"
            return contradicted(claim, Fault(verb.span, "WORD", "", comment))
    if player in court.mentioned:
        return unknown(claim, f"{player.name} was mentioned before")
    truth = player.value("points") or 0
    ahead = [
        other
        for other in court.side_of(player).ranked()
        if (other.value("points") or 0) > truth and other not in court.mentioned
    ]
    if not ahead:
        return supported(claim, f"nobody unmentioned outscored {player.name}")
    comment = f"{ahead[0].last_name} had {ahead[0].value('points')} points, {player.last_name} {truth}"
    return contradicted(claim, Fault(verb.span, "WORD", "", comment))


@judges("rank")
def rank(claim: Claim, court: Court) -> Judgement:
    player, part = claim.parts["player"].player, claim.parts["rank"]
    if player is None:
        return unknown(claim, "the player is not in the box score")
    said = court.words.ordinals[part.text.lower()]
    scores = [other.value("points") or 0 for other in court.side_of(player).ranked()]
    mine = player.value("points") or 0
    best, worst = sum(score > mine for score in scores) + 1, sum(score >= mine for score in scores)
    if best <= said <= max(worst, best):
        return supported(claim, f"{player.name} was number {best} in scoring")
    right = next(word for word, number in court.words.ordinals.items() if number == min(best, 12))
    return contradicted(claim, Fault(part.span, "NUMBER", right, f"{player.name} was {right} in scoring"))


@judges("in-double-figures")
def in_double_figures(claim: Claim, court: Court) -> Judgement:
    player, ten = claim.parts["player"].player, claim.parts["ten"]
    if player is None or player.in_double_figures:
        return supported(claim) if player else unknown(claim, "the player is not in the box score")
    return contradicted(claim, Fault(ten.span, "WORD", "", f"{player.name} did not reach double figures"))


@judges("one-of-them")
def one_of_them(claim: Claim, court: Court) -> Judgement:
    """ "Six players in double figures, including X"."""
    player = claim.parts["player"].player
    if player is None or (player.value("points") or 0) >= 10:
        return supported(claim) if player else unknown(claim, "the player is not in the box score")
    comment = f"{player.name} scored {player.value('points')}"
    return contradicted(claim, Fault(claim.parts["player"].span, "NAME", "", comment))


@judges("only-other")
def only_other(claim: Claim, court: Court) -> Judgement:
    player, only, ten = claim.parts["player"].player, claim.parts["only"], claim.parts["ten"]
    who, team = claim.part("who"), claim.part("team")
    if player is None:
        return unknown(claim, "the player is not in the box score")
    side = court.side_of(player)
    partner = claim.part("partner")
    named = [player, *([partner.player] if partner is not None and partner.player is not None else [])]
    faults = []
    starters = None
    if who is not None and who.text.removesuffix("s") in {"starter", "reserve", "bench player"}:
        starters = who.text.startswith("starter")
        if player.starter != starters:
            faults.append(
                Fault(who.span, "WORD", "", f"{player.name} {'started' if player.starter else 'came off the bench'}")
            )
    if team is not None and team.team != side.name and court.game.side(team.team):
        faults.append(Fault(claim.parts["player"].span, "CONTEXT", "", f"{player.name} played for the {side.name}"))
    below = next((one for one in named if (one.value("points") or 0) < 10 and one.in_double_figures == 0), None)
    if below is not None:
        faults.append(Fault(ten.span, "WORD", "", f"{below.name} did not reach double figures"))
    else:
        others = [
            other
            for other in side.ranked(starters=starters)
            if (other.value("points") or 0) >= 10 and other not in named and other not in court.mentioned
        ]
        if others:
            names = ", ".join(other.last_name for other in others)
            faults.append(Fault(only.span, "WORD", "", f"{names} also reached double figures"))
    return contradicted(claim, *faults) if faults else supported(claim, "nobody else reached double figures")
