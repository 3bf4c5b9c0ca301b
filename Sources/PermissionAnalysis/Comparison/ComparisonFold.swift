// Folds users' histories into the sums of a comparison.

import Folding
import PermissionEvents

/// Counts the journeys of some messages.
package struct ComparisonFold: Fold, ~Copyable {
  let question: ComparisonQuestion
  private let contexts: HistoryContexts
  var arms: ArmTable
  /// By calendar day of the exposure.
  var days: TallyTable
  /// By combination of the checked attributes at the exposure.
  var attributes: TallyTable
  /// By value of the property that was asked for.
  var properties: TallyTable
  /// Times to answer, slots: those of `ArmPlace`.
  var times = TimeLog()

  let windows: AnalysisWindows
  private let isTarget: FlatBuffer<UInt8>
  private let isScreenOfExperiment: FlatBuffer<UInt8>
  private let armOfContext: FlatBuffer<Int32>
  let permission: PermissionCode
  let asOfDay: DayNumber
  var dayCursor = DayCursor()
  private var rows = JourneyRows()

  package init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    arms = ArmTable(arms: question.arms)
    days = TallyTable(keys: question.days(contexts.times), arms: question.arms)
    attributes = TallyTable(keys: 0...max(0, contexts.attributes.count - 1), arms: question.arms)
    properties = TallyTable(keys: 0...max(0, contexts.properties.count - 1), arms: question.arms)
    func code(_ name: String, _ names: [[UInt8]]) -> UInt32 {
      names.firstIndex(of: Array(name.utf8)).map { UInt32(truncatingIfNeeded: $0) } ?? .max
    }
    let permission = code(question.permission, contexts.permissions)
    let variants = question.variants?.map { code($0, contexts.variants) }
    let experiment = question.experiment.map { code($0, contexts.experiments) }
    var isTarget = FlatBuffer<UInt8>()
    var isScreenOfExperiment = FlatBuffer<UInt8>()
    var armOfContext = FlatBuffer<Int32>()
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

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ComparisonCounts) {
    let isTarget = isTarget.pointer
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
        // Whoever saw another message first belongs to no arm.
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

  package mutating func finish(into sums: inout ComparisonCounts) {
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
