// Expected counts: the average of a report's counts over all draws.

import PermissionEvents

/// Sums of expectations, by what is counted. The sums from `followed` on include only journeys whose follow-up is over.
struct ExpectedCounts {
  enum Item: Int, CaseIterable {
    case exposed, restricted, granted, denied, skipped, droppedOff, partial
    case explainedBase, explainedGranted, coldBase, coldGranted
    case settingsShown, settingsOpened, settingsEligible, settingsEnabled
    // Follow-up over.
    case followed, grantedByFollowUp
    case followedDenied, deniedEnabled, followedSkipped, skippedEnabled, followedDroppedOff, droppedOffEnabled
    case followedGranted, revoked, followedPartial, upgraded
    // The 28 days of engagement are over.
    case engagedGranted, engagedOther, activeDaysGranted, activeDaysOther, featuresGranted, featuresOther
    // By day of retention and outcome: eligible, retained.
    case retention
  }

  static let retentionDays = [1, 7, 30]
  static let outcomes = 4
  private static let length = Item.retention.rawValue + retentionDays.count * outcomes * 2

  private var values = [Double](repeating: 0, count: length)

  subscript(_ item: Item) -> Double {
    get { values[item.rawValue] }
    set { values[item.rawValue] = newValue }
  }

  /// Journeys of an outcome (granted, denied, skipped, dropped off) that are eligible for a day of retention, and retained.
  subscript(retention day: Int, outcome outcome: Int, retained isRetained: Bool) -> Double {
    get { values[Self.index(day, outcome, isRetained)] }
    set { values[Self.index(day, outcome, isRetained)] = newValue }
  }

  private static func index(_ day: Int, _ outcome: Int, _ isRetained: Bool) -> Int {
    Item.retention.rawValue + (day * outcomes + outcome) * 2 + (isRetained ? 1 : 0)
  }

  mutating func add(_ other: ExpectedCounts, share: Double) {
    for i in values.indices { values[i] += share * other.values[i] }
  }

  var base: Double { self[.granted] + self[.denied] + self[.skipped] + self[.droppedOff] }
}

/// The expectation of every count, by permission, day of exposure and beginning: a sum over the levels of engagement,
/// carried from day to day with the users who are there and have not been asked.
struct TruthSweep {
  private let options: SimulationOptions
  private let calendar: JoinCalendar
  private let levels = EngagementLevel.all

  init(_ options: SimulationOptions) {
    self.options = options
    calendar = JoinCalendar(options)
  }

  /// Expected counts of a permission, by day of exposure, then by beginning.
  func counts(_ model: PermissionModel) -> [[ExpectedCounts]] {
    let beginnings = Beginning.allCases
    let days = options.days
    var result = [[ExpectedCounts]](
      repeating: [ExpectedCounts](repeating: ExpectedCounts(), count: beginnings.count), count: days)
    for level in levels {
      let answers = beginnings.map { OutcomeShares(model, level, $0) }
      let afterwards = (0..<7).map { Afterwards(model, level, weekday: $0, days: days) }
      // Expected number of users of this level who are there and unasked.
      var unasked = 0.0
      // Expected numbers of late users who are asked again, by day.
      var again = [Double](repeating: 0, count: days)
      for day in 0..<days {
        let weekday = weekdayIndex(options.firstDay + Int64(day))
        let newcomers = Double(newcomers(on: day, model)) / Double(levels.count)
        let late = lateUsers(on: day, model) / Double(levels.count) * model.askedFirstDay
        let later = unasked * level.visiting[weekday] * model.askedLater
        let asked = newcomers * model.askedFirstDay - late + later
        unasked = (unasked - later + newcomers * (1 - model.askedFirstDay)) * level.staying
        for beginning in beginnings {
          let weight = (beginning.isLate ? late : asked) * beginning.share(model)
          guard weight > 0 else { continue }
          add(
            weight, model, answers[beginning.rawValue], afterwards[weekday], beginning, day,
            to: &result[day][beginning.rawValue])
        }
        if late > 0 {
          let open = [Beginning.lateCold, .lateExplained].reduce(0) {
            let answer = answers[$1.rawValue]
            return $0 + $1.share(model) * (answer.skipped + answer.droppedOff)
          }
          let by = afterwards[weekday].askedAgainBy
          for other in day + 1..<days { again[other] += late * open * (by[other - day] - by[other - day - 1]) }
        }
      }
      guard options.assignments else { continue }
      let once = model.asksOnce
      let ends = (0..<7).map { Afterwards(once, level, weekday: $0, days: days) }
      for (day, weight) in again.enumerated() where weight > 0 {
        let weekday = weekdayIndex(options.firstDay + Int64(day))
        add(
          weight, once, answers[Beginning.again.rawValue], ends[weekday], .again, day,
          to: &result[day][Beginning.again.rawValue])
      }
    }
    return result
  }

  /// Users who join on a day and have not decided.
  private func newcomers(on day: Int, _ model: PermissionModel) -> Int {
    let users = calendar.users(on: day)
    return model.decidedGranted == nil ? users.count : users.count - options.decided(users)
  }

  /// Expected users who join on a day and whose variant is late.
  private func lateUsers(on day: Int, _ model: PermissionModel) -> Double {
    guard options.assignments, model.experiment != nil else { return 0 }
    let users = calendar.users(on: day)
    return AssignmentState.lateShare * Double(users.count - options.decided(users))
  }

  /// Adds what becomes of `weight` journeys that begin on a day.
  private func add(
    _ weight: Double, _ model: PermissionModel, _ answer: OutcomeShares, _ after: Afterwards,
    _ beginning: Beginning, _ day: Int, to counts: inout ExpectedCounts
  ) {
    let granted = weight * answer.granted
    let denied = weight * answer.denied
    let skipped = weight * answer.skipped
    let droppedOff = weight * answer.droppedOff
    let other = denied + skipped + droppedOff
    counts[.exposed] += weight
    counts[.restricted] += weight * answer.restricted
    counts[.granted] += granted
    counts[.denied] += denied
    counts[.skipped] += skipped
    counts[.droppedOff] += droppedOff
    counts[.partial] += granted * model.partial
    counts[beginning.isExplained ? .explainedBase : .coldBase] += granted + other
    counts[beginning.isExplained ? .explainedGranted : .coldGranted] += granted

    // The report looks from the end of the export, the first moment of day `days`.
    let left = options.days - day
    let shown = after.settingsShownBy
    counts[.settingsShown] += denied * shown[left - 1]
    counts[.settingsOpened] += denied * shown[left - 1] * model.settingsOpened
    if left >= 9 {
      counts[.settingsEligible] += denied * shown[left - 8]
      counts[.settingsEnabled] += denied * shown[left - 8] * model.settingsOpened * model.settingsEnabled
    }
    if left > PermissionState.followUpDays {
      let openEnabled = after.openEnabled(beginning)
      counts[.followed] += granted + other
      counts[.grantedByFollowUp] += granted + denied * after.deniedEnabled + (skipped + droppedOff) * openEnabled
      counts[.followedDenied] += denied
      counts[.deniedEnabled] += denied * after.deniedEnabled
      counts[.followedSkipped] += skipped
      counts[.skippedEnabled] += skipped * openEnabled
      counts[.followedDroppedOff] += droppedOff
      counts[.droppedOffEnabled] += droppedOff * openEnabled
      let partial = granted * model.partial
      counts[.followedGranted] += granted
      counts[.revoked] += (granted - partial) * after.revokedFull + partial * after.revokedPartly
      counts[.followedPartial] += partial
      counts[.upgraded] += partial * after.upgraded
    }
    if left >= 28 {
      counts[.engagedGranted] += granted
      counts[.engagedOther] += other
      counts[.activeDaysGranted] += granted * after.activeDays
      counts[.activeDaysOther] += other * after.activeDays
      counts[.featuresGranted] += granted * after.features
      counts[.featuresOther] += other * after.features
    }
    for (i, retentionDay) in ExpectedCounts.retentionDays.enumerated() where left > retentionDay {
      for (outcome, number) in [granted, denied, skipped, droppedOff].enumerated() {
        counts[retention: i, outcome: outcome, retained: false] += number
        counts[retention: i, outcome: outcome, retained: true] += number * after.retained[i]
      }
    }
  }
}

// MARK: The average counts of the table of flows, added up question by question

/// Expected numbers of one kind of flow: the first of a user, or a later one.
struct ExpectedFlows {
  struct Node {
    /// The permissions asked for so far.
    var prefix: [Int]
    var flows = 0.0
    /// By outcome of the last one.
    var outcomes = [Double](repeating: 0, count: AskOutcome.allCases.count)
    var wentOn = 0.0
  }

  var flows = 0.0
  var nodes: [Node] = []
  /// By permission, then by position in the flow.
  var byPosition = [[ExpectedRate]](
    repeating: [ExpectedRate](repeating: ExpectedRate(), count: 3), count: OnboardingPermission.all.count)
  /// By permission, then by the outcome before; the last is of first questions.
  var byOutcomeBefore = [[ExpectedRate]](
    repeating: [ExpectedRate](repeating: ExpectedRate(), count: AskOutcome.allCases.count + 1),
    count: OnboardingPermission.all.count)
  /// Of flows that begin with the first declared permission: how many reach each, and answer it.
  var reached = [Double](repeating: 0, count: OnboardingTruth.declared.count)
  var answered = [Double](repeating: 0, count: OnboardingTruth.declared.count)

  /// A question at the end of a prefix.
  /// - Parameter wentOn: the share of an outcome that goes on.
  mutating func add(
    _ weight: Double, _ asking: OnboardingAsking, _ prefix: [Int], _ shares: OutcomeShares,
    wentOn: (AskOutcome) -> Double
  ) {
    if asking.position == 0 { flows += weight }
    byPosition[asking.permission][asking.position].add(weight, shares)
    byOutcomeBefore[asking.permission][asking.before?.rawValue ?? AskOutcome.allCases.count].add(weight, shares)
    let index = nodes.firstIndex { $0.prefix == prefix } ?? nodes.count
    if index == nodes.count { nodes.append(Node(prefix: prefix)) }
    nodes[index].flows += weight
    for outcome in AskOutcome.allCases {
      nodes[index].outcomes[outcome.rawValue] += weight * shares[outcome]
      nodes[index].wentOn += weight * shares[outcome] * wentOn(outcome)
    }
    if let step = Self.declaredStep(prefix) {
      reached[step] += weight
      answered[step] += weight * (1 - shares.droppedOff)
    }
  }

  /// The number of the declared step that the last permission of a prefix is. Nil if the flow did not begin with the
  /// first step, if earlier steps are missing, or if the permission is not a declared step.
  private static func declaredStep(_ prefix: [Int]) -> Int? {
    var next = 0
    var step: Int?
    for (index, permission) in prefix.enumerated() {
      step = nil
      if next < OnboardingTruth.declared.count, permission == OnboardingTruth.declared[next] {
        step = next
        next += 1
      } else if index == 0 {
        return nil
      }
    }
    return step
  }

  static func + (one: ExpectedFlows, other: ExpectedFlows) -> ExpectedFlows {
    var sum = one
    sum.flows += other.flows
    for node in other.nodes {
      guard let index = sum.nodes.firstIndex(where: { $0.prefix == node.prefix }) else {
        sum.nodes.append(node)
        continue
      }
      sum.nodes[index].flows += node.flows
      sum.nodes[index].wentOn += node.wentOn
      for i in node.outcomes.indices { sum.nodes[index].outcomes[i] += node.outcomes[i] }
    }
    for permission in sum.byPosition.indices {
      sum.byPosition[permission] = zip(sum.byPosition[permission], other.byPosition[permission]).map { $0 + $1 }
      sum.byOutcomeBefore[permission] = zip(sum.byOutcomeBefore[permission], other.byOutcomeBefore[permission])
        .map { $0 + $1 }
    }
    sum.reached = zip(sum.reached, other.reached).map { $0 + $1 }
    sum.answered = zip(sum.answered, other.answered).map { $0 + $1 }
    return sum
  }
}

// MARK: An expected grant rate: the average counts of a report, a comparison and the table of flows

/// Journeys of the base and the granted ones among them, expected.
struct ExpectedRate {
  var base = 0.0
  var granted = 0.0

  /// Nil if there are no journeys that can count.
  var rate: Double? { base > 0 ? granted / base : nil }

  mutating func add(_ weight: Double, _ shares: OutcomeShares) {
    base += weight * (1 - shares.restricted)
    granted += weight * shares.granted
  }

  static func + (one: ExpectedRate, other: ExpectedRate) -> ExpectedRate {
    ExpectedRate(base: one.base + other.base, granted: one.granted + other.granted)
  }
}

// MARK: The average counts of the tables of one permission

struct ExpectedTimes {
  var byInstall = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.install.count)
  var byActiveDays = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.activeDays.count)
  var byFeatures = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.features.count)
  var byVersion = [ExpectedRate](repeating: ExpectedRate(), count: OnboardingRelease.versions.count)
  var byScreen = [ExpectedRate](repeating: ExpectedRate(), count: OnboardingScreen.allCases.count)
}

// MARK: The classes of time and use before a question, under the report's names

/// The classes of the report's three tables of timing, by number. The last class is for unknown timing.
enum TimingClass {
  static let install = ["under_1m", "1m_1h", "1h_1d", "1d_7d", "7d_up", "unknown"]
  static let activeDays = ["0", "1", "2_3", "4_7", "8_up", "unknown"]
  static let features = ["0", "1_2", "3_9", "10_up", "unknown"]

  static func of(activeDays count: Int) -> Int { [0, 1, 3, 7].firstIndex { count <= $0 } ?? 4 }

  static func of(features count: Int) -> Int { [0, 2, 9].firstIndex { count <= $0 } ?? 3 }
}
