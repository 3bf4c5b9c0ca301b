// One user's exposures in the order of time, cut into flows.

import Buffers
import PermissionEvents

/// An exposure as a step of a flow.
struct FlowStep {
  /// t0 and t1; `answer` is `Milliseconds.min` if there is none.
  var start, answer: Milliseconds
  var permission: UInt32
  /// Of the permission's name among all names, bytewise.
  var rank: UInt32
  /// Number of the exposure among the user's events of permissions.
  var event: Int32
  var kind: UInt8
  /// Raw value of `Outcome`.
  var outcome: UInt8

  @inline(__always)
  init(_ journey: JourneyFacts, kind: UInt8, permission: UInt32, rank: UInt32, event: Int) {
    start = journey.start
    answer = journey.isAnswered ? journey.answerTime : .min
    self.permission = permission
    self.rank = rank
    self.event = Int32(truncatingIfNeeded: event)
    self.kind = kind
    outcome = UInt8(truncatingIfNeeded: journey.outcome.rawValue)
  }

  /// By t0, then by the kind of the screen, then by the permission's name.
  @inline(__always)
  static func isBefore(_ a: FlowStep, _ b: FlowStep) -> Bool {
    if a.start != b.start { return a.start < b.start }
    if a.kind != b.kind { return a.kind < b.kind }
    return a.rank < b.rank
  }
}

/// The steps of one user. Reused from user to user.
struct FlowSteps: ~Copyable {
  private var steps = Buffer<FlowStep>(capacity: 64)

  var count: Int { steps.count }
  mutating func removeAll() { steps.removeAll() }
  @inline(__always) mutating func append(_ step: FlowStep) { steps.append(step) }
  @inline(__always) subscript(_ number: Int) -> FlowStep { steps[number] }

  /// Puts the steps in their order. Mostly they are few, or are in it.
  func sort() {
    guard steps.count > 1 else { return }
    var all = UnsafeMutableBufferPointer(start: steps.unsafeAddress, count: steps.count)
    all.sort(by: FlowStep.isBefore)
  }

  /// The end of the flow that begins with a step: the next t0 is later than t0 + W of the one before.
  func end(ofFlowAt start: Int, window: Milliseconds) -> Int {
    var end = start + 1
    while end < steps.count, steps[end].start <= steps[end - 1].start + window { end += 1 }
    return end
  }
}
