// A sentence for each reason of a decision.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  func sentence(_ reason: Reason, _ words: RemedyWords) -> String {
    switch reason {
    case .nobodySaw(let variant, let isExcluded):
      isOfMessages
        ? "No users\(isOfSettings ? " with a denial as first answer" : "") were shown \(variant)\(from ?? to == nil ? "" : " between these dates")\(isExcluded ? ", leaving out those who saw several messages" : "")."
        : "No user's first \(screenNoun) of \(permission) was with \(full(variant))."
    case .notAsPlanned(let observed, let p, let since, let isAssumed):
      "The users \(Self.misfit(isAssumed)), since \(CivilDate(since).text) (\(Sentence.ratio(observed)); p = \(Sentence.pValue(p)), "
        + "valid at every look): assignment or logging is broken."
        + (isAssumed && !hasChangedDivision ? " If the test has another split, declare it\(words(.split))." : "")
    case .nobodyAnswered(let variant, let of):
      "Not one of the \(Sentence.counted(of, "user")) of \(variant) granted, denied or skipped. Does the app log their answers? If not, "
        + "these results are wrong."
    case .divisionChanged(let divisions): sentence(divisions, words)
    case .imbalanceAmong(let property, let imbalance): sentence(imbalance, property)
    case .losesWithin(let property, let value, let difference):
      "With \(value.map { "\(property) \($0)" } ?? "no \(property)") the difference is \(Sentence.points(difference)) points: the values of "
        + "\(property) differ."
    case .contaminated(let share):
      "\(Sentence.percent(share)) of the users saw \(manyMessages) messages; from 10 % on a comparison says nothing."
    case .wasDecided(let isBetterB, let day, let number):
      "\((isBetterB ? b : a).variant) had won on \(CivilDate(day).text) (day \(number)): do not rely on it."

    case .intervalsDisagree(let since, let until):
      "The results by \(CivilDate(since).text) and by \(CivilDate(until).text) contradict each other: their "
        + "always-valid intervals "
        + "have no difference in common. Something changed: the users, the app or a message."
    case .turned(let low, let high):
      "By now the difference is on the other side of zero: \(Sentence.range(low, high)) points, for one look."
    case .signTurns(let difference):
      "Without the users who saw \(manyMessages) messages the difference has the other sign (\(Sentence.points(difference)) points)."
    case .simpsonsParadox(let property, let inAll, let within):
      "Simpson's paradox by \(property): \(Sentence.points(inAll)) points overall, \(Sentence.points(within)) points "
        + "within its values, weighted by their users."
    case .fading(let slope, let p, let recent): sentence(fading: slope, p, recent)
    case .guardrailHarmed(let metric, let margin):
      "The \(guardrail(metric)) is harmed: \(harm(metric, margin))."
    case .loserHarmsGuardrail(let metric, let margin):
      "\(b.variant) also harms the \(guardrail(metric)): \(harm(metric, margin)). One more reason for \(a.variant)."
    case .recordDiffers(let difference): sentence(difference)

    case .crossed(let crossed): sentence(crossed)
    case .since(let day, let estimate): sentence(since: day, estimate)
    case .differsByLess(let effect, let day):
      "The \(armNoun)s differ, and by less than \(Sentence.size(effect)): the days up to \(CivilDate(day).text) exclude any larger difference."
    case .withinEffect(let low, let high, let effect, let day):
      "By the end of \(CivilDate(day).text) the equivalence interval (two one-sided always-valid bounds, 95 % each) was "
        + "\(Sentence.range(low, high)) points: all of it within ± \(Sentence.size(effect)), the smallest effect that matters."
    case .guardrailNotSafe(let metric, let margin, let state):
      "\(isAutomatic(metric) ? "Automatic guardrail" : "Guardrail"): \(noun(metric)) is "
        + (state == .worse ? "worse, within its margin " : "not yet shown to be safe ")
        + "(margin \(Sentence.size(margin)))."
    case .guardrailUnknown(let metric, let evidence):
      "Guardrail: \(noun(metric)) is unknown, because \(evidence.sentence)."

    case .fewDays(let have, let need, let earliest):
      "Exposures cover \(Sentence.counted(have, "day")) so far; a decision needs \(need), including a weekend. "
        + "The earliest is the end of \(CivilDate(earliest).text), if exposures go on."
    case .pending(let share, let most, let until):
      "\(Sentence.percent(share)) of the journeys are pending; a decision allows at most \(fixed(most * 100, 0)) %. "
        + "The journeys pending now are decided by \(NumberText.moment(until, zone))."

    case .noLook:
      "No look yet. The first look needs seven days of exposures and at least 20 users of both \(armNoun)s "
        + "whose outcome is known."
    case .fewEvents(let expected, let need):
      "There are too few events for a look: \(fixed(expected, 1)) are expected in the smaller \(isOfMessages ? "message" : "group"), and \(fixed(need, 0)) are needed."
    case .refused(let refusal): refusal.sentence(armNoun)
    case .notCrossed(let headline): sentence(headline)
    case .outlook(let outlook): sentence(outlook, words)
    case .notBetterBy(let better, let worse): sentence(notBetterBy: better, worse)
    case .noNewUsers(let last):
      "No new users since \(CivilDate(last).text): \(isOfMessages ? "the test seems to have ended; this is what it can show" : "do not expect more")."
    case .planProgress(let progress): sentence(progress)
    case .firstLookAhead(let declared, let at, let have):
      "The first of \(declared) declared looks comes at \(grouped(at)) users with an outcome; there are \(grouped(have))."
    case .nextLookAhead(let declared, let at):
      "The next of \(declared) declared looks comes at \(grouped(at)) users with an outcome."
    case .looksOver(let declared):
      "All \(declared) declared looks are over and none crossed its bound: \(isOfMessages ? "the plan ends undecided" : "it stays open")."
    }
  }

  private var hasChangedDivision: Bool {
    reasons.contains { if case .divisionChanged = $0 { true } else { false } }
  }

  /// What is wrong with the division of the users.
  private static func misfit(_ isAssumed: Bool) -> String {
    isAssumed ? "do not fit the assumed even split" : "are not divided as planned"
  }

  private func isAutomatic(_ metric: ComparisonMetric) -> Bool {
    guardrails.contains { $0.metric == metric && $0.isAutomatic }
  }

  private func guardrail(_ metric: ComparisonMetric) -> String {
    isAutomatic(metric) ? "automatic guardrail" : "guardrail"
  }

  private func harm(_ metric: ComparisonMetric, _ margin: Double) -> String {
    "\(noun(metric)) \(metric.isGoodWhenHigh ? "falls" : "rises") by more than \(Sentence.size(margin))"
  }

  private func sentence(_ progress: Needed.Progress) -> String {
    let (users, planned) = (grouped(progress.users), grouped(progress.planned))
    if progress.users >= progress.planned { return "\(users) users have an outcome; the plan is for \(planned)." }
    return "\(users) of \(planned) users planned"
      // One deadline: that of the outlook is of the rule, and not of the planned number.
      + (needed.outlook?.daysForEffect == nil
        ? progress.until.map { ", until about \(CivilDate($0).text)." } ?? "." : ".")
  }

  private func sentence(_ difference: RecordDifference) -> String {
    func words(_ verdict: RecordDifference.Verdict?) -> String {
      guard let verdict else { return "nothing decided" }
      let what =
        verdict.isHigher.map { "\((($0 == metric.isGoodWhenHigh) ? b : a).variant) won" } ?? "no difference"
      return "\(what) on \(CivilDate(verdict.day).text)"
    }
    return
      "By the recorded looks: \(words(difference.recorded)). By the log as it is now: \(words(difference.fromLog)). "
      + "Events of days already looked at were added or removed; the record remains valid."
  }

  private func sentence(_ crossed: Crossed) -> String {
    let value = "At the end of that day the difference was \(Sentence.points(crossed.estimate.value)) points"
    let p = "\(ComparisonWords.pName(self)) = \(Sentence.pValue(crossed.pValue))"
    // No value of a property is better: nobody chooses it.
    let direction = metric.isGoodWhenHigh ? "higher is better" : "lower is better"
    let end = isOfMessages ? "; for \(noun(metric)) \(direction)." : "."
    if crossed.isExact { return "\(value). The events are few and were tested exactly (\(p))\(end)" }
    let interval = Sentence.range(crossed.estimate.low, crossed.estimate.high)
    return "\(value) (\(intervalName) \(interval), \(p))\(end)"
  }

  private var intervalName: String {
    switch monitoring.rule {
    case .daily: "interval of the daily looks"
    case .looks: "interval of the declared looks"
    case .alwaysValid: "always-valid interval"
    }
  }

  private func sentence(since day: DayNumber, _ estimate: Estimate) -> String {
    let text =
      "By \(CivilDate(day).text) it is \(Sentence.points(estimate.value)) points (\(Sentence.range(estimate.low, estimate.high)))"
    guard !isDecidedExactly, let low = estimate.low, let high = estimate.high, low <= 0, high >= 0 else {
      return text + "."
    }
    return text + ", an interval that includes 0 again"
      + (decision == .review ? "." : isOfMessages ? "; the decision stays." : "; the finding stays.")
  }

  /// What another day costs; nil if that is not known, or not worth a line.
  var priceSentence: String? {
    guard isOfMessages, decision != .invalid, let price = needed.priceOfWaiting, price >= 0.05 else { return nil }
    return
      "Each further day costs about \(ComparisonWords.amount(price)) \(metric.successes) on average, if the rates are as now believed."
  }

  /// When the division changed, from which to which, and how that is said.
  private func sentence(_ divisions: [DivisionChange], _ words: RemedyWords) -> String {
    func text(_ division: DivisionChange) -> String {
      division.parts.map { NumberText.exact(($0 * 10).rounded() / 10) }.joined(separator: ":")
    }
    let parts = divisions.enumerated().map { index, division in
      index == 0 ? text(division) : "\(text(division)) from \(CivilDate(division.from).text)"
    }
    let split = divisions.enumerated().map { index, division in
      index == 0 ? text(division) : "from \(CivilDate(division.from).text) \(text(division))"
    }.joined(separator: "; ")
    return
      "The division changed: \(Sentence.list(parts)). If that was planned, say so: then each period is compared in itself"
      + words(.declareSplit(split)) + "."
  }

  /// What a fading effect has come to, and what that asks of the reader.
  private func sentence(fading slope: Double, _ p: Double, _ recent: Estimate?) -> String {
    let text =
      "The difference fades: it changes by \(Sentence.points(slope)) points a day of exposure, against its sign (p = \(Sentence.pValue(p)))."
    guard let recent else { return text }
    let now =
      " In the last \(Comparison.recentDays) days it was \(Sentence.points(recent.value)) points (\(Sentence.range(recent.low, recent.high)), "
      + "for one look)."
    return text + now
      + (isOfMessages ? " Decide by that, not by the whole: later users see no more of it." : "")
  }

  /// Which users are off the split, if all others are not.
  private func sentence(_ imbalance: Imbalance, _ property: String?) -> String {
    let names = imbalance.values.map { $0 ?? "none" }
    let place =
      property.map { "The imbalance is in \($0) \(Sentence.list(names))" }
      ?? "The imbalance is on \(Sentence.list(names))"
    return
      "\(place) (\(Sentence.ratio(imbalance.among))); all others are divided as expected (\(Sentence.ratio(imbalance.elsewhere)))."
  }

  private func sentence(notBetterBy better: Double?, _ worse: Double?) -> String {
    let ends = [
      better.map { "better by more than \(Sentence.size($0))" },
      worse.map { "worse by more than \(Sentence.size($0))" },
    ]
    return "\(b.variant) is not " + ends.compactMap { $0 }.joined(separator: ", and not ") + "."
  }

  private func sentence(_ headline: Headline) -> String {
    let date = headline.day.map { "At the latest look, the end of \(CivilDate($0).text)," } ?? "So far"
    let value = "\(date) the difference was \(Sentence.points(headline.value)) points; "
    let interval = Sentence.range(headline.low, headline.high)
    let holdsZero = headline.low <= 0 && headline.high >= 0
    if case .events = monitoring.looks.last?.boundary {
      return value + "the events are few, and exact tests have not decided yet (always-valid interval \(interval))."
    }
    return value + "the \(intervalName), \(interval), \(holdsZero ? "still includes 0" : "has not decided yet")."
  }

  func sentence(_ outlook: Needed.Outlook, _ words: RemedyWords) -> String {
    let pace = outlook.usersPerDay
    let users = pace < 9.95 ? fixed(pace, 1) : grouped(Int(min(pace, 1e15).rounded()))
    let time =
      outlook.days == 28 ? "four more weeks" : Sentence.counted(outlook.days, "more day")
    let found =
      outlook.detectable.map { "can find a difference of \(Sentence.size($0, $0 < 0.01 ? 2 : 1)) or more (80 % power)" }
      ?? "cannot find a difference of any size"
    let effect = Sentence.size(outlook.effect)
    if outlook.daysForEffect == 0 {
      return
        "There are already enough users to find \(effect) with 80 % power, and it was not found. At \(users) users a day, "
        + "\(time) \(found)."
    }
    let rest =
      "For \(effect) it takes \(outlook.daysForEffect.map { "about " + ComparisonWords.duration($0) } ?? "more than a year")"
      + (isOfMessages && course == .outOfReach
        ? ": test something bolder, or raise the smallest effect that matters" + words(.smallestEffect) : "")
      + (course == .onCourse && (outlook.daysForEffect ?? .max) > Course.mostDays
        ? "; from day 28 on that is a reason to stop" : "")
      + "."
    return "At \(users) users a day, \(time) \(found). \(rest)"
  }

  // MARK: A sentence for each caution: what should be read with a decision

  func sentence(_ caution: Caution, _ words: RemedyWords) -> String {
    switch caution {
    case .notAssigned: notAssignedSentence
    case .notAsAssumed(let observed, let p, let since):
      "The users \(Self.misfit(true)), since \(CivilDate(since).text) (\(Sentence.ratio(observed)); p = \(Sentence.pValue(p)), valid at "
        + "every look). Declare the split of the test\(words(.split)) to have it checked."
    case .notAsPlanned(let observed, let p, let isAssumed):
      "For one look, the users \(Self.misfit(isAssumed)) (\(Sentence.ratio(observed)), chi-square p = \(Sentence.pValue(p))); the test "
        + "that holds at every look raises no alarm. Look into the assignment."
    case .notAsPlannedOnDays(let day, let others, let observed, let p, let isAssumed):
      "On \(CivilDate(day).text)\(others > 0 ? " and on \(Sentence.counted(others, "other day"))" : "") the users "
        + "\(Self.misfit(isAssumed)), for one look (\(Sentence.ratio(observed)), chi-square p = \(Sentence.pValue(p)) after Holm). Look into the "
        + "assignment of that day."
    case .notAsPlannedAmong(let property, let value, let p, let isAssumed):
      "Among \(value.map { "\(property) \($0)" } ?? "exposures without \(property)") the users \(Self.misfit(isAssumed)) "
        + "(p = \(Sentence.pValue(p))): the messages are compared on different users there."
    case .signTurnsWithin(let property):
      "Within the values of \(property) the difference changes its sign, by at least the smallest effect that matters: "
        + "the total may mislead."
    case .signTurnsWithout(let difference):
      "Without the users who saw \(manyMessages) messages the difference has the other sign (\(Sentence.points(difference)) points)."
    case .answersMissing(let variant, let of):
      "None of the \(Sentence.counted(of, "user")) of \(variant) granted, denied or skipped. Does the app log their "
        + "answers? If not, these results are wrong."
    case .answersAlone:
      "No screens are logged for \(permission): rates count only users who answered."
    case .messagesOfAnswers(let without, let of):
      "Each user's message is that of the answer. \(Sentence.counted(without, "user")) of \(grouped(of)) have no answer with a message and are "
        + "not counted."
    case .notAsked(let a, let b):
      "Calls that returned at once showed no dialog: \(Sentence.counted(a, "user")) of \(self.a.variant) and \(grouped(b)) of \(self.b.variant) "
        + "had decided before, and are left out."
    case .notAskedDiffers(let shareA, let shareB, let p):
      "\(Sentence.percent(shareA)) of the users of \(a.variant) and \(Sentence.percent(shareB)) of \(b.variant) were not asked (p = "
        + "\(Sentence.pValue(p))): the message may decide who is asked, and then different users are compared."
    case .notDenied(let a, let b):
      "\(Sentence.counted(a, "user")) of \(self.a.variant) and \(grouped(b)) of \(self.b.variant) saw a Settings prompt without a "
        + "denial as first answer before it: not counted. Their first answer is another (skipped, granted, restricted), too late, or not in the log."
    case .messageBefore(let users, let of, true):
      "\(grouped(users)) of \(Sentence.counted(of, "user")) saw a message of this test on a screen before they denied. It may decide which users deny, "
        + "and then different users are compared."
    case .messageBefore(let users, let of, false):
      "\(grouped(users)) of \(Sentence.counted(of, "user")) saw a message of the same name on a screen before they denied. If it is of this test, it may "
        + "decide which users deny. Write the experiment on both events, and choose it\(words(.chooseExperiment))."
    case .firstWithoutMessage(let users):
      "\(Sentence.counted(users, "user")) saw a Settings prompt without a message first, and a message later: not counted."
        + (experiment == nil
          ? " If other prompts name no experiment, choose that of the messages\(words(.chooseExperiment))." : "")
    case .askedBeforeAssigned(let users):
      "\(Sentence.counted(users, "user")) saw the \(isOfSettings ? screenNoun : "prompt") before they were assigned, and not again: not counted."
    case .askedDiffers(let shareA, let shareB, let p):
      "\(Sentence.percent(shareA)) of the users assigned to \(a.variant) and \(Sentence.percent(shareB)) of the users assigned to "
        + "\(b.variant) \(isOfSettings ? "saw the \(screenNoun)" : "were asked") (p = \(Sentence.pValue(p))): the message may select the users "
        + "that see the prompt, so different users are compared."
    case .variantMismatch(let users):
      "\(Sentence.counted(users, "user")) saw another message than the one assigned: the message counts. Look into the assignment."
    case .fewScreens(let users, let assigned):
      "\(isOfSettings ? "Settings prompts" : "Screens") of only \(Sentence.counted(users, "user")) carry the experiment, so only they count, though "
        + "\(Sentence.counted(assigned, "assigned user")) \(isOfSettings ? "saw one" : "were asked"). Write the message on all \(screenNoun)s, or on none."
    case .misread: CallSentences.misread
    case .contaminated(let share): "\(Sentence.percent(share)) of the users saw \(manyMessages) messages."
    case .datesWithoutPlan:
      "The dates are in no plan. If they were chosen after a look at the numbers, more than 5 % of tests without a difference have a "
        + "winner: save them in a plan beforehand."
    case .exposedBefore(let users, let from):
      "\(Sentence.counted(users, "user")) had seen a message before \(CivilDate(from).text), and are left out."
    case .periodsMixed:
      "The split changed: the decision compares users within each period. Rates, other metrics, the "
        + "difference for one look and Bayes mix the periods; guardrails are not judged."
    case .exclusionUnbalances(let p):
      "Leaving them out unbalances the messages (sample ratio of those left: p = \(Sentence.pValue(p)))."
    case .contaminationAsymmetric(let p):
      "Users who saw \(a.variant) first went on to another message more or less often than users who saw \(b.variant) first "
        + "(p = \(Sentence.pValue(p))): leaving them out would leave different users."
    case .metricIsDescriptive:
      "Prompt grant rate: of users who answered the system's "
        + "prompt\(isOfMessages ? ", a group that the message selects" : ""); a description, not an effect."
    case .looksOverrun: "There are more users than planned; those after the last look are left out of it."
    case .farBeyondPlan(let users, let planned):
      "\(grouped(users)) users under a plan for \(grouped(planned)): so far beyond it the interval is wide and the rule slow. Name "
        + "the planned number before the next \(isOfMessages ? "test" : "comparison")\(words(.plannedUsers))."
    case .planTooLate(let saved, let first):
      "The plan was saved on \(CivilDate(saved).text), after the first exposure on \(CivilDate(first).text): it fixes nothing beforehand. Error "
        + "is spent as without a plan (r = \(NumberText.exact(monitoring.exponent ?? 0))); only its planned number is kept."
    case .lateEvents(let atMost, let last):
      "Up to \(Sentence.counted(atMost, "event")) of days already looked at came in later, the last on "
        + "\(CivilDate(last).text): \(Sentence.otherReading)"
    case .erased(let atMost, let last):
      "Up to \(Sentence.counted(atMost, "user")) of days already looked at were erased, the last on "
        + "\(CivilDate(last).text): \(Sentence.otherReading)"
    case .undone(let last):
      "An ingest with events of days already looked at was taken back, the last time on \(CivilDate(last).text): \(Sentence.otherReading)"
    case .excluded(let last):
      "The list of users who are left out changed after days already looked at, the last time on \(CivilDate(last).text): \(Sentence.otherReading)"
    case .expired(let before):
      "Events before \(CivilDate(before).text) were dropped: if exposures of this \(isOfMessages ? "experiment" : "comparison") were among them, \(Sentence.otherReading)"
    case .severalExperiments(let names):
      "The \(screenNoun)s of \(names.count) experiments are counted together: \(Sentence.list(names, most: 12)). Choose one\(words(.chooseExperiment))."
    case .fewEvents:
      "There are few events, and exact tests decide. The interval shown beside them is wider than they are, and may "
        + "still include 0."
    case .adjustmentDisagrees:
      "The difference within the values of \(Sentence.list(monitoring.adjustedBy)) decides; over all users together it has the other "
        + "sign. The decision stays."
    case .severalMessages(let count, let confidence):
      "\(count) \(armNoun)s are compared with \(a.variant): intervals hold together at 95 %, each at \(Sentence.percent(confidence)). "
        + "The others are not compared with each other."
    }
  }
}
