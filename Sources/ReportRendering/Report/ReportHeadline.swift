// What a report is of and how old it is, in words: its headline, the names of its spans of time, its age.

import PermissionAnalysis
import PermissionEvents

extension [ExposureCondition] {
  /// `country=DE and app_version>=3.2`.
  var words: String { map(\.description).joined(separator: " and ") }
}

extension ReportScope {
  /// `Week of 23 to 29 March 2026 (2026-W13)`; without a complete week, what the report is of instead.
  var headline: String {
    if let week = leadWeek { return "Week of " + DayWords.week(week) }
    if let week = askedWeek { return "Week of " + DayWords.week(week) + unfinished(week) }
    if let from = report.from, let to = report.to {
      let isOneDay = report.zone.day(of: from) == report.zone.day(of: to - 1)
      return "Exposures " + (isOneDay ? "on " : "from ") + intervalName
    }
    if isBounded { return "Exposures " + intervalName }
    return "All weeks" + (runningWeek.map { " (\($0.text)\(unfinished($0)))" } ?? "")
  }

  /// What the report is, and which week the headline has.
  var subtitle: String {
    "Permissions report" + (propertyWords.map { " by " + $0 } ?? "") + (kind.map { ", " + $0 } ?? "")
      + (weekAge.map { ", " + $0 } ?? "")
  }

  /// Which week the headline has; nil if it has none that is complete.
  var kind: String? {
    guard let week = leadWeek, askedWeek != week else { return nil }
    return isBounded ? "the last complete week of the interval" : "the last complete week"
  }

  // MARK: Spans of time

  /// `week 2026-W13`, or what all weeks are.
  var leadName: String { leadWeek.map { "week\u{A0}" + $0.text } ?? allName }

  /// `all weeks`, or the interval that was asked for.
  var allName: String {
    if let week = askedWeek { return "week\u{A0}" + week.text }
    return isBounded ? intervalName : "all weeks"
  }

  /// The week, if exactly one was asked for.
  var askedWeek: ISOWeek? {
    guard let from = report.from else { return nil }
    let week = ISOWeek(day: report.zone.day(of: from))
    let isWeek =
      from == report.zone.firstMoment(of: week.firstDay) && report.to == report.zone.firstMoment(of: week.firstDay + 7)
    return isWeek ? week : nil
  }

  /// `, still running`; of a week that is over by the clock, but not by the events, `, not complete`.
  private func unfinished(_ week: ISOWeek) -> String {
    guard let asOf = report.asOf, asOf < report.zone.firstMoment(of: week.firstDay + 7) else { return "" }
    return hasEnded(week) ? ", not complete" : ", still running"
  }

  /// True if the clock is past the week's end, wherever the events end.
  func hasEnded(_ week: ISOWeek) -> Bool {
    report.age.map { $0.clock >= report.zone.firstMoment(of: week.firstDay + 7) } ?? false
  }

  /// `3 to 16 February 2026`, `since 3 February 2026`, `up to 16 February 2026`.
  private var intervalName: String {
    let first = report.from.map { report.zone.day(of: $0) }
    let last = report.to.map { report.zone.day(of: $0 - 1) }
    switch (first, last) {
    case (let first?, let last?): return DayWords.range(first, last)
    case (let first?, nil): return "since " + DayWords.day(first)
    case (nil, let last?): return "up to " + DayWords.day(last)
    case (nil, nil): return "all weeks"
    }
  }

  // MARK: How it was asked

  /// `from 2026-03-23T00:00:00Z to before 2026-03-30T00:00:00Z`: the exact interval of exposures.
  var exactInterval: String {
    let (from, to) = interval
    guard let to else { return "none" }
    let start = from.map { NumberText.moment($0, report.zone) } ?? "the first event"
    return "from " + start + " to before " + NumberText.moment(to, report.zone)
  }

  /// `country=DE and app_version>=3.2`: what exposures meet; nil without conditions.
  var conditions: String? {
    report.conditions.isEmpty ? nil : report.conditions.words
  }

  /// What conditions do not choose, because it needs no exposure.
  static let unfiltered = "events, users, unexposed, reach and activity are of the whole log"

  // MARK: Age

  /// `The newest event is 17 days old.` nil if it is fresh, or the moment to look from was given.
  var age: String? {
    guard let age = report.age, age.isOld, let days = age.days else { return nil }
    return "The newest event\(age.isAhead ? " that is not ahead of the clock" : "") is \(DayWords.count(days)) old."
  }

  /// `314 of 480 lines (65.4 %) were rejected …`; nil if they are few, or not known.
  var notUnderstood: String? {
    guard let share = report.notUnderstood, share.isWarned else { return nil }
    let lines = NumberText.counted(Int(clamping: share.of), "line")
    return
      "\(NumberText.count(Int(clamping: share.lines))) of \(lines) (\(NumberText.percent(share.share))) were rejected at ingest "
      + "because a name was not understood; the figures lack them"
  }

  /// `ended 3 days ago`, of the week that the report leads with; nil if the moment to look from was given.
  var weekAge: String? {
    guard let age = report.age, let week = leadWeek else { return nil }
    let days = (age.clock - report.zone.firstMoment(of: week.firstDay + 7)) / millisecondsPerDay
    guard days >= 0 else { return nil }
    return days == 0 ? "ended today" : "ended \(DayWords.count(Int(days))) ago"
  }
}
