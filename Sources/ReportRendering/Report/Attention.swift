// What a person should look at before believing the numbers: a short line each, the most important first.

import PermissionAnalysis
import PermissionEvents
import Statistics

struct Attention {
  private let scope: ReportScope
  private var whole: ReportOverview { scope.whole }

  init(_ scope: ReportScope) { self.scope = scope }

  /// Shares from which on a thing is worth a look.
  enum Threshold {
    static let pending = 0.2
    static let unexposed = 0.05
    static let restricted = 0.05
    static let partial = 0.1
    static let pValue = 0.05
    static let fewest = 30
  }

  var lines: [String] {
    var some: [String?] = [
      scope.report.isMisread ? CallSentences.misread : nil, scope.notUnderstood.map { $0 + "." }, scope.age,
      unfinished, silence, ahead, few, expired,
      scope.report.hasDamagedNumbers
        ? "Which numbered events arrived is not known, because a file of the log is damaged." : nil,
    ]
    some += scope.report.experiments.map(experiment)
    some.append(scope.report.finding.map { AuditSentences.line($0, scope.names) })
    some += unusual
    some += unanswered
    some += CallSentences.lines(scope.report, scope.names)
    some += [
      alone, byStatus,
      whole.isUnknown(.activity) ? "No activity events in this log: retention and engagement are not known." : nil,
      unexposed(isMany: true),
      list("Pending (no outcome yet) over 20\u{A0}%", from: Threshold.pending) { ($0.pending, $0.exposed) },
    ]
    some += values
    some += timing
    some += [
      notAsked, unexposed(isMany: false),
      list("Restricted (the user had no choice)", from: Threshold.restricted) { ($0.restricted, $0.exposed) },
      list("Partial grants", from: Threshold.partial) { ($0.partial, $0.granted) },
    ]
    some += UnansweredPermission.among(scope.groups.map(\.all.permission)).map(\.shortCaution)
    some.append(noEvidence)
    return some.compactMap { $0 }
  }

  private func experiment(_ experiment: ExperimentSummary) -> String? {
    experiment.comparison.map { set in
      let span = experiment.isRunning ? "running since" : "ran from"
      let end = experiment.isRunning ? "" : " to \(CivilDate(experiment.lastExposure).text)"
      let prompts = experiment.screen == .settings ? ", Settings prompts" : ""
      return "Experiment \(experiment.experiment) (\(scope.names.title(experiment.permission))\(prompts)), \(span) "
        + "\(CivilDate(experiment.firstExposure).text)\(end): \(OverallVerdict(set).sentence)"
    }
  }

  // MARK: The log

  /// A note if a week is over by the clock, but the newest event is from before its end. Exports up to the week's
  /// last evening make it complete only when the next week's first event comes in.
  private var unfinished: String? {
    guard let week = whole.runningWeek, scope.hasEnded(week) else { return nil }
    let exposed = NumberText.counted(whole.exposedWhileRunning, "exposure")
    return
      "\(DayWords.subject(week)) has ended with \(exposed), but the newest event is from before its end."
  }

  /// A note if the newest complete week has no exposures.
  private var silence: String? {
    let report = scope.report
    guard let lead = scope.leadWeek, let asOf = report.asOf, report.to == nil else { return nil }
    let running = report.zone.lastBegunWeek(at: asOf)
    let silent = running.index - lead.index - 1
    guard silent > 0 else { return nil }
    return silent == 1 ? "The week since then has no exposures." : "The \(silent) weeks since then have no exposures."
  }

  /// What was unusual when files were ingested.
  private var unusual: [String?] {
    scope.report.unusual.map { one in
      guard let time = one.time else { return one.sentence }
      return "At the ingest of \(NumberText.moment(time, scope.report.zone)): \(one.sentence)"
    }
  }

  /// Users who were asked before an expiry count as asked for the first time when they are asked again.
  private var expired: String? {
    guard let limit = scope.report.expiredBefore, let asOf = scope.report.asOf, limit <= asOf else { return nil }
    let zone = scope.report.zone
    let end = limit + 28 * millisecondsPerDay
    return
      "The log keeps no events from before \(NumberText.moment(limit, zone)). Users asked before that and again later count as asked first then; "
      + "mind it in weeks to \(CivilDate(zone.day(of: end)).text)."
  }

  private var ahead: String? {
    guard let age = scope.report.age, age.isAhead else { return nil }
    return "The newest event is ahead of the clock: events later than now are not counted yet."
  }

  private var few: String? {
    guard scope.leadWeek != nil else { return nil }
    let exposed = whole.leadRows.reduce(0) { $0 + $1.exposed }
    return exposed < Threshold.fewest
      ? "Only \(NumberText.counted(exposed, "exposure")) in this week: its rates say little." : nil
  }

  /// Notes on permissions that many users were asked for, but that no user granted or denied: a rate of 0 % may mean
  /// that the app does not log these answers. For the week at the top only if no user answered: then logging may
  /// have stopped.
  private var unanswered: [String?] {
    let all = Answers.byPermission(whole.allRows, of: whole)
    let never = all.filter(\.areNone)
    let week = scope.leadWeek == nil ? [] : Answers.byPermission(whole.leadRows, of: whole)
    let stopped = week.filter { row in row.areNone && !never.contains { $0.permission == row.permission } }
    func names(_ answers: [Answers]) -> String {
      NameList.of(answers, most: 3) { whole.names.permission($0.permission) }
    }
    func sentence(_ answers: [Answers], _ said: String, _ question: String) -> String? {
      answers.isEmpty ? nil : "\(said): \(names(answers)). \(question)"
    }
    return [
      sentence(never, "No user granted or denied", "Does the app log the answers?"),
      sentence(stopped, "No user granted or denied in this week", "Does the app still log the answers?"),
      sentence(all.filter(\.lackGrants), "Many users denied, but none granted", "Does the app log grants?"),
      sentence(all.filter(\.lackDenials), "Many users granted, but none denied", "Does the app log denials?"),
    ]
  }

  /// Permissions of which answers are logged and no screens.
  private var alone: String? {
    let names = names { whole.isUnknown(.screens, of: $0) }
    return names.isEmpty
      ? nil
      : "No screens are logged for \(NameList.of(names, most: 3)): rates count only users who answered."
  }

  /// Permissions with answers that are known only from a status check.
  private var byStatus: String? {
    let count = whole.allRows.reduce(0) { $0 + $1.answeredByStatus }
    guard count > 0 else { return nil }
    let names = names { $0.answeredByStatus > 0 }
    return
      "\(NumberText.counted(count, "answer")) of \(NameList.of(names, most: 3)) \(count == 1 ? "is" : "are") read from the status that the app "
      + "found after the prompt."
  }

  private func names(_ isMeant: (RowCounts) -> Bool) -> [String] {
    whole.names(whole.allRows.filter(isMeant)).map(whole.names.permission)
  }

  private func unexposed(isMany: Bool) -> String? {
    let count = scope.report.unexposed
    let all = count + whole.exposed
    // With conditions, exposures are of some users and answers without a screen of all users: there is no common share.
    let areMany = scope.report.conditions.isEmpty && Double(count) >= Threshold.unexposed * Double(all)
    guard count > 0, areMany == isMany else { return nil }
    return "Answers without a screen: \(NumberText.counted(count, "journey")), not in any rate."
  }

  private var noEvidence: String? {
    // Of permissions with users for whom it could be known.
    let kinds: [(kind: Evidence, name: String, concerns: (RowCounts) -> Bool)] = [
      (.enabledLater, "enabled later", { $0.denied > 0 }), (.revoked, "revoked", { $0.granted > 0 }),
      (.settingsOpened, "Settings opened", { $0.settingsShown > 0 }),
      (.featureUsed, "uses of a feature", { !whole.isUnknown(.activity, of: $0) }),
    ]
    let missing = kinds.compactMap { kind, name, concerns -> String? in
      let rows = whole.allRows.filter(concerns)
      let lacking = rows.filter { whole.isUnknown(kind, of: $0) }
      guard !lacking.isEmpty else { return nil }
      return lacking.count == rows.count ? name : name + " (" + NameList.of(whole.names(lacking), most: 2) + ")"
    }
    return missing.isEmpty ? nil : "Not known for lack of events: " + missing.joined(separator: ", ") + "."
  }

  // MARK: The rows

  /// `Pending over 20 %: camera 31.0 %, …`.
  private func list(_ title: String, from least: Double, _ share: (RowCounts) -> (Int, Int)) -> String? {
    let found = whole.leadRows.compactMap { row -> (row: RowCounts, share: Double)? in
      let (count, all) = share(row)
      guard all > 0, Double(count) >= least * Double(all), count > 0 else { return nil }
      return (row, Double(count) / Double(all))
    }.sorted { $0.share > $1.share }
    guard !found.isEmpty else { return nil }
    return title + ": "
      + NameList.of(found, most: 3) { whole.shortName($0.row) + "\u{A0}" + NumberText.percent($0.share) } + "."
  }

  private var values: [String?] {
    guard let properties = scope.propertyWords else { return [] }
    let parts = found(whole.report.valueTests.map { ($0.permission, $0.result?.pValue) })
      .map { $0.name + " (p\u{A0}" + ComparisonWords.pValue($0.p) + ")" }
    guard !parts.isEmpty else { return [] }
    return ["Values of \(properties) differ in grant rate: " + NameList.of(parts, most: 3) + "."]
  }

  /// Returns the permissions with a significant test, the smallest p first. With many tests one is significant by
  /// chance, so Holm over all.
  /// - Parameter isMeant: takes the index of the test.
  private func found(
    _ tests: [(permission: String, p: Double?)], where isMeant: (Int) -> Bool = { _ in true }
  ) -> [(name: String, p: Double)] {
    MultipleTesting.holm(tests.map(\.p)).enumerated().compactMap { index, p in
      guard let p, p < Threshold.pValue, isMeant(index) else { return nil }
      return (whole.names.permission(tests[index].permission), p)
    }.sorted { $0.p < $1.p }
  }

  /// Permissions whose grant rate rises or falls with the time since the install.
  private var timing: [String?] {
    let trends = whole.report.timing.map { (name: $0.permission, trend: $0.trend(.install)) }
    // The section comes before the names, which may be cut.
    func line(isRising: Bool) -> String? {
      let names = found(trends.map { ($0.name, $0.trend?.pValue) }) { index in
        trends[index].trend.map { ($0.statistic > 0) == isRising } ?? false
      }.map(\.name)
      return names.isEmpty
        ? nil
        : "Of users asked later after the install, \(isRising ? "more" : "fewer") grant (other users, not an effect; "
          + "see timing): "
          + NameList.of(names, most: 3) + "."
    }
    return [line(isRising: true), line(isRising: false)]
  }

  private var notAsked: String? {
    whole.notAsked.isEmpty
      ? nil
      : "No exposures in this week: " + NameList.of(whole.notAsked, most: 6, name: whole.names.permission) + "."
  }
}

// MARK: Sentences of a report about calls that returned at once

package enum CallSentences {
  package static let misread =
    "Not all shards could be read as the job requires (calls that return at once, answers without screens). Use a "
    + "log of all events instead."

  /// A sentence for each permission of which answers came at once.
  static func lines(_ report: Report, _ names: RowNames) -> [String] {
    var permissions: [[UInt8]] = []
    for (unit, _) in report.calls.notable where permissions.last != unit.permission {
      permissions.append(unit.permission)
    }
    return permissions.compactMap { line($0, report, names) }.sorted { $0.isFirst && !$1.isFirst }.map(\.text)
  }

  private static func line(_ permission: [UInt8], _ report: Report, _ names: RowNames) -> (text: String, isFirst: Bool)?
  {
    let units = report.calls.notable.filter { $0.unit.permission == permission && $0.counts.atOnce > 0 }.map(\.counts)
    let name = names.permission(String(bounded: permission))
    let applied = units.filter(\.isApplied)
    var sentences: [String] = []
    if !applied.isEmpty { sentences.append(said(applied.reduce(CallSums.Counts(), +), report)) }
    if units.contains(where: \.areLoggedTogether) {
      sentences.append("prompts and answers are logged together, so we cannot tell how long people take.")
    } else if units.contains(where: \.areInSeconds) {
      sentences.append("times are in whole seconds, too coarse to tell calls that returned at once from answers.")
    }
    return sentences.isEmpty ? nil : (name + ": " + sentences.joined(separator: " Elsewhere "), !applied.isEmpty)
  }

  private static func said(_ counts: CallSums.Counts, _ report: Report) -> String {
    let (atOnce, answered) = (Int(counts.atOnce), Int(counts.answered))
    let start =
      "\(NumberText.count(atOnce)) of \(NumberText.count(answered)) answers came within \(within(counts, report)) of the prompt: "
      + "no dialog was shown"
    if counts.notAsked == 0 { return start + ", and these calls do not count as asks." }
    let users = NumberText.counted(Int(counts.notAsked), "user")
    return counts.notAsked == counts.atOnce
      ? start + ". These \(users) had decided before, and are not counted."
      : start + ". \(users) had decided before, and are not counted."
  }

  /// The class that the slowest of these answers is in.
  private static func within(_ counts: CallSums.Counts, _ report: Report) -> String {
    let limit = report.atOnce
    let bucket = counts.times.indices.last { bucket in
      counts.times[bucket] > 0 && (bucket == 0 || CallTime.edges[bucket - 1] < limit - 1)
    }
    return NumberText.count(Int(max(1, min(bucket.flatMap(CallTime.end) ?? limit, limit)))) + "\u{A0}ms"
  }
}

// MARK: Why a figure is not known: the log lacks the events
// Each reason has its sentence only here.

enum EvidenceNotes {
  /// In the place of a table whose numbers are all unknown.
  static let nothing = "Nothing is known here."

  /// The sentence for an empty table of answers: that there are none or, if the app logs no answers, that they are not known.
  static func empty(_ sentence: String, _ rows: [ReportRow]) -> String {
    let lacking = sentences([.answers], rows.filter { $0.grants.base > 0 })
    return lacking.isEmpty ? sentence : lacking.joined(separator: " ")
  }

  /// The reasons of a section's rows, a sentence each.
  /// - Parameter kinds: the evidence that the section's figures rest on.
  static func sentences(_ kinds: [Evidence], _ rows: [ReportRow]) -> [String] {
    kinds.compactMap { kind in
      let lacking = rows.filter { $0.noEvidence.contains(kind) }.runs { RowNames.isSame($0.permission, $1.permission) }
      return lacking.isEmpty ? nil : sentence(kind, NameList.of(lacking, most: 6) { $0.first?.permission ?? "" })
    }
  }

  private static func sentence(_ kind: Evidence, _ names: String) -> String {
    let events =
      switch kind {
      case .enabledLater: "this log has no re_enabled or status_checked events of \(names) after an answer"
      case .revoked: "this log has no revoked or status_checked events of \(names) after a grant"
      case .activity, .featureUsed, .settingsOpened, .appInstalled: kind.sentence
      case .promptTimes: "prompts of \(names) are logged together with their answers"
      case .screens: "this log has no screens of \(names)"
      case .explanation: "this log has no explanation_shown events of \(names)"
      case .answers: "this log has no granted or denied events of \(names)"
      }
    return events.prefix(1).uppercased() + events.dropFirst() + ", so " + consequence(kind) + "."
  }

  private static func consequence(_ kind: Evidence) -> String {
    switch kind {
    case .activity: "we cannot tell who used the app again"
    case .featureUsed: "uses of a feature are not known"
    case .enabledLater: "we cannot tell who enabled it after a denial"
    case .revoked: "we cannot tell who turned it off"
    case .settingsOpened: "we cannot tell who followed the alert"
    case .appInstalled: "how long after the install people were asked is not known"
    case .promptTimes: "how long people take is not known"
    case .screens: "rates count only users who answered; how many did not is unknown"
    case .explanation: "what people do on an explanation is not known"
    case .answers: "what people answered is not known"
    }
  }
}

enum NameList {
  /// `camera, contacts and 3 more`.
  static func of(_ names: [String], most: Int, separator: String = ", ") -> String {
    of(names, most: most, separator: separator) { $0 }
  }

  /// - Parameter name: called only for the named items.
  static func of<Item>(_ items: [Item], most: Int, separator: String = ", ", name: (Item) -> String) -> String {
    let names = items.prefix(most).map(name).joined(separator: separator)
    return items.count > most ? names + " and \(items.count - most) more" : names
  }
}

// MARK: Grant rates that dropped, for alerts

extension Report {
  /// Rows of the newest complete week with a grant rate below its usual range; of rows with too few weeks before for one,
  /// a rate significantly lower than in the week before, after Holm's correction. Empty if that week has no exposures: an
  /// older drop was already reported.
  public var drops: [ReportRow] {
    guard let lead = weekOfDrops else { return [] }
    // Of all rows, not only of the rows that a page has room for.
    let dropped = rows.rows(of: lead) { number in
      if let usual = rows.usual(number) { return usual.outside == .lower }
      return Trend.isSignificant(rows.trend(number)?.adjustedPValue)
    }
    return ReportScope.inOrder(dropped.filter { $0.usual != nil || ($0.trend?.change?.value ?? 0) < 0 })
  }

  /// Whether a grant rate of the newest complete week could be compared with the weeks before. If not, no drop could be found.
  public var canFindDrops: Bool {
    guard let lead = weekOfDrops else { return false }
    return !rows.rows(of: lead) { rows.usual($0) != nil || rows.trend($0)?.adjustedPValue != nil }.isEmpty
  }

  private var weekOfDrops: CalendarWeek? {
    guard let asOf, let lead = ReportScope.leadWeek(self),
      to != nil || lead.index + 1 == zone.lastBegunWeek(at: asOf).index
    else { return nil }
    return lead
  }
}
