// What a report says of calls that returned at once, and of answers that a status or nothing but themselves tells.

import PermissionAnalysis
import PermissionEvents

package enum CallSentences {
  package static let misread =
    "Not all shards could be read as the job requires (calls that return at once, answers without screens): ask a log of all events."

  /// A sentence for each permission of which answers came at once.
  static func lines(_ report: Report) -> [String] {
    var names: [[UInt8]] = []
    for (unit, _) in report.calls.notable where names.last != unit.permission { names.append(unit.permission) }
    return names.compactMap { line($0, report) }.sorted { $0.isFirst && !$1.isFirst }.map(\.text)
  }

  private static func line(_ permission: [UInt8], _ report: Report) -> (text: String, isFirst: Bool)? {
    let units = report.calls.notable.filter { $0.unit.permission == permission && $0.counts.atOnce > 0 }.map(\.counts)
    let name = RowNames.permission(String(decoding: permission, as: UTF8.self))
    let applied = units.filter(\.isApplied)
    var sentences: [String] = []
    if !applied.isEmpty { sentences.append(said(applied.reduce(CallSums.Counts(), +), report)) }
    if units.contains(where: \.areLoggedTogether) {
      sentences.append("prompts and answers are logged together, so nobody knows how long people take.")
    } else if units.contains(where: \.areInSeconds) {
      sentences.append("times are whole seconds, which do not tell calls that returned at once from answers.")
    }
    return sentences.isEmpty ? nil : (name + ": " + sentences.joined(separator: " Elsewhere "), !applied.isEmpty)
  }

  private static func said(_ counts: CallSums.Counts, _ report: Report) -> String {
    let (atOnce, answered) = (Int(counts.atOnce), Int(counts.answered))
    let start =
      "\(NumberText.count(atOnce)) of \(NumberText.count(answered)) answers came within \(within(counts, report)) of the prompt: "
      + "no dialog was shown"
    if counts.notAsked == 0 { return start + ", and these calls are no asks." }
    let users = NumberText.counted(Int(counts.notAsked), "user")
    return counts.notAsked == counts.atOnce
      ? start + ". These \(users) had decided before, and are not counted."
      : start + ". \(users) had decided before, and are not counted."
  }

  /// The class that the slowest of these answers is in.
  private static func within(_ counts: CallSums.Counts, _ report: Report) -> String {
    let limit = report.atOnce
    let place = counts.times.indices.last { place in
      counts.times[place] > 0 && (place == 0 || CallTime.edges[place - 1] < limit - 1)
    }
    return NumberText.count(Int(max(1, min(place.flatMap(CallTime.end) ?? limit, limit)))) + "\u{A0}ms"
  }
}
