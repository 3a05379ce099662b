"""Small numbers as they are spelled."""

# "one" is mostly no number ("one of the best"), so it is left alone.
SPELLED = (
    *("zero", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
SPELLED_VALUES = {word: value for value, word in enumerate(SPELLED) if word}
