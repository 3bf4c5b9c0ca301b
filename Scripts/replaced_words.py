"""Words that were replaced on purpose in what people read, for Scripts/compare-outputs: in text, Markdown, HTML and messages,
never in JSON, CSV or exports. Only where such a word is, line breaks, spaces and rulers may differ: they move with it."""

import html
import os
import re

# Old words, new words; {} is the same few words in both. An entry that nothing needs is named at the end of a run.
REPLACED = [
    # The report: its head and its first section.
    ("(answers without a screen, in no rate)", "(answers without a screen, not in any rate)"),
    ("No event lies at or before as_of: nothing to report from that moment.",
     "There are no events at or before as_of: nothing to report."),
    ("Significant against ", "Significant change from "),
    ("skip deny drop median", "skip deny none median"),
    ("skip | deny | drop | median", "skip | deny | none | median"),
    (">drop-off</th>", ">no answer</th>"),
    ("Pending (within {}, in no rate yet)", "Pending (shown less than {} ago, not yet in any rate)"),
    ("Restricted (had no say, in no rate)", "Restricted (the user had no choice; not in any rate)"),
    ("Grant rate: granted of the base (exposed less pending and restricted)",
     "Grant rate (opt-in rate): granted, as a share of the base (exposed minus pending and restricted)"),
    ("percentage points against the week before", "percentage points from the week before"),
    ("Skip, deny, drop-off (no answer): percent", "Skip, deny, none (no answer): percent"),
    ("Skip, deny, drop-off (no answer): shares", "Skip, deny, no answer: shares"),
    ("each line on a scale of its own, of at least", "each line has its own scale of at least"),
    ("Rates, steps, times and returns follow when the first of them is decided",
     "Rates, steps, times and later opt-ins follow when the first outcome is known"),
    # The report's other sections.
    ("granted by whatever path, also later in Settings", "granted in any way, including later in Settings"),
    ("granted of granted and denied; an explanation that turns the unwilling away",
     "granted out of granted and denied; a primer (pre-permission prompt) that turns reluctant users away"),
    ("provisional and the like", "provisional and similar"),
    ("What followed the app's own screen, where a journey begins with one.",
     "What happened after the app's own explanation screen (the primer), in journeys that begin with one."),
    ("Dropped: neither.", "No answer: none of these."),
    ("continued skipped answered dropped", "continued skipped answered no answer"),
    ("granted denied skipped dropped", "granted denied skipped no answer"),
    ("skipped | answered | dropped |", "skipped | answered | no answer |"),
    ("denied | skipped | dropped |", "denied | skipped | no answer |"),
    (">dropped</th>", ">no answer</th>"),
    ("What became of those who saw the system's dialog, explained before or not.",
     "What users who saw the system's prompt did, with or without an explanation before it."),
    ("Who did not grant, and enabled it later.",
     "Later opt-in: users who did not grant and enabled the permission later."),
    ("still followed at the last of", "still followed on the last of"),
    ("dropped off", "no answer"),
    ("of those seen that long. After and other: enablings per", "of those followed that long. After and other: enabled per"),
    ("in all other time of the denied; ratio: of the two.",
     "in all other time after the denial; ratio: the first over the second."),
    ("Of grants followed for {}: revoked again in that time. Upgraded: of the partial ones among them",
     "Revoked: of grants followed for {}, those revoked in that time. Upgraded: of the partial grants among them"),
    ("of users seen that long", "of users followed that long"),
    ("granted less all others", "granted minus all others"),
    ("granting is not shown to be the reason", "this does not show that granting is the reason"),
    ("skipped n dropped n", "skipped n none n"),
    ("skipped | n | dropped | n", "skipped | n | none | n"),
    ("whatever their week of exposure: where each permission stands by",
     "whenever they were exposed: the state of each permission by"),
    ("as fresh as the app's last look", "as fresh as the app's last check"),
    ("a plain count, copies left out", "a plain count without copies"),
    ("exposed less pending (still within {}) and restricted. Change: points against the week",
     "exposed minus pending (shown less than {} ago) and restricted. Change: points from the week"),
    # The report's page.
    ("What is not known is shown as a dash, never as 0.", "A dash is a number that is not known, never 0."),
    ("Drawn are the {} with the most exposures of", "The charts are of the {} with the most exposures, of"),
    ("left at the explanation, no answer", "no answer at the explanation"),
    ("left at the prompt, no answer", "no answer at the prompt"),
    # Comparisons and plans.
    ("Mind: ", "Note: "),
    ("denied skipped left", "denied skipped none"),
    ("denied | skipped | left", "denied | skipped | none"),
    (">left</th>", ">no answer</th>"),
    ("A second lens", "A second view"),
    ("Miettinen-Nurminen, one look)", "Miettinen-Nurminen, fixed horizon)"),
    ("two-sided, one look)", "two-sided, fixed horizon: for one look)"),
    (", O'Brien-Fleming. ", ", group-sequential (O'Brien-Fleming). "),
    (" ({}), policy ", " with multiple exposures ({}), policy "),
    ("points, left out {}; as frequent after", "points, excluded {}; equally frequent after"),
    ("nobody to look at", "no users"),
    ("the sign turns, by little", "the sign changes, by little"),
    ("not told: ", "unknown: "),
    ("By which way the difference came about. For one look; p", "How the difference came about. For one look (fixed horizon); p"),
    ("unadjusted. Enabled later: Kaplan", "unadjusted. Later opt-in: Kaplan"),
    ("there is nothing to tell apart", "there is nothing to compare"),
    ("Shaded across: ", "Shaded: "),
    ("No interval stands where the sequence still refuses one.",
     "Days on which the sequence still refuses an interval have none."),
    ("filled where the bound", "filled if the bound"),
    ("add them to the days", "add these to the days"),
]
# Of the sentences that JSON holds too: `reasons` and `cautions` of a comparison.
SENTENCES = [("those behind the last look are left out of it", "those after the last look are left out of it")]

RULER = re.compile(r"[─-]{2,}")
CUT = re.compile(r"\S*(?:…|\.\.\.)(?=\s)")


def _pattern(old):
    return re.compile(re.escape(old).replace(r"\{\}", "(.{1,40}?)"))


def _compiled(pairs):
    return [(old, _pattern(old), new.replace("\\", "\\\\").replace("{}", r"\1")) for old, new in pairs]


ALL, IN_JSON = _compiled(SENTENCES + REPLACED), _compiled(SENTENCES)


def _normal(text):
    """Without what moves when words get longer or shorter."""
    text = html.unescape(text).replace("\u00a0", " ").replace("–", "-").replace("−", "-")
    return RULER.sub("", " ".join(text.split())) + " "


def _replace(text, entries, used):
    for old, pattern, new in entries:
        text, count = pattern.subn(new, text)
        if count:
            used[f"replaced {old}"] += count
    return text


def _same_block(one, other, used):
    if one == other:
        return True
    one, other = _normal(one), _normal(other)
    changed = _replace(one, ALL, used)
    if changed == one:
        return False
    # Names are cut earlier or later if their column has less room or more.
    return changed == other or CUT.sub("", changed) == CUT.sub("", other)


def _whole_tables(blocks):
    """The blocks of a text, the bands of tables that are wider than the page put side by side."""
    whole = []
    for block in blocks:
        above, below = whole[-1].splitlines() if whole else [], block.splitlines()
        if len(above) > 1 and [line.split()[:1] for line in above[1:]] == [line.split()[:1] for line in below[1:len(above)]]:
            names = min(len(os.path.commonprefix(pair)) for pair in zip(above, below) if pair[0] != pair[1])
            rows = [a if a == b else f"{a} {b[names:]}" for a, b in zip(above, below)]
            whole[-1] = "\n".join(rows + below[len(above):])
        else:
            whole.append(block)
    return whole


def is_prose(words):
    """True if a command's result is for people."""
    if words[0] not in ("report", "compare", "plan"):
        return False
    return "--format" not in words or words[words.index("--format") + 1] in ("text", "markdown", "html")


def same(words, stream, one, other, used):
    """True if two outputs are the same but for replaced words; counts in `used` how often each was needed."""
    try:
        one, other = one.decode(), other.decode()
    except UnicodeDecodeError:
        return False
    if stream != "stderr" and not is_prose(words):
        return words[0] == "compare" and _replace(one, IN_JSON, used) == other
    separator = "\n" if "<html" in one else "\n\n"
    old, new = one.split(separator), other.split(separator)
    if len(old) != len(new):
        # A shorter word made room for one more column.
        old, new = _whole_tables(old), _whole_tables(new)
    return len(old) == len(new) and all(_same_block(a, b, used) for a, b in zip(old, new))
