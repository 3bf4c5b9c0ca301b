// Are people asked too early? The grant rate by when they were asked.

import PermissionAnalysis
import PermissionEvents
import Statistics

extension ReportSection {
  static let timingCaution =
    "Users asked later are other users, who waited or came back: an observation, not an effect. To find out, ask half of "
    + "your users later."

  static func timing(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Grant rates by when people were asked: by the time since the install, by the days with any use in the 27 days before, "
      + "and by the uses of a feature in the 28 days before. Not known: the log does not go back far enough, or has "
      + "no install event of the user. "
      + "p tests for a trend along the classes (Cochran–Armitage); a small p speaks against chance, not for a cause."
    let figures = scope.groups.compactMap { scope.timing($0.all.permission) }
    var table = Table("asked", ["base", "granted", "grant rate"])
    for figures in figures {
      for scale in TimingScale.allCases {
        let groups = figures.named(scale)
        guard !groups.isEmpty else { continue }
        let p = figures.trendPValue(scale).map { ", p\u{A0}" + ComparisonWords.pValue($0) } ?? ""
        table.heading(scope.names.permission(figures.permission) + ", " + scale.words.title + p)
        for (name, group) in groups {
          table.row(
            name, [style.count(group.base), style.count(group.granted), style.rate(group.rate)],
            weight: Double(group.base), depth: 1)
        }
      }
    }
    var section = ReportSection(
      .timing, "Are we asking too early? " + scope.allName.prefix(1).uppercased() + scope.allName.dropFirst(), words,
      table,
      empty: "The log does not show when people were asked.")
    section.permissions = figures.map(\.permission).filter { RowNames.caution($0) != nil }
    section.lead = figures.compactMap { TimingSentence($0, scope.names)?.text }
    section.warning = timingCaution
    section.notes = figures.first.map { notes($0, scope.report) } ?? []
    return section
  }

  private static func notes(_ figures: TimingFigures, _ report: Report) -> [String] {
    var notes = TimingScale.allCases.filter { !figures.isKnown($0) }.map { scale in
      let events = scale.evidence.sentence
      return events.prefix(1).uppercased() + events.dropFirst() + ": \(scale.words.subject) is not known."
    }
    if let start = report.logStart {
      let day = CivilDate(report.zone.day(of: start)).text
      notes.append(
        "Use before the ask is known from \(day) on. Users asked less than 28 days later, with no install in the "
          + "log, count as not known."
      )
    } else {
      notes.append(
        "The day from which the log holds all events was not given, "
          + "so use before the ask is known only after an install.")
    }
    return notes
  }
}

extension ReportScope {
  /// Of a permission by its name; nil under a breakdown.
  func timing(_ permission: String) -> TimingFigures? {
    report.timing.first { RowNames.isSame($0.permission, permission) }
  }
}

extension TimingFigures {
  /// The classes of a scale that anybody is in, with their names in tables and drawings; none if the scale is not known.
  func named(_ scale: TimingScale) -> [(name: String, group: Group)] {
    var named: [(name: String, group: Group)] = []
    for (name, group) in zip(scale.names, groups(scale) ?? []) where group.base > 0 { named.append((name, group)) }
    return named
  }
}

extension TimingScale {
  /// The title of its classes, a short title that fits before the axis of a drawing, and the subject that is unknown
  /// without its events.
  var words: (title: String, short: String, subject: String) {
    switch self {
    case .install: ("time since the install", "since the install", "how long after the install people were asked")
    case .activeDays: ("days of use before", "days of use before", "how much people used the app before")
    case .featureUsed: ("uses of a feature before", "uses before", "how often people used a feature before")
    }
  }

  /// Its classes in tables and drawings.
  fileprivate var names: [String] {
    switch self {
    case .install:
      ["under 1 minute", "1 minute to 1 hour", "1 hour to 1 day", "1 to 7 days", "7 days or more", "not known"]
    case .activeDays: ["no day", "1 day", "2 or 3 days", "4 to 7 days", "8 days or more", "not known"]
    case .featureUsed: ["no use", "1 or 2 uses", "3 to 9 uses", "10 uses or more", "not known"]
    }
  }

  /// Its classes in a sentence that begins with "asked", without the last.
  fileprivate var spoken: [String] {
    switch self {
    case .install:
      [
        "within a minute of the install", "1 minute to 1 hour after the install", "1 hour to 1 day after the install",
        "1 to 7 days after the install", "7 days or more after the install",
      ]
    case .activeDays:
      [
        "before any other day of use", "after 1 day of use", "after 2 or 3 days of use", "after 4 to 7 days of use",
        "after 8 or more days of use",
      ]
    case .featureUsed:
      ["before any use of a feature", "after 1 or 2 uses", "after 3 to 9 uses", "after 10 or more uses"]
    }
  }
}

/// Compares the earliest with the latest class of a permission, on the first scale with two large enough classes.
struct TimingSentence {
  let text: String

  /// nil if no scale has two classes that are large enough.
  init?(_ figures: TimingFigures, _ names: RowNames) {
    for scale in TimingScale.allCases {
      let known = zip(scale.spoken, figures.groups(scale) ?? []).filter { $0.1.base >= Drawable.leastBase }
      guard known.count > 1, let first = known.first, let last = known.last, let early = first.1.rate,
        let late = last.1.rate
      else { continue }
      text =
        "\(names.permission(figures.permission)): asked \(first.0) \(NumberText.rate(early, " ")) granted, \(last.0) "
        + "\(NumberText.rate(late, " "))."
        + Self.words(figures.trend(scale), scale, change: late.value - early.value)
      return
    }
    return nil
  }

  /// The trend is of all classes: between two of them it may be the other way round.
  /// - Parameter change: from the earliest to the latest.
  private static func words(_ trend: CochranArmitage?, _ scale: TimingScale, change: Double) -> String {
    guard let trend else { return "" }
    let p = " (p\u{A0}" + ComparisonWords.pValue(trend.pValue) + ")."
    guard trend.pValue < 0.05 else { return " No trend is shown" + p }
    let isRising = trend.statistic > 0
    guard isRising ? change > 0 : change < 0 else { return " The classes in between differ: see the table." }
    return scale == .install
      ? (isRising ? " The later, the more" : " The later, the fewer") + p
      : (isRising ? " The more use before, the more grant" : " The more use before, the fewer grant") + p
  }
}
