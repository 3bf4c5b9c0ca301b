// What is said of flows in sentences.

import PermissionAnalysis
import PermissionEvents

struct FlowSentences {
  let report: FlowReport
  /// All flows of all weeks.
  let entry: FlowEntry

  init(_ report: FlowReport) { (self.report, entry) = (report, report.all) }

  /// How many go on.
  var headline: String {
    let settled = entry.settled
    guard settled > 0 else {
      return
        "No flow is settled yet: \(NumberText.count(entry.pending)) \(entry.pending == 1 ? "is" : "are") still open."
    }
    return
      "Of \(NumberText.counted(settled, "flow")) \(NumberText.percent(Double(entry.wentOn) / Double(settled))) went on to "
      + "a second permission."
  }

  /// `camera: asked right after a denial 12.0 % grant (…), after a grant 44.0 % (…): −32.0 points (…)`, those of the most
  /// users first.
  var orders: [String] {
    let groups = Dictionary(grouping: entry.byOutcomeBefore) { Array($0.permission.utf8) }
    let pairs = groups.compactMap {
      name, rows -> (name: [UInt8], denied: FlowEntry.Grants, granted: FlowEntry.Grants)? in
      guard let denied = rows.first(where: { $0.group == "denied" }),
        let granted = rows.first(where: { $0.group == "granted" }),
        min(denied.base, granted.base) >= Drawable.leastBase
      else { return nil }
      return (name, denied, granted)
    }
    return pairs.sorted { a, b in
      let (left, right) = (a.denied.base + a.granted.base, b.denied.base + b.granted.base)
      return left == right ? a.name.lexicographicallyPrecedes(b.name) : left > right
    }.map { sentence($0.denied, $0.granted) }
  }

  private func sentence(_ denied: FlowEntry.Grants, _ granted: FlowEntry.Grants) -> String {
    func rate(_ grants: FlowEntry.Grants) -> String {
      guard let rate = grants.rate else { return "–" }
      return NumberText.percent(rate.value) + (NumberText.interval(rate).map { "\u{A0}(\($0))" } ?? "")
    }
    let difference = denied.difference(from: granted)
    let points = difference.map { difference in
      ": \(NumberText.signed(difference.value * 100))\u{A0}points"
        + (NumberText.signedInterval(difference, scale: 100).map { " (\($0))" } ?? "")
    }
    return "\(RowNames.permission(denied.permission)): granted by \(rate(denied)) when asked right after a denial, by "
      + "\(rate(granted)) after a grant" + (points ?? "") + "."
  }

  /// Said once beside all of them.
  static let observation =
    "Observations, not effects: who has just denied something differs from who has granted it, whatever comes next."

  /// How many come through the declared flow, and how long they take.
  var declared: String? {
    guard let flow = entry.declared else { return nil }
    let name = flow.permissions.map(RowNames.permission).joined(separator: ", then ")
    guard let rate = flow.completedRate else { return "No settled flow begins with \(flow.permissions.first ?? "")." }
    let interval = NumberText.interval(rate).map { ", \($0)" } ?? ""
    let share =
      "Completed \(name): \(NumberText.count(flow.completed)) of \(NumberText.count(flow.started)) flows "
      + "(\(NumberText.percent(rate.value))\(interval))"
    let times = [("half of them within", flow.duration.p50), ("90\u{A0}% within", flow.duration.p90)]
      .compactMap { name, time in time.map { "\(name) \(NumberText.duration($0))" } }
    return share + (times.isEmpty ? "" : ", " + times.joined(separator: ", ")) + "."
  }

  /// What to know of the permissions that are named.
  var cautions: [String] {
    let names = Set(entry.tree.flatMap(\.prefix))
    return (report.isMisread ? [CallSentences.misread] : [])
      + UnansweredPermission.among(names).map(\.caution)
  }

  // MARK: What it is of

  var title: String {
    let span = DayWords.span(from: report.from, to: report.to, report.zone)
    return "Flows of permissions" + (span.map { ", " + $0 } ?? "")
  }

  /// As of when, and of whom.
  var place: String {
    let moment = "as of \(report.asOf.map { NumberText.moment($0, report.zone) } ?? "–"), \(report.timeZone)"
    // Users are those of settled flows.
    let settled =
      entry.settled > 0
      ? "\(NumberText.counted(entry.settled, "settled flow")) of \(NumberText.counted(entry.users, "user"))"
      : "no settled flow"
    let pending = entry.pending > 0 ? ", \(NumberText.counted(entry.pending, "flow")) still open" : ""
    let counts = settled + pending
    return moment + "; " + counts + ComparisonWords.age(report.age)
  }

  /// What first exposures meet; nil if all count.
  var conditions: String? {
    report.conditions.isEmpty
      ? nil : "first exposure: " + report.conditions.map(\.description).joined(separator: " and ")
  }

  /// What a flow is, and what the columns are.
  var legend: String {
    "A flow: what a user was asked for the first time, each within \(NumberText.window(report.responseWindow)) of the one "
      + "before. Shares of the flows that came there; none: no answer in time; ended: nothing was asked after it."
  }
}
