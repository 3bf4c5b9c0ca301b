// Made-up experiments with two messages, folded into comparisons: what the tests of their documents look at.

import Folding
import PermissionAnalysis
import PermissionEvents

enum SampleComparisons {
  /// Monday 2026-01-26.
  static let start = SampleHistories.monday
  static let names = ["A", "B"]

  /// Some users a day see A or B from the first day on, and a share of them grants.
  /// - Parameters:
  ///   - perDay: users of each message.
  ///   - grants: percent, by message.
  ///   - days: of exposures.
  static func users(perDay: Int, grants: [Int64], days: Int, from first: Int = 0, seed: UInt64 = 7) -> SampleHistories {
    var histories = SampleHistories()
    var numbers = SampleNumbers(seed: seed)
    for day in first..<first + days {
      for (arm, percent) in grants.enumerated() {
        for _ in 0..<perDay {
          let time = start + Milliseconds(day) * millisecondsPerDay + numbers.below(millisecondsPerDay - 3_600_000)
          let isGranted = numbers.isTrue(percent: percent)
          let context = UInt32(arm) + 1
          histories.users.append([
            .init(time: time, kind: .promptShown, permission: context),
            .init(
              time: time + 1000 + numbers.below(9000), kind: isGranted ? .granted : .denied, permission: context,
              status: isGranted ? .authorized : .denied),
          ])
        }
      }
    }
    return histories
  }

  /// - Parameter asOfDay: days after the first; the comparison looks from its noon.
  static func compare(
    _ histories: SampleHistories, asOfDay: Int, names: [String] = names,
    _ change: (inout ComparisonQuestion) -> Void = { _ in }
  ) -> ComparisonSet {
    let permissions = [""] + PermissionCode.taxonomy
    let contexts = HistoryContexts(
      contexts: [.init(permission: 0, variant: 0, experiment: 0)]
        + names.indices.map { .init(permission: 1, variant: UInt32($0) + 1, experiment: 0) },
      permissions: permissions.map { Array($0.utf8) }, variants: [[]] + names.map { Array($0.utf8) },
      experiments: [[]], properties: [[]], attributes: histories.versions.indices.map { [0, 0, UInt32($0)] },
      attributeValues: [[[]], [[]], histories.versions.map { Array($0.utf8) }],
      times: start...start + 400 * millisecondsPerDay)
    let asOf = start + Milliseconds(asOfDay) * millisecondsPerDay + millisecondsPerDay / 2
    var question = ComparisonQuestion(
      windows: AnalysisWindows(asOf: asOf), zone: .utc, permission: permissions[1], variants: names, experiment: nil)
    change(&question)
    var fold = ComparisonFold(question, contexts: contexts)
    var sums = ComparisonFold.Sums()
    histories.forEachBatch { fold.fold(batch: $0, into: &sums) }
    do {
      fold.finish(into: &sums)
      return try ComparisonSet(sums, question)
    } catch {
      fatalError("sums that a fold made have no figures: \(error)")
    }
  }

  // MARK: One of each decision

  /// B grants 55 %, A 40 %, 60 users a day.
  static let won = compare(users(perDay: 30, grants: [40, 55], days: 28), asOfDay: 28)
  /// Five users a message and day, and hardly a difference.
  static let running = compare(users(perDay: 5, grants: [45, 47], days: 20), asOfDay: 20)
  static let tooEarly = compare(users(perDay: 20, grants: [45, 47], days: 3), asOfDay: 3)
  /// The same message twice, and only great differences matter.
  static let noDifference = compare(users(perDay: 60, grants: [50, 50], days: 28), asOfDay: 28) {
    $0.minimumEffect = 0.1
  }
  /// Nobody grants under A, and few under B.
  static let fewEvents = compare(users(perDay: 30, grants: [0, 3], days: 21), asOfDay: 21)
  static let declared = compare(users(perDay: 30, grants: [40, 55], days: 28), asOfDay: 28) {
    $0.rule = .looks(4)
    $0.plannedUsers = 1600
  }
  /// C wins against A, and B does not differ enough to tell.
  static let several = compare(
    users(perDay: 30, grants: [40, 42, 64], days: 20), asOfDay: 20, names: ["A", "B", "C"])
  /// Decided by its only look so far.
  static let firstLook = compare(users(perDay: 60, grants: [30, 60], days: 7), asOfDay: 7)
  static let alwaysValid = compare(users(perDay: 30, grants: [40, 55], days: 28), asOfDay: 28) {
    $0.rule = .alwaysValid
  }
}
