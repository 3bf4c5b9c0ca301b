// The fold of flows: which permissions a user was asked for one after the other, and how that went.

import Buffers
import Folding
import PermissionEvents

/// Folds histories into the sums of flows. Most users have one flow of a few steps.
package struct FlowFold: Fold, ~Copyable {
  private let question: FlowQuestion
  private let windows: AnalysisWindows
  private let contexts: HistoryContexts
  /// Answers of some permission stand alone.
  private let hasAlone: Bool
  private let from, to: Milliseconds
  private let room: Int
  private let values: ExposureValues
  private let permissionOfContext: Buffer<UInt32>
  /// By permission code the place of its name among all, bytewise.
  private let ranks: Buffer<UInt32>
  /// Codes of the declared steps; `UInt32.max` for one that no event has.
  private let declared: [UInt32]
  private var dayCursor = DayCursor()
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
    values = ExposureValues([], where: question.conditions, question.selection, contexts)
    permissionOfContext = contexts.permissionsOfContexts()
    ranks = contexts.permissionRanks()
    declared = question.steps.map { contexts.permissionCode($0) }
    bits = PermissionBits(permissionCount: contexts.permissions.count)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout FlowSums) {
    let times = user.unsafeTimes
    var count = user.eventCount
    while count > 0, times[count - 1] > windows.asOf { count -= 1 }
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
    let week = DayCursor.week(of: dayCursor.day(of: first.start, in: question.zone))
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

  /// The walk goes on without lists, and the sums say why.
  private mutating func stopCounting() {
    failure = FlowSums.tooMany(bytes: question.room.bytes)
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
