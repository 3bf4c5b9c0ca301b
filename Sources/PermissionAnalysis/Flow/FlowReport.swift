// What is known of flows, ready to be rendered.

import Folding
import PermissionEvents

/// What happens when an app asks for several permissions one after the other.
public struct FlowReport: Sendable {
  /// The moment that it looks from; nil for an empty log.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// How long after an exposure an answer counts, and the next one belongs to the same flow, in milliseconds.
  public let responseWindow: Milliseconds
  /// The interval of the first exposure of flows, in UTC milliseconds since 1970; nil is unbounded.
  public let from, to: Milliseconds?
  /// What the first exposure of a flow meets.
  public let conditions: [ExposureCondition]
  /// The declared flow; empty if there is none.
  public let steps: [String]
  /// The only permission of `byPosition` and `byOutcomeBefore`; nil for all.
  public let permission: String?
  /// All weeks first, then week by week; of each all flows, first and later ones, if there are any.
  public let entries: FlowEntries
  /// True for sums of which a part was read in another way than all users call for.
  package let isMisread: Bool
  /// How old the log is; nil if the moment to look from was given, or the answer is from sums.
  public package(set) var age: DataAge?

  /// The name of `zone`.
  public var timeZone: String { zone.name }
  /// All flows of all weeks.
  public var all: FlowEntry { entries[0] }

  /// - Parameter reading: by which the sums were counted.
  /// - Throws: if the flows could not be counted, or are more than figures are made of.
  package init(
    _ sums: FlowSums, _ question: FlowQuestion, isOfEmptyLog: Bool = false, reading: CallReading = CallReading()
  ) throws(SumsError) {
    try sums.checkRoom()
    try sums.checkTotals()
    asOf = isOfEmptyLog ? nil : question.windows.asOf
    isMisread = CallReading(sums.calls) != reading
    zone = question.zone
    responseWindow = question.windows.response
    (from, to) = (question.from, question.to)
    conditions = question.conditions
    (steps, permission) = (question.steps, question.permission)
    entries = FlowEntries(sums, steps: question.steps, permission: question.permission)
  }
}
