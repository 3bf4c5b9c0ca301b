// Folds users' histories into the sums of a comparison.

import Buffers
import Folding
import PermissionEvents

/// Counts the journeys of some variants.
package struct ComparisonFold: Fold, ~Copyable {
  let question: ComparisonQuestion
  private let contexts: HistoryContexts
  var arms: ArmTable
  /// By calendar day of the exposure.
  var days: ArmCounterTable
  /// By combination of the checked attributes at the exposure.
  var attributes: ArmCounterTable
  /// By value of the property that was asked for.
  var properties: ArmCounterTable
  /// Times to answer, slots: those of `ArmPlace`.
  var times = TimeLog()

  let windows: AnalysisWindows
  private let isTarget: Buffer<UInt8>
  private let isScreenOfExperiment: Buffer<UInt8>
  private let armOfContext: Buffer<Int32>
  let permission: PermissionCode
  let asOfDay: DayNumber
  var dayCursor = DayCursor()
  private var rows = JourneyRows()

  package init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    arms = ArmTable(arms: question.arms)
    days = ArmCounterTable(keys: question.days(contexts.times), arms: question.arms)
    attributes = ArmCounterTable(keys: 0...max(0, contexts.attributes.count - 1), arms: question.arms)
    properties = ArmCounterTable(keys: 0...max(0, contexts.properties.count - 1), arms: question.arms)
    func code(_ name: String, _ names: [[UInt8]]) -> UInt32 {
      names.firstIndex(of: Array(name.utf8)).map { UInt32(truncatingIfNeeded: $0) } ?? .max
    }
    let permission = code(question.permission, contexts.permissions)
    let variants = question.variants?.map { code($0, contexts.variants) }
    let experiment = question.experiment.map { code($0, contexts.experiments) }
    var isTarget = Buffer<UInt8>()
    var isScreenOfExperiment = Buffer<UInt8>()
    var armOfContext = Buffer<Int32>()
    for context in contexts.contexts {
      isTarget.append(context.permission == permission ? 1 : 0)
      isScreenOfExperiment.append(experiment == nil || context.experiment == experiment ? 1 : 0)
      armOfContext.append(Int32(variants.map { $0.firstIndex(of: context.variant) ?? -1 } ?? 0))
    }
    self.permission = PermissionCode(rawValue: permission)
    self.isTarget = isTarget
    self.isScreenOfExperiment = isScreenOfExperiment
    self.armOfContext = armOfContext
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ComparisonSums) {
    let isTarget = isTarget.unsafeAddress
    let asOf = windows.asOf
    let times = user.unsafeTimes
    let codes = user.unsafeCodes
    rows.removeAll()
    for i in 0..<user.eventCount {
      let code = codes[i]
      guard isTarget[Int(code >> HistoryBatch.contextShift)] != 0 else { continue }
      if times[i] > asOf { break }
      rows.append(time: times[i], code: code, row: i)
    }
    let events = rows.events
    if events.count > 0 { fold(events, user) }
  }

  private mutating func fold(_ events: EventList, _ user: borrowing UserHistory) {
    var exposure = -1
    var seen: UInt64 = 0
    for i in 0..<events.count where events.kind(i) <= KindCode.promptShown {
      let context = Int(events.code(i) >> HistoryBatch.contextShift)
      guard isScreenOfExperiment[context] != 0 else { continue }
      if exposure < 0 {
        exposure = i
        // Whoever saw another variant first belongs to no arm.
        if armOfContext[context] < 0 { return }
      }
      if armOfContext[context] >= 0 { seen |= 1 << UInt64(armOfContext[context]) }
    }
    guard exposure >= 0 else { return }
    let arm = Int(armOfContext[Int(events.code(exposure) >> HistoryBatch.contextShift)])
    let journey = JourneyFacts(events, exposure: exposure, permission: permission, windows: windows)
    add(
      journey, arm: arm, isContaminated: seen & (seen &- 1) != 0, exposure: rows.rowNumbers[exposure], user)
  }

  package mutating func finish(into sums: inout ComparisonSums) {
    sums.variants = question.armNames
    sums.arms = arms.integers()
    for (slot, day) in days.keys.enumerated() { sums.days[DayNumber(day)] = days.integers(slot: slot) }
    for (slot, code) in attributes.keys.enumerated() {
      let integers = attributes.integers(slot: slot)
      for (place, field) in ComparisonQuestion.checkedAttributes.enumerated() {
        let value = contexts.attributeValues[place][Int(contexts.attributes[code][place])]
        sums.addStratum(of: field, value, integers)
      }
    }
    if let by = question.by, !ComparisonQuestion.checkedAttributes.contains(by) {
      for (slot, code) in properties.keys.enumerated() {
        sums.addStratum(of: by, contexts.properties[code], properties.integers(slot: slot))
      }
    }
    sums.times = times.take(slots: question.arms * 2)
  }
}

/// What a journey says about each metric.
private struct JourneyMarks {
  var outcome: Outcome
  /// Followed to the end of the follow-up; granted by then.
  var isFollowed = false
  var isGrantedByThen = false
  /// Day 7 is over; the user was active on it.
  var isPastDay7 = false
  var isRetained = false

  @inline(__always)
  func add(to counters: UnsafeMutablePointer<Int64>) {
    counters[ArmCounter.exposed.rawValue] += 1
    switch outcome {
    case .pending: counters[ArmCounter.pending.rawValue] += 1
    case .restricted: counters[ArmCounter.restricted.rawValue] += 1
    default:
      counters[ArmCounter.granted.rawValue + outcome.rawValue] += 1
      counters[ArmCounter.followUpEligible.rawValue] += isFollowed ? 1 : 0
      counters[ArmCounter.followUpGranted.rawValue] += isGrantedByThen ? 1 : 0
      counters[ArmCounter.retentionEligible.rawValue] += isPastDay7 ? 1 : 0
      counters[ArmCounter.retained.rawValue] += isRetained ? 1 : 0
    }
  }
}

extension ComparisonFold {
  /// - Parameter exposure: number of the exposure among the user's events of permissions.
  mutating func add(
    _ journey: JourneyFacts, arm: Int, isContaminated: Bool, exposure: Int, _ user: borrowing UserHistory
  ) {
    let counters = arms.counters(of: arm, isContaminated: isContaminated)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    var marks = JourneyMarks(outcome: journey.outcome)
    if journey.isInBase {
      if journey.isFollowed(windows) {
        marks.isFollowed = true
        marks.isGrantedByThen = journey.isGrantedByFollowUp(windows)
      }
      if DayAfter.isOver(7, after: day, asOfDay: asOfDay) {
        marks.isPastDay7 = true
        marks.isRetained = isActive(on: day + 7, user, from: journey.start)
      }
      if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
        times.add(
          slot: ArmPlace.number(arm, isContaminated: isContaminated), series: series,
          time: journey.answerTime - journey.start)
      }
      if journey.outcome != .granted { addReturn(journey, counters) }
    }
    marks.add(to: counters)
    marks.add(to: days.counters(of: Int(day), arm: arm, isContaminated: isContaminated))
    if user.hasAttributes {
      let code = user.attributes(exposure)
      marks.add(to: attributes.counters(of: code, arm: arm, isContaminated: isContaminated))
    }
    if let values = user.unsafeProperties {
      marks.add(to: properties.counters(of: Int(values[exposure]), arm: arm, isContaminated: isContaminated))
    }
  }

  /// Enabled later: whole days since the answer, to the enabling or to as_of.
  private mutating func addReturn(_ journey: JourneyFacts, _ counters: UnsafeMutablePointer<Int64>) {
    let (day, isEnabled) = journey.timeToReturn(windows)
    let start = ArmCounter.survival + (journey.outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    counters[start + Survival.place(day: day, isEnabled: isEnabled)] += 1
  }

  /// True if the user has an engagement event on a calendar day, which is after the day of an exposure.
  private mutating func isActive(on day: DayNumber, _ user: borrowing UserHistory, from exposure: Milliseconds) -> Bool
  {
    // Clocks are set by less than a day, so that no later event can lie on that day.
    let last = min(windows.asOf, exposure + 10 * millisecondsPerDay)
    let engagement = user.unsafeEngagement
    for i in 0..<user.engagementCount {
      let time = Milliseconds(engagement[i] >> 1)
      if time > last { return false }
      if time >= exposure, dayCursor.day(of: time, in: question.zone) == day { return true }
    }
    return false
  }
}
