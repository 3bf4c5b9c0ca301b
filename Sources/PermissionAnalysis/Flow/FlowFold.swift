// The fold of flows: which permissions a user was asked for one after the other, and how that went.

import Buffers
import Folding
import PermissionEvents

/// Folds histories into the sums of flows. Most users have one flow of a few steps.
package struct FlowFold: Fold, ~Copyable {
  private let question: FlowQuestion
  private let windows: AnalysisWindows
  private let contexts: HistoryContexts
  /// Whether answers of some permission count alone.
  private let hasAlone: Bool
  private let from, to: Milliseconds
  private let room: Int
  private let values: ExposureValues
  private let permissionOfContext: Buffer<UInt32>
  /// By permission code the index of its name among all, bytewise.
  private let ranks: Buffer<UInt32>
  /// Codes of the declared steps; `UInt32.max` for one that no event has.
  private let declared: [UInt32]
  private var dayCursor = DayCursor()
  private let weekNumbers: WeekNumbers
  private var bits: PermissionBits
  private var rows: PermissionRows
  private var journeyRows = JourneyRows()
  private var steps = FlowSteps()
  private var table = FlowTable()
  private var durations = TimeLog()
  private var users = FlowUsers()
  private var failure: SumsError?

  package init(_ question: FlowQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    hasAlone = !contexts.answeredAlone.isEmpty
    windows = question.windows
    from = question.from ?? .min
    to = question.to ?? .max
    room = question.room.share(contexts).bytes
    weekNumbers = WeekNumbers(question.zone.weekStart)
    values = ExposureValues([], where: question.conditions, question.selection, contexts)
    permissionOfContext = contexts.permissionsOfContexts()
    ranks = contexts.permissionRanks()
    declared = question.steps.map { contexts.permissionCode($0) }
    bits = PermissionBits(permissionCount: contexts.permissions.count)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout FlowSums) {
    let count = windows.events(user.unsafeTimes, user.eventCount)
    guard count > 0 else { return }
    steps.removeAll()
    if count <= PermissionBits.mostEvents { readShort(user, count) } else { readLong(user, count) }
    guard steps.count > 0 else { return }
    steps.sort()
    var start = 0
    users.begin()
    while start < steps.count {
      let end = steps.end(ofFlowAt: start, window: windows.response)
      add(start..<end, user)
      start = end
    }
    users.end()
    if table.size > room, failure == nil { stopCounting() }
  }

  // MARK: Steps

  private mutating func readShort(_ user: borrowing UserHistory, _ count: Int) {
    let codes = user.unsafeCodes
    let permissionOfContext = permissionOfContext.unsafeAddress
    var writer = bits.begin()
    for i in 0..<count {
      let code = codes[i]
      writer.add(i, kind: Int(code & 15), permission: permissionOfContext[Int(code >> HistoryBatch.contextShift)])
    }
    bits.end(writer, codes)
    for number in 0..<bits.permissionCount {
      let permission = bits.permission(number)
      let events = bits.takeEvents(of: permission, user.unsafeTimes, codes)
      let exposure = events.exposure(isAlone: hasAlone && contexts.isAnsweredAlone(permission))
      guard permission != 0, exposure < events.end else { continue }
      append(events, permission, exposure: exposure, event: exposure)
    }
  }

  private mutating func readLong(_ user: borrowing UserHistory, _ count: Int) {
    let (times, codes) = (user.unsafeTimes, user.unsafeCodes)
    rows.fill(count, codes, permissionOfContext)
    for list in 0..<rows.permissions.count where rows.permissions[list] != 0 {
      journeyRows.fill(list, of: rows, times, codes)
      let events = journeyRows.events
      let exposure = events.exposure(isAlone: hasAlone && contexts.isAnsweredAlone(rows.permissions[list]))
      guard exposure < events.end else { continue }
      append(events, rows.permissions[list], exposure: exposure, event: journeyRows.rowNumbers[exposure])
    }
  }

  @inline(__always)
  private mutating func append(_ events: some JourneyEvents, _ permission: UInt32, exposure: Int, event: Int) {
    let journey = JourneyFacts(
      events, exposure: exposure, permission: PermissionCode(rawValue: permission), windows: windows)
    steps.append(
      FlowStep(
        journey, kind: events.kind(exposure), permission: permission, rank: ranks[Int(permission)], event: event))
  }

  // MARK: Flows

  private mutating func add(_ flow: Range<Int>, _ user: borrowing UserHistory) {
    let first = steps[flow.lowerBound]
    guard first.start >= from, first.start < to, values.meetsConditions(user, Int(first.event)) else { return }
    let isFirst = flow.lowerBound == 0
    let week = weekNumbers.week(of: dayCursor.day(of: first.start, in: question.zone))
    let place = table.place(week: week, isFirst: isFirst)
    guard steps[flow.upperBound - 1].start + windows.response <= windows.asOf else {
      return table.add(to: FlowCounter.pending, at: place)
    }
    table.add(to: FlowCounter.settled, at: place)
    users.add(week: week, isFirst: isFirst)
    addDeclared(flow, at: place)
    guard failure == nil else { return }
    var node = 0
    var before = 0
    for number in flow {
      let step = steps[number]
      if number - flow.lowerBound < FlowQuestion.mostSteps { node = table.node(node, then: step.permission) }
      table.addStep(step, number: number - flow.lowerBound, before: before, at: place)
      before = Int(step.outcome) + 1
    }
    let outcomes = table.outcomes(of: node, at: place)
    for number in flow.prefix(FlowQuestion.mostSteps) {
      outcomes[(number - flow.lowerBound) * Outcome.settled.count + Int(steps[number].outcome)] += 1
    }
    if flow.count > FlowQuestion.mostSteps {
      let last = steps[flow.lowerBound + FlowQuestion.mostSteps - 1]
      outcomes[FlowSums.more + Int(last.outcome)] += 1
    }
  }

  /// How far a flow went that begins as the declared one does. Each permission comes once in it.
  private mutating func addDeclared(_ flow: Range<Int>, at place: Int) {
    guard let first = declared.first, steps[flow.lowerBound].permission == first else { return }
    var reached = 0
    for number in flow where reached < declared.count && steps[number].permission == declared[reached] {
      table.add(to: FlowCounter.reached + reached, at: place)
      let answer = steps[number].answer
      if answer != .min {
        table.add(to: FlowCounter.answered + reached, at: place)
        if reached == declared.count - 1 {
          let duration = answer - steps[flow.lowerBound].start
          table.add(duration, to: FlowCounter.duration, at: place)
          durations.add(slot: place, series: .granted, time: duration)
        }
      }
      reached += 1
    }
  }

  /// The walk goes on without lists, and the sums record why.
  private mutating func stopCounting() {
    failure = FlowSums.tooMany(question.room)
    table = FlowTable()
    durations = TimeLog()
  }

  package mutating func finish(into sums: inout FlowSums) {
    var times = durations.take(slots: table.places.count)
    // One series of each slot.
    times = stride(from: TimeSeries.granted.rawValue, to: times.count, by: TimeSeries.count).map { times[$0] }
    sums = FlowSums(table, contexts.permissions, times, users, failure: failure, room: question.room)
  }
}

// MARK: One user's exposures in the order of time, cut into flows

struct FlowStep {
  /// t0 and t1. Without an answer `answer` is `Milliseconds.min`.
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

package struct FlowQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Flows whose first t0 is in [from, to). Nil is unbounded.
  package var from, to: Milliseconds?
  /// The conditions on the first exposure of a flow; all must hold.
  package var conditions: [ExposureCondition] = []
  /// Permissions of a declared flow, in the order in which the app asks; empty for none.
  package var steps: [String] = []
  /// The only permission of the tables by position and by the outcome before. Only figures use it: sums have all.
  package var permission: String?
  package var room = GroupRoom()

  /// The most steps of a flow in the tree, and of a declared flow.
  package static let mostSteps = 8

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  package var selection: HistorySelection {
    var selection = HistorySelection()
    selection.add(conditions.map(\.field))
    return selection
  }
}

/// A report on apps that ask for several permissions one after the other.
public struct FlowReport: Sendable {
  /// The `as_of` of the answer. Nil for an empty log.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// How long after an exposure an answer counts, and the next one belongs to the same flow, in milliseconds.
  public let responseWindow: Milliseconds
  /// The interval of the first exposure of flows, in UTC milliseconds since 1970; nil is unbounded.
  public let from, to: Milliseconds?
  /// The conditions on the first exposure of a flow.
  public let conditions: [ExposureCondition]
  /// The declared flow; empty without one.
  public let steps: [String]
  /// The only permission of `byPosition` and `byOutcomeBefore`; nil for all.
  public let permission: String?
  /// All weeks first, then week by week; for each all flows, first and later ones, if any.
  public let entries: FlowEntries
  /// Whether a part of the sums was read in a different way than the sums of all users require.
  package let isMisread: Bool
  /// How finely the times of the declared flow are known, in milliseconds.
  package let timeStep: Milliseconds
  /// The age of the log. Nil if `as_of` was given, or if the answer is from sums.
  public package(set) var age: DataAge?
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  public var leftOutUsers: Int?

  /// The name of `zone`.
  public var timeZone: String { zone.name }
  /// All flows of all weeks.
  public var all: FlowEntry { entries[0] }

  /// - Throws: if the flows could not be counted, or if there are too many.
  package init(
    _ sums: FlowSums, _ question: FlowQuestion, isOfEmptyLog: Bool = false, reading: CallReading = CallReading()
  ) throws(SumsError) {
    try sums.checkRoom()
    try sums.checkTotals()
    asOf = isOfEmptyLog ? nil : question.windows.asOf
    isMisread = CallReading(sums.calls) != reading
    timeStep = question.steps.map { sums.calls.timeStep(Array($0.utf8)) }.min() ?? 1
    zone = question.zone
    responseWindow = question.windows.response
    (from, to) = (question.from, question.to)
    conditions = question.conditions
    (steps, permission) = (question.steps, question.permission)
    entries = FlowEntries(sums, steps: question.steps, permission: question.permission)
  }
}
