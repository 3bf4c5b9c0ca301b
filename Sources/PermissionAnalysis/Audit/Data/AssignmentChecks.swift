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
  /// By codes of the experiment and the permission; empty if there are too many.
  private var counts: [SIMD2<UInt32>: AssignmentCheckCounts] = [:]
  private var areTooMany = false
  /// By code of an experiment the last user who was assigned to it.
  private var lastAssigned: [Int]
  private var users = 0

  init(_ contexts: HistoryContexts) {
    self.contexts = contexts
    givesVariant = contexts.contexts.map { $0.permission == 0 && $0.experiment != 0 && $0.variant != 0 }
    lastAssigned = [Int](repeating: 0, count: contexts.experiments.count)
  }

  /// Whether the user at hand was assigned to a variant.
  @inline(__always) var areGiven: Bool { !given.isEmpty }

  /// Takes up a user.
  mutating func begin(
    _ count: Int, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, areThere: Bool
  ) {
    given.removeAll(keepingCapacity: true)
    guard areThere, !areTooMany else { return }
    users += 1
    for i in 0..<count where codes[i] & 15 == UInt32(KindCode.assigned) {
      let number = Int(codes[i] >> HistoryBatch.contextShift)
      let context = contexts.contexts[number]
      guard givesVariant[number], lastAssigned[Int(context.experiment)] != users else { continue }
      lastAssigned[Int(context.experiment)] = users
      given.append(Given(experiment: context.experiment, variant: context.variant, time: times[i]))
    }
  }

  /// Counts the user's journey of a permission.
  /// - Parameter exposure: the number of the event that exposes.
  mutating func add(_ events: EventList, _ permission: UInt32, exposure: Int) {
    guard !given.isEmpty else { return }
    // By experiment the first message on a screen.
    var shown: [UInt32: UInt32] = [:]
    for i in 0..<events.count where KindSet.screens.contains(events.code(i)) {
      let context = contexts.contexts[Int(events.code(i) >> HistoryBatch.contextShift)]
      guard context.experiment != 0, context.variant != 0, shown[context.experiment] == nil else { continue }
      shown[context.experiment] = context.variant
    }
    let exposed = events.time(exposure)
    for one in given {
      var counts = self.counts[SIMD2(one.experiment, permission)] ?? AssignmentCheckCounts()
      counts.asked += 1
      counts.late += exposed < one.time ? 1 : 0
      if let variant = shown[one.experiment] {
        counts.carried += 1
        counts.mismatched += variant != one.variant ? 1 : 0
      }
      self.counts[SIMD2(one.experiment, permission)] = counts
    }
    guard counts.count > AssignmentCheckSums.most else { return }
    areTooMany = true
    counts = [:]
    given = []
  }

  func finish(into sums: inout AssignmentCheckSums) {
    if areTooMany { return sums.giveUp() }
    for (codes, counts) in counts {
      // A walk does not count to 2^62.
      try? sums.add(
        counts,
        to: .init(experiment: contexts.experiments[Int(codes[0])], permission: contexts.permissions[Int(codes[1])]))
    }
  }
}

/// The counts by experiment and permission. Names of flags may be of any number, so there is a limit.
struct AssignmentCheckSums: SumsPart {
  private(set) var counts: [AssignmentCheckKey: AssignmentCheckCounts] = [:]
  private(set) var areTooMany = false

  /// Most pairs that are kept.
  static let most = 1 << 16
  private static let shape = TableShape(
    "assignments", keys: AssignmentCheckKey.names, columns: .named(AssignmentCheckCounts.names), most: most)

  mutating func giveUp() {
    areTooMany = true
    counts = [:]
  }

  mutating func add(_ row: AssignmentCheckCounts, to key: AssignmentCheckKey) throws(SumsError) {
    guard !areTooMany else { return }
    try counts[key, default: AssignmentCheckCounts()].add(row)
    if counts.count > Self.most { giveUp() }
  }

  mutating func add(_ other: AssignmentCheckSums) throws(SumsError) {
    if other.areTooMany { giveUp() }
    for (key, row) in other.counts { try add(row, to: key) }
  }

  /// Too many are one row without a name.
  var tables: [SumTable] {
    if areTooMany { return [Self.shape.empty.filled([(key: [nil, nil], row: SumTable.Row([1]))])] }
    return [Self.shape.empty.filled(counts.map { (key: $0.parts, row: $1.row) })]
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let rows = try Self.shape.rows(in: tables)
    if let none = rows.first, none.key == [nil, nil] {
      guard rows.count == 1, none.row == SumTable.Row([1]) else {
        throw Self.shape.damaged("says that there are too many, but has some")
      }
      return giveUp()
    }
    for (parts, row) in rows {
      guard let key = AssignmentCheckKey(parts) else { throw Self.shape.otherKey }
      counts[key] = try Self.shape.row(row)
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
  /// The most findings of a check that are listed.
  private static let mostExperiments = 12

  /// Findings of experiments and permissions; where there is none, one line for each check.
  func assignmentFindings(_ question: AuditQuestion) -> [AuditFinding] {
    var all: [AuditFinding] = []
    for (key, counts) in assignments.counts {
      let detail = AuditFinding.Detail.experiment(String(bounded: key.experiment))
      for (check, users, of) in [
        (AuditCheck.assignedLate, counts.late, counts.asked), (.variantMismatch, counts.mismatched, counts.carried),
      ] where Self.leftOut(check, users, of, question) == nil {
        all.append(
          AuditFinding(
            check, permission: String(bounded: key.permission), users: users, of: of, detail: detail))
      }
    }
    // Most flags choose no message, so that a few findings are enough.
    for check in [AuditCheck.assignedLate, .variantMismatch] {
      let found = all.filter { $0.check == check }.sorted {
        ($1.users ?? 0, $0.detail.order) < ($0.users ?? 0, $1.detail.order)
      }
      guard found.count > Self.mostExperiments else { continue }
      all = all.filter { $0.check != check } + found.prefix(Self.mostExperiments)
      all.append(
        AuditFinding(check, detail: .moreExperiments(found.count - Self.mostExperiments), leftOut: .tooMany))
    }
    let reason: AuditFinding.LeftOut =
      assignments.areTooMany ? .tooMany : assignments.counts.isEmpty ? .nothingToSee : .belowThreshold
    for check in [AuditCheck.assignedLate, .variantMismatch] where !all.contains(where: { $0.check == check }) {
      all.append(AuditFinding(check, leftOut: reason))
    }
    return all
  }
}
