// Whether users were given variants before they were asked, and saw those that they were given.

import Folding
import PermissionEvents

/// Counts of users by experiment given and permission asked for. Owned by one thread.
struct AssignmentChecks {
  private struct Given {
    var experiment, variant: UInt32
    var time: Milliseconds
  }

  private let contexts: HistoryContexts
  /// By context whether its events without a permission give a variant.
  private let givesVariant: [Bool]
  /// The user's first assignment to each experiment.
  private var given: [Given] = []
  /// By codes of the experiment and the permission.
  private var counts: [SIMD2<UInt32>: AssignmentCheckCounts] = [:]

  init(_ contexts: HistoryContexts) {
    self.contexts = contexts
    givesVariant = contexts.contexts.map { $0.permission == 0 && $0.experiment != 0 && $0.variant != 0 }
  }

  /// Takes up a user.
  mutating func begin(
    _ count: Int, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, areThere: Bool
  ) {
    given.removeAll(keepingCapacity: true)
    guard areThere else { return }
    for i in 0..<count where codes[i] & 15 == UInt32(KindCode.assigned) {
      let number = Int(codes[i] >> HistoryBatch.contextShift)
      let context = contexts.contexts[number]
      guard givesVariant[number], !given.contains(where: { $0.experiment == context.experiment }) else { continue }
      given.append(Given(experiment: context.experiment, variant: context.variant, time: times[i]))
    }
  }

  /// Counts the user's journey of a permission.
  /// - Parameter exposure: the number of the event that exposes.
  mutating func add(_ events: EventList, _ permission: UInt32, exposure: Int) {
    let contexts = contexts
    for one in given {
      var counts = self.counts[SIMD2(one.experiment, permission)] ?? AssignmentCheckCounts()
      counts.asked += 1
      counts.late += events.time(exposure) < one.time ? 1 : 0
      let shown = (0..<events.count).lazy.filter { KindSet.screens.contains(events.code($0)) }
        .map { contexts.contexts[Int(events.code($0) >> HistoryBatch.contextShift)] }
        .first { $0.experiment == one.experiment && $0.variant != 0 }
      if let shown {
        counts.carried += 1
        counts.mismatched += shown.variant != one.variant ? 1 : 0
      }
      self.counts[SIMD2(one.experiment, permission)] = counts
    }
  }

  func finish(into sums: inout CountTable<AssignmentCheckKey, AssignmentCheckCounts>) {
    for (codes, counts) in counts {
      sums[
        .init(experiment: contexts.experiments[Int(codes[0])], permission: contexts.permissions[Int(codes[1])])] =
        counts
    }
  }
}

struct AssignmentCheckKey: SumKey {
  var experiment: [UInt8] = []
  var permission: [UInt8] = []

  mutating func visit(_ parts: inout KeyParts) {
    parts.name("experiment", &experiment)
    parts.name("permission", &permission)
  }
}

struct AssignmentCheckCounts: SumRow, Hashable {
  /// Users given a variant who were asked for the permission; of them those asked first before; those whose screens carry the
  /// experiment, and of these those with another variant.
  var asked: Int64 = 0, late: Int64 = 0, carried: Int64 = 0, mismatched: Int64 = 0

  static let names = ["asked", "late", "carried", "mismatched"]

  init() {}

  init?(_ row: SumTable.Row, width: Int) {
    self.init([Int64](row, width: width) ?? [])
    guard late <= asked, carried <= asked, mismatched <= carried else { return nil }
  }

  private init(_ all: [Int64]) { (asked, late, carried, mismatched) = (all[0], all[1], all[2], all[3]) }

  private var all: [Int64] { [asked, late, carried, mismatched] }
  var row: SumTable.Row { SumTable.Row(all) }

  mutating func add(_ other: Self) throws(SumsError) {
    var sums = all
    try sums.add(other.all)
    self = Self(sums)
  }
}

extension AuditSums {
  /// Findings of each experiment and permission; where there is none, one line for each check.
  func assignmentFindings(_ question: AuditQuestion) -> [AuditFinding] {
    var all: [AuditFinding] = []
    for (key, counts) in assignments.rows {
      let detail = AuditFinding.Detail.experiment(String(decoding: key.experiment, as: UTF8.self))
      for (check, users, of) in [
        (AuditCheck.assignedLate, counts.late, counts.asked), (.variantMismatch, counts.mismatched, counts.carried),
      ] where Self.leftOut(check, users, of, question) == nil {
        all.append(
          AuditFinding(
            check, permission: String(decoding: key.permission, as: UTF8.self), users: users, of: of, detail: detail))
      }
    }
    let isThere = !assignments.rows.isEmpty
    for check in [AuditCheck.assignedLate, .variantMismatch] where !all.contains(where: { $0.check == check }) {
      all.append(AuditFinding(check, leftOut: isThere ? .belowThreshold : .nothingToSee))
    }
    return all
  }
}
