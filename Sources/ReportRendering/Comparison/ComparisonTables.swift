// The tables of a comparison: the messages and their users, the metrics beside the primary one, the values of a property.

import PermissionAnalysis
import PermissionEvents

enum ComparisonTables {
  static func arms(_ set: ComparisonSet, _ style: TextStyle) -> Section {
    let isPlain = set.pairs.first?.metric == .grantRate
    func count(_ title: String, _ value: @escaping (Comparison.Arm) -> Int) -> TableColumn<Comparison.Arm> {
      TableColumn(title) { style.count(value($0)) }
    }
    var columns = [count("exposed", \.counts.exposed), count("pending", \.counts.pending)]
    if let first = set.pairs.first, first.isOfSettings {
      // All were denied: what matters is what they did then.
      columns += [count("trials", \.trials), count(successes(first.metric), \.successes)]
    } else {
      columns += [
        count("restr.", \.counts.restricted), count("base", \.counts.base),
        count("granted") { $0.counts[.granted] }, count("denied") { $0.counts[.denied] },
        count("skipped") { $0.counts[.skipped] },
        TableColumn(style.noAnswer) { $0.isDropOffKnown ? style.count($0.counts[.droppedOff]) : style.unknownCell },
      ]
      if !isPlain { columns.append(count("trials", \.trials)) }
    }
    columns.append(TableColumn(isPlain ? "grant rate" : "rate") { style.rate($0.rate) })
    let isOfMessages = set.pairs.first?.isOfMessages ?? true
    if set.pairs.count > 1, isOfMessages {
      columns.append(
        TableColumn(title: "P(best)") { _, index in
          set.probabilityBest.map { TableCell(fixed($0[index], 3)) } ?? style.unknownCell
        })
    }
    let property = set.pairs.first?.comparedProperty ?? .variant
    let table = Table(isOfMessages ? "message" : property.name, set.arms, columns) { $0.variant }
    return Section(
      "", isOfMessages ? "Messages" : "Values of \(property.name)", heading: .onPages, [.gap, .table(table)])
  }

  /// The column of those who count as a success after a Settings prompt.
  private static func successes(_ metric: ComparisonMetric) -> String {
    switch metric {
    case .settingsEnabled: "enabled"
    case .settingsOpened: "opened"
    default: "active"
    }
  }

  // MARK: The metrics other than the primary one

  /// - Parameter isIntroduced: explains the tables; for several pairs once is enough.
  static func others(_ c: Comparison, _ title: String, _ style: TextStyle, isIntroduced: Bool) -> [Section] {
    func section(
      _ name: String, _ words: String, _ rows: [Comparison.Secondary], p: String,
      _ pValue: @escaping (Comparison.Secondary) -> Double?
    ) -> Section {
      let columns: [TableColumn<Comparison.Secondary>] = [
        TableColumn(ComparisonWords.title(c.a, style)) { value($0.a, of: $0.usersA == c.a.base ? nil : $0.usersA, $0) },
        TableColumn(ComparisonWords.title(c.b, style)) { value($0.b, of: $0.usersB == c.b.base ? nil : $0.usersB, $0) },
        TableColumn("difference", difference),
        // Beside a difference that is printed as 0 a p-value only confuses.
        TableColumn(p) { TableCell(isZero($0) ? "–" : ComparisonWords.pValue(pValue($0))) },
      ]
      return Section(
        "", name + title,
        (isIntroduced ? [.words(words)] : []) + [.gap, .table(Table("metric", rows, columns) { c.title($0.measure) })]
          + missing(rows, c))
    }
    let times =
      c.isOfSettings
      ? ""
      : " Times are medians, of those who answered: a description. Their difference is the share of pairs in which that of "
        + "\(c.b.variant) is longer: 50\u{A0}% is no difference."
    let others = section(
      "Other metrics",
      "\(c.isOfMessages ? "How the difference came about." : "What else differs.") For one look (fixed horizon); p adjusted together (Benjamini–Hochberg)."
        + times, c.secondary, p: "p (BH)", \.adjustedPValue)
    guard !c.observations.isEmpty else { return [others] }
    return [
      others,
      section(
        "Observations",
        "Only of users already selected by the \(c.isOfMessages ? "message" : "answer"): descriptions, not effects, "
          + "and unadjusted. Later opt-in: "
          + "Kaplan–Meier within 28 days, log-rank.", c.observations, p: "p", \.pValue),
    ]
  }

  /// Why rows are unknown, once for each thing that the log does not hold.
  private static func missing(_ rows: [Comparison.Secondary], _ c: Comparison) -> [Block] {
    Evidence.allCases.compactMap { evidence in
      let names = rows.filter { $0.noEvidence == evidence }.map { c.title($0.measure) }
      return names.isEmpty ? nil : .paragraph("– \(Sentence.list(names)): \(evidence.sentence).")
    }
  }

  /// - Parameter users: that it is over; nil for all of the base.
  private static func value(_ value: Double?, of users: Int?, _ row: Comparison.Secondary) -> TableCell {
    guard let value else { return TableCell("–") }
    let text = row.measure.isTime ? NumberText.duration(value, step: row.timeStep) : NumberText.percent(value)
    return users.map { TableCell(text + "\u{A0}of", NumberText.count($0)) } ?? TableCell(text)
  }

  private static func difference(_ row: Comparison.Secondary) -> TableCell {
    guard let difference = row.difference else { return TableCell("–") }
    if !row.measure.isTime { return points(difference) }
    // What Mann and Whitney's p-value is of: medians may be equal where times differ.
    return row.probabilityBGreater.map { TableCell(NumberText.percent($0), "longer") } ?? TableCell("–")
  }

  /// Whether the difference is printed as 0.
  private static func isZero(_ row: Comparison.Secondary) -> Bool {
    guard let difference = row.difference else { return false }
    return row.measure.isTime
      ? row.probabilityBGreater.map { NumberText.percent($0) == NumberText.percent(0.5) } ?? true
      : Sentence.points(difference.value) == Sentence.points(0)
  }

  private static func points(_ difference: Estimate) -> TableCell {
    TableCell(Sentence.points(difference.value), NumberText.signedInterval(difference, scale: 100, 2))
  }

  // MARK: The primary metric within each value of a property

  /// Most segments of the text; the others are counted in a line. JSON has all.
  private static let mostSegments = 20

  /// nil if no property was asked for.
  static func segments(_ c: Comparison, _ title: String, _ style: TextStyle) -> Section? {
    guard let segments = c.segments else { return nil }
    func exposed(_ segment: Comparison.Segments.Segment) -> Int { segment.a.exposed + segment.b.exposed }
    let all = segments.segments
    let limit = all.map(exposed).sorted(by: >).prefix(mostSegments).last ?? 0
    let shown = all.filter { exposed($0) >= limit }.prefix(mostSegments)
    let columns: [TableColumn<Comparison.Segments.Segment>] = [
      TableColumn(ComparisonWords.title(c.a, style)) { style.shareOf($0.a.successes, $0.a.trials) },
      TableColumn(ComparisonWords.title(c.b, style)) { style.shareOf($0.b.successes, $0.b.trials) },
      TableColumn("difference") { $0.difference.map(points) ?? style.unknownCell },
      TableColumn("p (BH)") { TableCell(ComparisonWords.pValue($0.adjustedPValue)) },
    ]
    let table = Table(segments.property, Array(shown), columns) { $0.value ?? "(none)" }
    var blocks: [Block] = [.words(claim(segments, c)), .gap, .table(table, empty: "None.")]
    if all.count > shown.count {
      let rest = NumberText.counted(all.count - shown.count, "smaller segment")
      blocks.append(.paragraph("\(rest) not shown\(style.words(.readJSON))"))
    }
    return Section("", "By \(segments.property)" + title, blocks)
  }

  private static func claim(_ segments: Comparison.Segments, _ c: Comparison) -> String {
    guard let test = segments.heterogeneity else {
      let both = c.isOfMessages ? "of both messages" : "on both sides"
      return "Fewer than two values have users \(both), so there is no comparison."
    }
    let p = ComparisonWords.pValue(test.adjustedPValue)
    guard c.isOfMessages else {
      return test.areDifferent
        ? "The difference varies by \(segments.property): Cochran's Q has p\u{A0}\(p). Read the segments."
        : "No sign that the difference varies by \(segments.property) (Cochran's Q, p\u{A0}\(p)): read the overall result."
    }
    return test.areDifferent
      ? "The message works differently by \(segments.property): Cochran's Q has p\u{A0}\(p). Read the segments."
      : "No sign that the message works differently by \(segments.property) (Cochran's Q, p\u{A0}\(p)): read the "
        + "overall result. It means nothing that one segment is significant and another is not."
  }
}

// MARK: The verdict of a comparison, in a line, and what its interval is

extension Comparison {
  /// The better message by the first crossing; nil without one.
  var winner: Arm? { monitoring.crossing.map { $0.isHigher == metric.isGoodWhenHigh ? b : a } }

  /// Whether nothing is decided yet.
  var isOpen: Bool { monitoring.crossing == nil && monitoring.noDifference == nil }

  /// The look that decided was an exact test of few events.
  var isDecidedExactly: Bool {
    if case .events = monitoring.crossing?.look.boundary { true } else { false }
  }

  /// A plan was made before the first exposure, and fixes all that is to be fixed.
  var isPlanned: Bool {
    plan != nil
      && !cautions.contains {
        if case .planTooLate = $0 { true } else { false }
      }
  }
}

extension ComparisonWords {
  static func verdict(_ c: Comparison) -> String {
    guard c.isOfMessages else { return PropertyVerdict.sentence(c) }
    return switch c.decision {
    case .invalid: "INVALID: nothing can be concluded from these numbers."
    case .tooEarly: "TOO EARLY to decide."
    case .review: "REVIEW: \(decided(c)), but look at the reasons first."
    case .aWins, .bWins:
      "\(winner(c)) WON on \(decisionDay(c)): \(c.decision == .aWins ? "keep" : "take") \(winner(c))\(loses(c))."
    case .noDifference: "NO DIFFERENCE that matters, found on \(decisionDay(c)): take either."
    case .keepRunning: "KEEP RUNNING: not decided yet."
    case .stopOutOfReach: stopped(c)
    case .differs, .notClear: PropertyVerdict.sentence(c)
    }
  }

  /// Why a test may end without a decision.
  private static func stopped(_ c: Comparison) -> String {
    if c.course == .spent {
      let users =
        c.needed.outlook?.daysForEffect == 0
        ? "there are enough users to find \(Sentence.size(c.needed.minimumEffect))"
        : c.monitoring.isByFirstDays
          ? "four times the users of the first seven days are in" : "the planned users are in"
      return "YOU MAY STOP: \(users), and nothing was found."
    }
    if let last = c.endedOn { return "ENDED without a decision: the last new user came on \(CivilDate(last).text)." }
    return "STOP: \(Sentence.size(c.needed.minimumEffect)) is out of reach at this pace."
  }

  /// How large it is: in points, relative to A, and a week; nil if it is not known.
  static func size(_ c: Comparison) -> String? {
    guard let size = c.size, c.decision != .invalid else { return nil }
    let (b, value) = (c.full(c.b.variant), size.difference.value)
    let noun = c.noun(c.metric)
    var text: String
    if size.isDecided {
      text = "\(b) \(value < 0 ? "lowers" : "raises") \(noun) by \(Sentence.size(value)) (\(range(size.difference)))"
      if let relative = size.relative { text += ", \(NumberText.percent(abs(relative))) of \(c.a.variant)'s then" }
      if let aWeek = size.aWeek, let users = size.usersAWeek {
        text +=
          ": about \(amount(aWeek)) \(value < 0 ? "fewer" : "more") \(c.metric.successes) a week, if all \(amount(users)) users\(c.familySize > 1 ? " of these two messages" : "") see \(c.b.variant)"
      }
    } else {
      text = "So far \(b) is at \(Sentence.points(value)) points (\(range(size.difference)), at every look)"
    }
    return Sentence.held(text + ".")
  }

  /// A number of users for a sentence: below 2 with a decimal.
  static func amount(_ users: Double) -> String {
    let size = abs(users)
    guard size >= 9.5 else { return size >= 1.95 ? fixed(size, 0) : fixed(size, 1) }
    return grouped(Int(min(size, 1e15).rounded()))
  }

  /// With which values the winner loses.
  private static func loses(_ c: Comparison) -> String {
    let names = c.reasons.compactMap { reason -> String? in
      guard case .losesWithin(let property, let value, _) = reason else { return nil }
      return value.map { "\(property) \($0)" } ?? "no \(property)"
    }
    return names.isEmpty ? "" : ", but it loses with \(Sentence.list(names))"
  }

  private static func winner(_ c: Comparison) -> String { c.winner?.variant ?? "" }

  /// `A 37.0 % → B 51.6 %, +14.6 points (of 389 and 440 users)`: of all users by now.
  static func rates(_ c: Comparison, _ style: TextStyle) -> String {
    // A version next to a rate would look like two numbers: a colon separates them.
    func rate(_ arm: Comparison.Arm) -> String {
      "\(title(arm, style, columns: 24))\(c.isOfMessages ? "" : ":") "
        + (arm.rate.map { NumberText.percent($0.value) } ?? style.unknown)
    }
    var text =
      (c.isOfMessages ? "" : c.comparedProperty.name + " ") + rate(c.a) + (style.isASCII ? " -> " : " → ") + rate(c.b)
    if let difference = c.difference {
      text += ", " + NumberText.signed(difference.value * 100) + " points"
      if c.decision == .differs, let interval = NumberText.signedInterval(difference, scale: 100) {
        text += ", " + interval + " for one look"
      }
    }
    return text + " (of \(NumberText.count(c.a.trials)) and \(NumberText.counted(c.b.trials, "user")))"
  }

  private static func decided(_ c: Comparison) -> String {
    c.winner.map { "\($0.variant) won on \(decisionDay(c))" }
      ?? "no difference that matters was found on \(decisionDay(c))"
  }

  private static func decisionDay(_ c: Comparison) -> String { day(c.decidedOn ?? 0, c.decidedDay ?? 0) }

  /// `2026-03-16 (day 21)`.
  /// - Parameter number: 1 is the day of the first exposure.
  static func day(_ day: DayNumber, _ number: Int) -> String { "\(CivilDate(day).text) (day\u{A0}\(number))" }

  // MARK: The rule

  static func rule(_ c: Comparison) -> String {
    switch c.monitoring.rule {
    case .daily: "daily looks"
    case .alwaysValid: "always-valid sequence"
    case .looks(let count): count == 1 ? "one declared look" : "\(count) declared looks"
    }
  }

  static func pName(_ c: Comparison) -> String {
    if c.monitoring.rule == .alwaysValid { return "always-valid p" }
    return c.monitoring.crossing == nil ? "sequential p" : "stage-wise p"
  }

  static func interval(_ c: Comparison, at look: Comparison.Look?) -> String {
    let level = level(c)
    if case .events = look?.boundary { return "exact always-valid \(level) interval" }
    return c.monitoring.rule == .alwaysValid ? "always-valid \(level) interval" : "\(level) interval of the \(rule(c))"
  }

  static func headline(_ c: Comparison) -> String {
    guard let headline = c.headline, let day = headline.day else {
      return "\(level(c)) interval for a single look, which decides nothing"
    }
    if headline.kind == .noDifference { return "equivalence interval that decided, \(CivilDate(day).text)" }
    let isOfDecision = c.monitoring.crossing?.day == day
    return interval(c, at: c.monitoring.looks.last { $0.day == day })
      + (isOfDecision ? " at the decision, " : " at the latest look, ") + CivilDate(day).text
  }

  private static func level(_ c: Comparison) -> String {
    fixed(c.confidence * 100, c.familySize == 1 ? 0 : 2) + "\u{A0}%"
  }

  /// How far the error of the decisions is bounded; the same for all pairs.
  static func errorBound(_ set: ComparisonSet) -> String {
    let isPlanned = set.pairs.allSatisfy(\.isPlanned)
    guard set.pairs.first?.isOfMessages != false else {
      return
        "If there is no difference, at most 5 % of such comparisons say that there is one, however often you look: for one reading "
        + "of the log, with property, values, metric, windows and time zone fixed beforehand."
    }
    return
      "At most 5 % of tests without a difference end with a winner, however often you look: for one reading of the log "
      + "(no events of earlier days added or removed later), with rule, metric, windows and time zone fixed beforehand"
      + "\(isPlanned ? ", as they are by the plan" : "")."
  }
}
