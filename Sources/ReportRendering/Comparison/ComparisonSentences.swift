// The sentences of a comparison: reasons, cautions, and why a figure is missing. JSON has them too.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  /// The sentences of `reasons`, in their order, in the words of the library.
  public var reasonSentences: [String] { reasonSentences { $0.advice } }

  /// The sentences of `cautions`, in their order, in the words of the library.
  public var cautionSentences: [String] { cautionSentences { $0.advice } }

  package func reasonSentences(saying words: RemedyWords) -> [String] { reasons.map { sentence($0, words) } }

  package func cautionSentences(saying words: RemedyWords) -> [String] { cautions.map { sentence($0, words) } }

  /// `both` for two messages, else `several`.
  var manyMessages: String { familySize > 1 ? "several" : "both" }
}

extension Comparison.AlwaysValidRefusal {
  /// - Parameter arm: the noun for an arm, `message` or `value`.
  func sentence(_ arm: String) -> String {
    func few(_ variant: String, _ have: Int, _ noun: String, _ need: Int) -> String {
      "\(variant) has \(Sentence.counted(have, noun)); an always-valid statement needs \(need) for each \(arm)."
    }
    return switch self {
    case .fewUsers(let variant, let have, let need): few(variant, have, "user", need)
    case .fewEvents(let variant, let have, let need): few(variant, have, "event", need)
    case .fewNonEvents(let variant, let have, let need): few(variant, have, "non-event", need)
    case .noVariance: "The outcome does not vary for either \(arm)."
    }
  }
}

extension Comparison.NoveltyRefusal {
  /// - Parameter arm: the noun for an arm, `message` or `value`.
  func sentence(_ arm: String) -> String {
    switch self {
    case .nobody: "One \(arm) has no users yet."
    case .declined(let error): error.sentence
    }
  }
}

extension ExperimentPlan.PlanRefusal {
  public var sentence: String {
    switch self {
    case .unknownTraffic: "The number of exposures a day is unknown."
    case .noSuchRate(let effect, let baseline):
      "No rate is \(Sentence.size(effect)) above or below \(Sentence.percent(baseline))."
    }
  }
}

/// Numbers inside sentences.
enum Sentence {
  static let otherReading = "an earlier reading may have differed, even in its decision."

  /// `+12.19`, percentage points of a share of 1.
  static func points(_ value: Double?) -> String { value.map { NumberText.signed($0 * 100, 2) } ?? "–" }

  /// `1.00 point`, `14.00 points`, without a sign.
  static func size(_ value: Double, _ decimals: Int = 2) -> String {
    let text = fixed(abs(value) * 100, decimals)
    return text + (fixed(1, decimals) == text ? " point" : " points")
  }

  /// `+1.20 to +3.40`; ends that are not known are left open.
  static func range(_ low: Double?, _ high: Double?) -> String { points(low) + " to " + points(high) }

  static func percent(_ value: Double) -> String { fixed(value * 100, 1) + " %" }

  static func counted(_ n: Int, _ noun: String) -> String { "\(grouped(n)) \(noun)\(n == 1 ? "" : "s")" }

  /// `700 : 500`, users by message.
  static func ratio(_ users: [Int]) -> String { users.map { grouped($0) }.joined(separator: " : ") }

  /// `a`, `a and b`, `a, b and c`.
  /// - Parameter most: names that are shown; of a longer list the rest is counted.
  static func list(_ names: [String], _ word: String = "and", most: Int = .max) -> String {
    if names.count > most {
      return names.prefix(most).joined(separator: ", ") + " \(word) \(grouped(names.count - most)) more"
    }
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// A sentence whose numbers do not break: `200 000`, `95 %`, `1.00 point`, `p = 0.01`.
  static func held(_ sentence: String) -> String {
    var out = ""
    var rest = Substring(sentence)
    while let space = rest.firstIndex(of: " ") {
      let after = rest[rest.index(after: space)...]
      let isNumber = rest[..<space].last?.isNumber == true
      let isUnit = isNumber && (after.first?.isNumber == true || after.hasPrefix("%") || after.hasPrefix("point"))
      let isHeld = isUnit || after.hasPrefix("= ") || rest[..<space].hasSuffix("=")
      out += rest[..<space] + (isHeld ? "\u{A0}" : " ")
      rest = after
    }
    return out + rest
  }

  /// A p-value in two or three significant digits.
  static func pValue(_ p: Double) -> String {
    guard p > 0 else { return "below 1e-300" }
    return p >= 0.001 ? fixed(p, 3) : scientific(p, from: 1)
  }
}

// MARK: Numbers, verdicts and metrics of a comparison in words

enum ComparisonWords {
  private static let space = "\u{A0}"

  /// A variant's name as a column's title, cut in the middle if it is long.
  static func title(_ arm: Comparison.Arm, _ style: TextStyle, columns: Int = 14) -> String {
    DisplayWidth.cutMiddle(style.legible(arm.variant), to: columns, mark: style.legible("…"))
  }

  /// `+7.00 to +17.31`.
  static func range(_ low: Double?, _ high: Double?) -> String {
    guard low != nil || high != nil else { return "no interval" }
    let end = high.map { Sentence.points($0) } ?? "no upper limit"
    return Sentence.points(low) + space + "to" + space + end
  }

  static func range(_ estimate: Estimate?) -> String { range(estimate?.low, estimate?.high) }

  /// `0.3862`, `4.4e-6`; below the smallest double by its logarithm, `1e-1357`.
  static func pValue(_ p: Double?, log10: Double? = nil) -> String {
    guard let p else { return "–" }
    if p >= 0.00095 { return fixed(p, p >= 0.095 ? 2 : p >= 0.0095 ? 3 : 4) }
    guard p > 0 else {
      guard let log10, log10.isFinite else { return "<" + space + "1e-300" }
      return "1e\(fixed(log10.rounded(.up), 0))"
    }
    return scientific(p, from: 0.95)
  }

  static func title(_ set: ComparisonSet, _ names: RowNames) -> String {
    guard let first = set.pairs.first else { return "" }
    let others = set.pairs.map(\.b.variant).joined(separator: ", ")
    let what = first.isOfSettings ? "Settings \(first.isOfMessages ? "messages" : "prompts"), " : ""
    return
      "\(names.title(first.permission)): \(first.full(others)) against \(first.a.variant), \(what)\(first.metricTitle)"
  }

  /// Which experiment the numbers are from, whose exposures they are of, and as of when.
  static func place(_ c: Comparison) -> String {
    (c.experiment.map { "experiment \($0), \(c.assigned == nil ? "" : "by assignment, ")" } ?? "")
      + (c.conditions.isEmpty ? "" : "exposures where \(c.conditions.words), ")
      + "as of \(NumberText.moment(c.windows.asOf, c.zone)), \(c.timeZone)"
  }

  /// What the line about the moment says of the age of the log and of users who are left out.
  static func notes(_ age: DataAge?, leftOut users: Int?) -> String {
    self.age(age) + (leftOut(users).map { "; " + $0 } ?? "")
  }

  /// `31 users left out`; nil without a list of users.
  static func leftOut(_ users: Int?) -> String? { users.map { NumberText.counted($0, "user") + " left out" } }

  /// Returns a note if the newest event is old: the answer is then about the past.
  static func age(_ age: DataAge?) -> String {
    guard let age, age.isOld, let days = age.days else { return "" }
    return "; the newest event is \(NumberText.counted(days, "day")) old"
  }

  /// `12 345 more users for each message`, and how long they take.
  static func needed(_ users: Int?, _ days: Int?, forEach noun: String) -> String {
    guard let users else { return "unknown" }
    if users == 0 { return "enough users" }
    return NumberText.counted(users, "more" + space + "user") + " for each \(noun)"
      // A test that takes more than a year is not practical.
      + (days.map { $0 <= 365 ? " (about \(duration($0)))" : " (more than a year at this pace)" } ?? "")
  }

  /// `12 days`, `6 weeks`, `5 months`, the longer the rounder.
  static func duration(_ days: Int) -> String {
    if days <= 14 { return "\(days) day\(days == 1 ? "" : "s")" }
    if days <= 63 { return "\((days + 3) / 7) weeks" }
    return fixed(Double(days) / 30.44, 0) + " months"
  }
}

extension ComparisonMetric {
  func title(_ followUp: Milliseconds) -> String {
    switch self {
    case .grantRate: "grant rate"
    case .grantedByDay28: "granted " + ComparisonWords.end(followUp)
    case .keptByDay28: "kept " + ComparisonWords.end(followUp)
    case .denyRate: "deny rate"
    case .skipRate: "skip rate"
    case .dropOffRate: "drop-off rate"
    case .promptGrantRate: "prompt grant rate"
    case .retentionDay7: "retention on day 7"
    case .settingsEnabled: "enabled within \(AnalysisWindows.settingsDays) days"
    case .settingsOpened: "opened Settings"
    }
  }

  /// The users that the metric counts, in a sentence.
  var successes: String {
    switch self {
    case .grantRate, .grantedByDay28, .promptGrantRate: "grants"
    case .keptByDay28: "kept grants"
    case .denyRate: "denials"
    case .skipRate: "skips"
    case .dropOffRate: "users without an answer"
    case .retentionDay7: "users who come back"
    case .settingsEnabled: "users who enable it"
    case .settingsOpened: "users who open Settings"
    }
  }

  /// In a sentence, with its article.
  func noun(_ followUp: Milliseconds) -> String {
    switch self {
    case .grantedByDay28, .keptByDay28, .settingsEnabled: "the share " + title(followUp)
    case .settingsOpened: "the share that " + title(followUp)
    case .retentionDay7: title(followUp)
    default: "the " + title(followUp)
    }
  }
}

extension ComparisonWords {
  /// The end of a follow-up: `by day 28`, `within 36 h`.
  static func end(_ followUp: Milliseconds) -> String {
    followUp % millisecondsPerDay == 0
      ? "by day \(followUp / millisecondsPerDay)" : "within " + NumberText.window(followUp)
  }
}

extension Comparison {
  var metricTitle: String { title(metric) }
  func title(_ metric: ComparisonMetric) -> String { metric.title(windows.followUp) }
  func noun(_ metric: ComparisonMetric) -> String { metric.noun(windows.followUp) }

  func title(_ measure: Secondary.Measure) -> String {
    switch measure {
    case .metric(let metric): title(metric)
    case .timeToAnswer: "time to answer"
    // Within 28 days, as the words above the table explain.
    case .enabledAfterDenial: "enabled after a denial"
    case .enabledAfterSkip: "enabled after a skip"
    case .enabledAfterNoAnswer: "enabled after no answer"
    }
  }

  // MARK: The words of a comparison of values of a property. Users were not assigned at random, so there is no
  // winner and no advice

  /// Whether the messages are those of Settings prompts.
  var isOfSettings: Bool { screen == .settings }

  /// The noun for what shows the messages.
  var screenNoun: String { isOfSettings ? "Settings prompt" : "screen" }

  /// The noun for one of the arms.
  var armNoun: String { isOfMessages ? "message" : "value" }

  /// A value with its property, `app_version 3.2`; a message by its name alone.
  func full(_ name: String) -> String { isOfMessages ? name : "\(comparedProperty.name) \(name)" }

  /// `app_version 3.2 against 3.1`.
  var versus: String { "\(full(b.variant)) against \(a.variant)" }

  /// Why a difference is not what the value did.
  var notAssignedSentence: String {
    let who =
      familySize == 1
      ? "users with \(full(b.variant)) may differ from users with \(a.variant)"
      : "the users of one \(comparedProperty.name) may differ from the users of another"
    let shown = isOfSettings ? "seen the \(screenNoun)" : "been asked"
    return
      "No users were assigned at random: \(who), and may have \(shown) in other weeks. A real test assigns messages at random."
  }
}

enum PropertyVerdict {
  static func sentence(_ c: Comparison) -> String {
    switch c.decision {
    case .differs: "DIFFERS, found on \(day(c)): \(difference(c))."
    case .noDifference: "NO DIFFERENCE FOUND that matters, by \(day(c))\(within(c))."
    default: "NOT CLEAR YET: a difference is neither shown nor excluded."
    }
  }

  private static func day(_ c: Comparison) -> String { ComparisonWords.day(c.decidedOn ?? 0, c.decidedDay ?? 0) }

  /// `the grant rate was higher with app_version 3.2 than with 3.1`. The next line has the present size: an estimate
  /// at the moment of finding is too large on average.
  private static func difference(_ c: Comparison) -> String {
    guard let crossing = c.monitoring.crossing else { return "" }
    return "\(c.noun(c.metric)) was \(crossing.isHigher ? "higher" : "lower") with \(c.full(c.b.variant)) than with "
      + c.a.variant + (isDoubtful(c) ? ", but look at the reasons" : "")
  }

  /// What would put the decision of a test under review.
  private static func isDoubtful(_ c: Comparison) -> Bool {
    c.reasons.contains {
      switch $0 {
      case .intervalsDisagree, .turned, .signTurns, .simpsonsParadox, .fading: true
      default: false
      }
    }
  }

  private static func within(_ c: Comparison) -> String {
    guard let none = c.monitoring.noDifference else { return "" }
    return
      ": \(c.noun(c.metric)) with \(c.full(c.b.variant)) is within ± \(Sentence.size(c.needed.minimumEffect)) of that with "
      + "\(c.a.variant) (interval \(ComparisonWords.range(none.low, none.high)))"
  }
}
