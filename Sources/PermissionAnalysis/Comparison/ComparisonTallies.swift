// The tallies of a comparison's metric, made from its sums, with the contamination policy at hand: what figures are made of.

import Buffers
import PermissionEvents
import Statistics

struct ArmTallies {
  let clean, contaminated: [Comparison.Tally]

  /// - Parameter integers: `ArmCounter.count` for each number of `ArmIndex`.
  init(_ integers: [Int64], arms: Int, _ metric: ComparisonMetric) {
    func tally(_ arm: Int, isContaminated: Bool) -> Comparison.Tally {
      let start = ArmIndex.number(arm, isContaminated: isContaminated) * ArmCounter.count
      return ArmCounts(integers[start..<start + ArmCounter.count]).tally(metric)
    }
    clean = (0..<arms).map { tally($0, isContaminated: false) }
    contaminated = (0..<arms).map { tally($0, isContaminated: true) }
  }

  /// By arm, each user counted for the variant seen first.
  var all: [Comparison.Tally] { zip(clean, contaminated).map { $0 + $1 } }
}

/// The users who were given variants of an experiment.
struct Assignments {
  /// By day of the first assignment, oldest first, the counts by arm.
  let days: [(day: DayNumber, arms: [AssignmentCounts])]
  /// By arm.
  let arms: [AssignmentCounts]

  init(_ sums: ComparisonSums, _ question: ComparisonQuestion) {
    let arms = question.armNames
    let days = Set(sums.assignments.rows.keys.map(\.day)).sorted().map { day in
      (
        day: day,
        arms: arms.map { sums.assignments[.init(day: day, variant: .init(variant: $0))] ?? AssignmentCounts() }
      )
    }
    self.days = days
    self.arms = arms.indices.map { arm in
      var counts = AssignmentCounts()
      // A file's sums may be of any size; those that do not add up are left out.
      for day in days { try? counts.add(day.arms[arm]) }
      return counts
    }
  }
}

struct ComparisonTallies {
  /// A value of a property, nil if the exposure has no value, and its users.
  typealias ValueTallies = (value: String?, arms: ArmTallies)

  let question: ComparisonQuestion
  let clean, contaminated: [ArmCounts]
  /// By day of exposure, oldest first.
  let days: [(day: DayNumber, arms: ArmTallies)]
  /// By the day that settles a journey.
  let settled: SettledTallies
  /// By property: the ones always checked, then the requested one.
  let properties: [(field: StringField, strata: [ValueTallies])]
  /// Times to answer by arm, under the policy.
  let times: [TimeHistogram]
  /// How finely the log has them, in milliseconds.
  let timeStep: Milliseconds
  let missing: [Evidence]
  /// By arm users who were not asked.
  let notAsked: [Int]
  /// By arm users with a Settings prompt and no denial as first answer before it.
  let notDenied: [Int]
  /// By arm users with a message on a screen up to their denial.
  let messageBefore: [Int]
  /// It is known that these messages are of the same test as those that are compared.
  let isOfOneTest: Bool
  /// Users with a Settings prompt of the arms who are not counted, as their first prompt after the denial has no message.
  let firstWithoutMessage: Int
  /// Users who were exposed to a message of the test before its first day.
  let exposedBefore: Int
  /// If answers have the messages: the users without one, and all who saw a screen.
  let withoutMessage: (users: Int, of: Int)?
  /// The sums were counted in another reading than they call for.
  let isMisread: Bool
  /// Users who were given variants, by day of the first; nil if messages are those that screens show.
  let assignments: Assignments?
  /// Users whose screens showed another variant than they were given.
  let mismatched: Int
  /// Users asked after they were assigned, if screens of other users carry the experiment, so that these do not count.
  let leftToScreens: Int

  init(_ sums: ComparisonSums, _ question: ComparisonQuestion) {
    self.question = question
    assignments = sums.areByAssignment ? Assignments(sums, question) : nil
    mismatched = sums.areByAssignment ? 0 : Int(sums.mismatched.row)
    let asked = sums.areByAssignment ? 0 : sums.assignments.rows.values.reduce(0) { $0 &+ $1.exposed }
    leftToScreens = Int(asked)
    isMisread = CallReading(sums.calls).differs(from: question.reading, of: Array(question.permission.utf8))
    timeStep = sums.calls.timeStep(Array(question.permission.utf8))
    let missing = sums.evidence.missing(for: Array(question.permission.utf8), sums.calls)
    // Who left without an answer has no message, as if no screen were logged.
    self.missing = question.source == .answer && !missing.contains(.screens) ? missing + [.screens] : missing
    withoutMessage = question.source == .answer ? sums.withoutMessage : nil
    isOfOneTest = question.experiment != nil || sums.nameAllExperiments
    firstWithoutMessage = question.screen == .settings && !sums.areByAssignment ? sums.withoutMessage.users : 0
    let sums = sums.read
    exposedBefore = Int(sums.exposedBefore.row)
    notAsked = question.armNames.map { Int(sums.notAsked[.init(variant: $0)] ?? 0) }
    messageBefore = question.armNames.map { Int(sums.messageBefore[.init(variant: $0)] ?? 0) }
    notDenied = question.armNames.map { Int(sums.notDenied[.init(variant: $0)] ?? 0) }
    let arms = 0..<question.arms
    func key(_ arm: Int, isContaminated: Bool) -> ComparisonSums.ArmKey {
      .init(variant: .init(variant: question.armNames[arm]), seesSeveral: isContaminated)
    }
    func arm(_ arm: Int, isContaminated: Bool) -> ArmCounts {
      sums.arms[key(arm, isContaminated: isContaminated)].map { ArmCounts($0[...]) } ?? ArmCounts()
    }
    clean = arms.map { arm($0, isContaminated: false) }
    contaminated = arms.map { arm($0, isContaminated: true) }
    days = Set(sums.days.rows.keys.map(\.day)).sorted().map { day in
      (day, ArmTallies(sums.flat { sums.days[.init(day: day, arm: $0)] }, arms: question.arms, question.metric))
    }
    settled = SettledTallies(sums.settled, question)
    // Within one of its own values there is no comparison.
    var fields = ComparisonQuestion.checkedAttributes.filter { $0 != question.comparedProperty }
    if let by = question.by, !fields.contains(by) { fields.append(by) }
    properties = fields.map { ($0, Self.strata(sums, $0, question)) }
    times = arms.map { arm in
      let histogram = TimeHistogram()
      for isContaminated in question.policy == .first ? [false, true] : [false] {
        let key = key(arm, isContaminated: isContaminated)
        for series in TimeSeries.answers { sums.times[.init(arm: key, series: series)].map { histogram.add($0) } }
      }
      return histogram
    }
  }

  /// Throws if the log lacks the events that the metric needs. Without users it does not throw.
  func requireEvidence() throws(EvidenceError) {
    guard counted.contains(where: { $0.exposed > 0 }),
      let evidence = question.metric.evidence.first(where: missing.contains)
    else { return }
    throw EvidenceError(evidence: evidence, figure: question.metric.rawValue)
  }

  /// A message can win more grants and lose them again. So where messages are compared by the grant rate, and the log shows
  /// who turns a permission off, a kept grant is a guardrail. It tolerates a loss below the smallest effect that matters,
  /// which is fixed before the first look as much as the question is. A guardrail of the question stands instead.
  var automaticGuardrail: GuardrailQuestion? {
    let metric = ComparisonMetric.keptByDay28
    guard question.isOfMessages, question.metric == .grantRate, !metric.evidence.contains(where: missing.contains),
      !question.guardrails.contains(where: { $0.metric == metric })
    else { return nil }
    return GuardrailQuestion(metric: metric, margin: question.minimumEffect)
  }

  /// None first, then by value, bytewise.
  private static func strata(
    _ sums: ArmSums, _ field: StringField, _ question: ComparisonQuestion
  ) -> [ValueTallies] {
    let values = Set(sums.strata.rows.keys.filter { $0.property == field }.map(\.value))
    return values.sorted { $0.lexicographicallyPrecedes($1) }.map { value in
      let integers = sums.flat { sums.strata[.init(property: field, value: value, arm: $0)] }
      return (value.text, ArmTallies(integers, arms: question.arms, question.metric))
    }
  }

  /// Whether the users who saw messages were divided among them at random. Of those who were given a variant, the message may
  /// decide who sees it.
  var ratioIsOfExposed: Bool { question.isOfMessages && assignments == nil }

  /// By arm, each user counted for the variant seen first.
  var all: [ArmCounts] { zip(clean, contaminated).map { $0 + $1 } }

  /// N* of a pair: of the plan, or named, or by the first days with exposures, whatever the policy. Until there are enough
  /// such days it grows with them, and nothing is decided.
  func plannedUsers(_ pair: Comparison.Pair) -> Int {
    if let planned = question.plan?.plannedUsers ?? question.plannedUsers { return planned }
    let exposed = days.lazy.map { $0.arms.all[pair.control].exposed + $0.arms.all[pair.treatment].exposed }
      .filter { $0 > 0 }.prefix(UnplannedRule.days).reduce(0, +)
    return UnplannedRule.plannedUsers(exposed: exposed)
  }

  /// The users who were divided among the arms, by day: those who were given a variant, else those who saw a message.
  var divided: [(day: DayNumber, users: [Int])] {
    assignments.map { $0.days.map { (day: $0.day, users: $0.arms.map { Int($0.users) }) } }
      ?? days.map { (day: $0.day, users: $0.arms.all.map(\.exposed)) }
  }

  /// The same over all days, without those whom the policy leaves out.
  var countedAfterPolicy: [Int] {
    guard let assignments else { return counted.map(\.exposed) }
    return assignments.arms.map { Int(question.policy == .first ? $0.users : $0.users - $0.several) }
  }

  /// By arm, under the policy.
  var counted: [ArmCounts] { question.policy == .first ? all : clean }

  /// Two arms' part of a day's or a value's tallies, under the policy.
  func counted(_ arms: ArmTallies, _ pair: Comparison.Pair) -> (a: Comparison.Tally, b: Comparison.Tally) {
    let tallies = question.policy == .first ? arms.all : arms.clean
    return (tallies[pair.control], tallies[pair.treatment])
  }

  /// Days on which all exposures count for the metric, oldest first.
  var finishedDays: ArraySlice<(day: DayNumber, arms: ArmTallies)> {
    let windows = question.windows
    let zone = question.zone
    let asOfDay = zone.lastBegunDay(at: windows.asOf)
    let last = days.lastIndex { day, _ in
      let end = zone.firstMoment(of: day + 1) - 1
      guard end + windows.response <= windows.asOf else { return false }
      return switch question.metric {
      case .grantedByDay28: end + windows.followUp <= windows.asOf
      case .keptByDay28: end + windows.keeping <= windows.asOf
      case .retentionDay7: day + 8 <= asOfDay
      case .settingsEnabled: end + windows.settings <= windows.asOf
      default: true
      }
    }
    return days[..<(last.map { $0 + 1 } ?? 0)]
  }
}

// MARK: What each look at a comparison saw: the tallies of the metric at the ends of finished days

/// Settled journeys of a comparison, under its contamination policy, by day.
struct SettledTallies {
  /// What a day adds to an arm within a stratum; below 0 if users leave.
  struct Change {
    let day: DayNumber
    let stratum, arm: Int
    let tally: Comparison.Tally
  }

  /// Of finished days, oldest first.
  let changes: [Change]
  let strataCount: Int

  init(_ sums: SettledSums, _ question: ComparisonQuestion) {
    // Strata in a fixed order, so sums of floating-point numbers do not depend on the order of addition.
    let strata = sums.strata.sorted { SettledTallies.isBefore($0.key, $1.key) }
    strataCount = strata.count
    var changes: [Change] = []
    for (number, (_, cells)) in strata.enumerated() {
      for (cell, counts) in cells where question.isFinished(cell.day) {
        var tally = counts.tally(question.metric)
        if cell.place % SettledCounter.count == SettledCounter.left.rawValue {
          if question.policy == .first { continue }
          tally = Comparison.Tally(trials: -tally.trials, successes: -tally.successes)
        }
        changes.append(Change(day: cell.day, stratum: number, arm: cell.place / SettledCounter.count, tally: tally))
      }
    }
    self.changes = changes.sorted { $0.day < $1.day }
  }

  /// By value after value, none first, then bytewise.
  private static func isBefore(_ a: SettledSums.Stratum, _ b: SettledSums.Stratum) -> Bool {
    if a.period != b.period { return a.period < b.period }
    guard let (left, right) = zip(a.values, b.values).first(where: { $0 != $1 }) else { return false }
    guard let left, let right else { return left == nil }
    return left.lexicographicallyPrecedes(right)
  }
}

/// Two arms at the end of a finished day: everybody settled by then. Exposures are not counted here.
struct SettledDay: Equatable {
  let day: DayNumber
  let a, b: Comparison.Tally
}

extension ComparisonTallies {
  /// Finished days on which the known outcomes of a pair changed, oldest first.
  ///
  /// A journey belongs to the first day by whose end its metric is settled: t0 + W has passed, and t0 + H for `granted_by_day_28`,
  /// t0 + W + H for `kept_by_day_28`, day 7 for `retention_day_7`, and the settings window for `settings_enabled`. Under `exclude` users leave again on the day by whose end they are known to have
  /// seen several messages. So a day's numbers are the same at every later `as_of`.
  func settledDays(_ pair: Comparison.Pair) -> [SettledDay] {
    var days: [SettledDay] = []
    forEachSettledDay(pair) { day, _ in days.append(day) }
    return days
  }

  /// For each of `settledDays` the strata with users, the treatment as the first sample. One stratum unless the
  /// question is adjusted.
  func settledStrata(_ pair: Comparison.Pair) -> [[Stratified.Stratum]] {
    var days: [[Stratified.Stratum]] = []
    forEachSettledDay(pair) { _, strata in
      days.append(
        strata.compactMap { a, b in
          guard a.trials + b.trials > 0, let first = b.sample, let second = a.sample else { return nil }
          return Stratified.Stratum(first: first, second: second)
        })
    }
    return days
  }

  private func forEachSettledDay(
    _ pair: Comparison.Pair, _ body: (SettledDay, [(a: Comparison.Tally, b: Comparison.Tally)]) -> Void
  ) {
    var known = (a: Comparison.Tally(), b: Comparison.Tally())
    var strata = [(a: Comparison.Tally, b: Comparison.Tally)](repeating: known, count: settled.strataCount)
    var before = known
    for (i, change) in settled.changes.enumerated() {
      if change.arm == pair.control {
        known.a += change.tally
        strata[change.stratum].a += change.tally
      } else if change.arm == pair.treatment {
        known.b += change.tally
        strata[change.stratum].b += change.tally
      }
      guard i + 1 == settled.changes.count || settled.changes[i + 1].day > change.day, known != before else { continue }
      before = known
      body(SettledDay(day: change.day, a: known.a, b: known.b), strata)
    }
  }
}

extension ComparisonQuestion {
  func isFinished(_ day: DayNumber) -> Bool { zone.firstMoment(of: day + 1) <= windows.asOf }
}

/// The positions of the counters of an arm in a flat array of all arms.
enum ArmIndex {
  @inline(__always)
  static func number(_ arm: Int, isContaminated: Bool) -> Int { arm * 2 + (isContaminated ? 1 : 0) }
}

/// Counters by arm and by whether the user saw several variants. Owned by one thread.
struct ArmTable: ~Copyable {
  private let counters: Buffer<Int64>

  init(arms: Int) { counters = Buffer(repeating: 0, count: arms * 2 * ArmCounter.places) }

  @inline(__always)
  func counters(of arm: Int, isContaminated: Bool) -> UnsafeMutablePointer<Int64> {
    counters.unsafeAddress + ArmIndex.number(arm, isContaminated: isContaminated) * ArmCounter.places
  }

  func integers() -> [Int64] { counters.span.withUnsafeBufferPointer { Array($0) } }
}

/// Counters by key, then by arm and by whether the user saw several variants. Owned by one thread.
struct ArmCounterTable: ~Copyable {
  private(set) var keys: [Int] = []
  /// By key minus the first the slot plus one; 0 without one.
  private let slots: Buffer<Int32>
  /// Slots of keys out of that range.
  private var others: [Int: Int] = [:]
  private var counters = Buffer<Int64>()
  private let first: Int
  private let width: Int

  /// - Parameter keys: that are looked up without hashing.
  init(keys: ClosedRange<Int>, arms: Int) {
    first = keys.lowerBound
    slots = Buffer(repeating: 0, count: min(keys.count, 1 << 20))
    width = arms * 2 * ArmCounter.count
  }

  /// The counters of a key and an arm; valid until the next key.
  @inline(__always)
  mutating func counters(of key: Int, arm: Int, isContaminated: Bool) -> UnsafeMutablePointer<Int64> {
    // First the slot: a new one may move the counters.
    let slot = slot(key)
    return counters.unsafeAddress + slot * width + ArmIndex.number(arm, isContaminated: isContaminated)
      * ArmCounter.count
  }

  @inline(__always)
  private mutating func slot(_ key: Int) -> Int {
    let place = key - first
    if place >= 0, place < slots.count, slots[place] > 0 { return Int(slots[place]) - 1 }
    return newSlot(key)
  }

  @inline(never)
  private mutating func newSlot(_ key: Int) -> Int {
    if let slot = others[key] { return slot }
    let slot = keys.count
    keys.append(key)
    let place = key - first
    if place >= 0, place < slots.count {
      slots[place] = Int32(truncatingIfNeeded: slot + 1)
    } else {
      others[key] = slot
    }
    counters.extend(to: (slot + 1) * width, repeating: 0)
    return slot
  }

  /// The counters of a slot, which is the index of its key in `keys`.
  func integers(slot: Int) -> [Int64] {
    counters.span.extracting(slot * width..<(slot + 1) * width).withUnsafeBufferPointer { Array($0) }
  }
}
