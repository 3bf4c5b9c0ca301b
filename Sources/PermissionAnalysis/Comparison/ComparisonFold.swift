// Folds users' histories into the sums of a comparison: integers, so that the sums of threads add up in any order.

import PermissionEvents

/// Counts the journeys of some messages. Owned by one thread; folds of disjoint users add up.
package final class ComparisonFold: HistoryConsumer, @unchecked Sendable {
  let question: ComparisonQuestion
  let contexts: HistoryContexts
  @exclusivity(unchecked) var arms: ArmTable
  /// By calendar day of the exposure.
  @exclusivity(unchecked) var days: TallyTable
  /// By combination of the checked attributes at the exposure.
  @exclusivity(unchecked) var attributes: TallyTable
  /// By value of the property that was asked for.
  @exclusivity(unchecked) var properties: TallyTable
  /// Times to answer, slots: arm · 2, plus 1 for users who saw several messages.
  @exclusivity(unchecked) var times = TimeLog()

  let windows: AnalysisWindows
  private let armCount: Int
  private let isTarget: FlatBuffer<UInt8>
  private let isScreenOfExperiment: FlatBuffer<UInt8>
  private let armOfContext: FlatBuffer<Int32>
  let asOfDay: DayNumber
  @exclusivity(unchecked) var dayCursor = DayCursor()
  @exclusivity(unchecked) var rows = JourneyRows()

  package init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    armCount = question.arms
    arms = ArmTable(arms: question.arms)
    days = TallyTable(keys: question.days, arms: question.arms)
    attributes = TallyTable(keys: 0...max(0, contexts.attributes.count - 1), arms: question.arms)
    properties = TallyTable(keys: 0...max(0, contexts.properties.count - 1), arms: question.arms)
    var isTarget = FlatBuffer<UInt8>()
    var isScreenOfExperiment = FlatBuffer<UInt8>()
    var armOfContext = FlatBuffer<Int32>()
    for context in contexts.contexts {
      isTarget.append(context.permission == question.permission ? 1 : 0)
      isScreenOfExperiment.append(question.experiment == nil || context.experiment == question.experiment ? 1 : 0)
      armOfContext.append(Int32(question.variants.map { $0.firstIndex(of: context.variant) ?? -1 } ?? 0))
    }
    self.isTarget = isTarget
    self.isScreenOfExperiment = isScreenOfExperiment
    self.armOfContext = armOfContext
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
  }

  /// Takes over the sums of other users' histories; the other is not used again.
  package func merge(_ other: ComparisonFold) {
    arms.merge(other.arms)
    days.merge(other.days)
    attributes.merge(other.attributes)
    properties.merge(other.properties)
    times.take(&other.times, slots: Array(0..<armCount * 2))
  }

  /// One user of a batch.
  struct User {
    let batch: HistoryBatch
    let number: Int
    /// Number in the batch of the first event of a permission.
    let firstEvent: Int
    let engagement: UnsafePointer<UInt64>
    let engagementCount: Int
  }

  package func consume(_ batch: HistoryBatch) {
    let isTarget = isTarget.pointer
    let asOf = windows.asOf
    var start = 0
    var engagement = 0
    for number in 0..<batch.userCount {
      let count = Int(batch.permissionCounts[number])
      let engagementCount = Int(batch.engagementCounts[number])
      let times = batch.times + start
      let codes = batch.codes + start
      rows.removeAll()
      for i in 0..<count {
        let code = codes[i]
        guard isTarget[Int(code >> HistoryBatch.contextShift)] != 0 else { continue }
        if times[i] > asOf { break }
        rows.append(time: times[i], code: code, row: i)
      }
      let events = rows.events
      if events.count > 0 {
        fold(
          events,
          User(
            batch: batch, number: number, firstEvent: start, engagement: batch.engagement + engagement,
            engagementCount: engagementCount))
      }
      start += count
      engagement += engagementCount
    }
  }

  private func fold(_ events: EventList, _ user: User) {
    var exposure = -1
    var seen: UInt64 = 0
    for i in 0..<events.count where events.kind(i) <= KindCode.promptShown {
      let context = Int(events.code(i) >> HistoryBatch.contextShift)
      guard isScreenOfExperiment[context] != 0 else { continue }
      if exposure < 0 {
        exposure = i
        // Whoever saw another message first belongs to no arm.
        if armOfContext[context] < 0 { return }
      }
      if armOfContext[context] >= 0 { seen |= 1 << UInt64(armOfContext[context]) }
    }
    guard exposure >= 0 else { return }
    let arm = Int(armOfContext[Int(events.code(exposure) >> HistoryBatch.contextShift)])
    let journey = Journey(
      events, exposure: exposure, permission: PermissionCode(rawValue: question.permission), windows: windows)
    add(journey, events, arm: arm, isContaminated: seen & (seen &- 1) != 0, user)
  }
}
