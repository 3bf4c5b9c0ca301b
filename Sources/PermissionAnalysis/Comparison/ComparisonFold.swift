// Folds users' histories into the sums of a comparison.

import PermissionEvents

/// Counts the journeys of two messages. Owned by one thread; folds of disjoint users add up.
package final class ComparisonFold: HistoryConsumer, @unchecked Sendable {
  let question: ComparisonQuestion
  /// Of users who saw one message, and of those who saw both, by arm.
  private(set) var clean = [ArmCounts(), ArmCounts()]
  private(set) var contaminated = [ArmCounts(), ArmCounts()]
  /// Exposures by calendar day and arm.
  private(set) var days: [DayNumber: [Int]] = [:]
  /// Times to answer, slots: arm, then arm + 2 for users who saw both messages.
  @exclusivity(unchecked) private(set) var times = TimeLog()

  private let isTarget: [Bool]
  private let armOfContext: [Int]
  private let isScreenOfExperiment: [Bool]
  private let asOfDay: DayNumber
  private var dayCursor: DayCursor
  private var journeyTimes: [Milliseconds] = []
  private var journeyCodes: [UInt32] = []

  package init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.question = question
    isTarget = contexts.contexts.map { $0.permission == question.permission }
    armOfContext = contexts.contexts.map { question.variants.firstIndex(of: $0.variant) ?? -1 }
    isScreenOfExperiment = contexts.contexts.map { question.experiment == nil || $0.experiment == question.experiment }
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    dayCursor = DayCursor()
  }

  /// Adds the sums of other users' histories.
  package func merge(_ other: ComparisonFold) {
    for arm in clean.indices {
      clean[arm] = clean[arm] + other.clean[arm]
      contaminated[arm] = contaminated[arm] + other.contaminated[arm]
    }
    for (day, counts) in other.days {
      var sums = days[day] ?? [0, 0]
      for arm in sums.indices { sums[arm] += counts[arm] }
      days[day] = sums
    }
    times.merge(other.times, slots: [0, 1, 2, 3])
  }

  /// Makes the times ready for the figures; nothing is folded behind this.
  func finish() { times.finish() }

  package func consume(_ batch: HistoryBatch) {
    var row = 0
    for user in 0..<batch.userCount {
      let count = Int(batch.runLengths[user])
      fold(batch.times + row, batch.codes + row, count)
      row += count
    }
  }

  private func fold(_ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, _ count: Int) {
    journeyTimes.removeAll(keepingCapacity: true)
    journeyCodes.removeAll(keepingCapacity: true)
    for i in 0..<count where codes[i] & 15 < UInt32(KindCode.featureUsed) {
      if times[i] > question.windows.asOf { break }
      if isTarget[Int(codes[i] >> HistoryBatch.contextShift)] {
        journeyTimes.append(times[i])
        journeyCodes.append(codes[i])
      }
    }
    guard !journeyTimes.isEmpty else { return }
    journeyTimes.withUnsafeBufferPointer { ownTimes in
      journeyCodes.withUnsafeBufferPointer { ownCodes in
        guard let t = ownTimes.baseAddress, let c = ownCodes.baseAddress else { return }
        foldJourney(JourneyEvents(times: t, codes: c, count: ownTimes.count), times, codes, count)
      }
    }
  }

  private func context(_ code: UInt32) -> Int { Int(code >> HistoryBatch.contextShift) }

  private func foldJourney(
    _ events: JourneyEvents, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, _ count: Int
  ) {
    var exposure = -1
    var seen = [false, false]
    for i in 0..<events.count where events.kind(i) <= KindCode.promptShown {
      let context = context(events.codes[i])
      guard isScreenOfExperiment[context] else { continue }
      if exposure < 0 { exposure = i }
      if armOfContext[context] >= 0 { seen[armOfContext[context]] = true }
    }
    guard exposure >= 0 else { return }
    let arm = armOfContext[context(events.codes[exposure])]
    guard arm >= 0 else { return }
    let journey = Journey(
      events, exposure: exposure, permission: PermissionCode(rawValue: question.permission), windows: question.windows)
    let isContaminated = seen[0] && seen[1]
    let day = dayCursor.day(of: journey.start, in: question.zone)
    days[day, default: [0, 0]][arm] += 1

    var counts = ArmCounts()
    counts.exposed = 1
    switch journey.outcome {
    case .pending: counts.pending = 1
    case .restricted: counts.restricted = 1
    default:
      counts.outcomes[journey.outcome.rawValue] = 1
      if journey.start + question.windows.followUp <= question.windows.asOf {
        counts.followUpEligible = 1
        counts.followUpGranted = journey.isGranted(events, within: question.windows.followUp) ? 1 : 0
      }
      if day + 8 <= asOfDay {
        counts.retentionEligible = 1
        counts.retained = isActive(on: day + 7, times, codes, count) ? 1 : 0
      }
      if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
        self.times.add(
          slot: arm + (isContaminated ? 2 : 0), series: series, time: journey.answerTime - journey.start)
      }
    }
    if isContaminated {
      contaminated[arm] = contaminated[arm] + counts
    } else {
      clean[arm] = clean[arm] + counts
    }
  }

  /// True where the user has an engagement event on a calendar day, up to as_of.
  private func isActive(
    on day: DayNumber, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, _ count: Int
  ) -> Bool {
    for i in 0..<count where codes[i] & 15 >= UInt32(KindCode.featureUsed) {
      if times[i] > question.windows.asOf { return false }
      if dayCursor.day(of: times[i], in: question.zone) == day { return true }
    }
    return false
  }
}
