// The sums of an audit: everything that is said of a log comes from these.

public import Folding
public import PermissionEvents

/// What an audit counted of some users.
public struct AuditSums: FoldSums {
  public static let name = "audit 4"

  /// By permission, in the order of `PracticeCounter`.
  var permissions: [[UInt8]: [Int64]] = [:]
  /// Users with three journeys or more, who were asked for three at once and not.
  var with = UserRatio()
  var without = UserRatio()
  /// Users, in the order of `PracticeEvidence`.
  var evidence = [Int64](repeating: 0, count: PracticeEvidence.allCases.count)
  var examples = AuditExamples<ExampleName>(limit: 0)
  var feed = FeedSums()
  /// What the log's ingests counted; nil if that is not known, or nothing.
  public package(set) var ingests: IngestTally? {
    didSet { if ingests?.isEmpty == true { ingests = nil } }
  }
  /// Values of conditions, and all permissions, that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()
  private var room = GroupRoom()
  private var failure: SumsError?

  public init() {}

  public mutating func add(_ other: AuditSums) throws(SumsError) {
    if let failure = failure ?? other.failure { throw failure }
    room.bytes = min(room.bytes, other.room.bytes)
    for (name, counts) in other.permissions { try SumKeys.add(counts, to: &permissions[name]) }
    known.add(other.known)
    try calls.add(other.calls)
    try with.add(other.with)
    try without.add(other.without)
    for place in evidence.indices { evidence[place] = try CheckedSum.add(evidence[place], other.evidence[place]) }
    examples.add(other.examples) { $0 }
    try feed.add(other.feed)
    ingests = IngestTally.sum([ingests, other.ingests])
    try checkSize()
  }

  // MARK: Room

  /// Bytes that the counters of a permission take, about.
  static let sizeOfRow = 160 + 8 * PracticeCounter.count

  static func tooMany(bytes: Int) -> SumsError {
    SumsError(
      .tooManyGroups,
      "the users were asked for too many different permissions: their sums take more than the \(bytes >> 20) MB that "
        + "there are for them")
  }

  /// Throws if the users could not be counted, have no room, are more than figures are made of, or if what was counted
  /// contradicts itself, as what a file brought may. It goes over all of it: `add` is called for each thread.
  package func check() throws(SumsError) {
    try checkSize()
    try feed.check()
  }

  private func checkSize() throws(SumsError) {
    if let failure { throw failure }
    if permissions.count * Self.sizeOfRow + examples.size > room.bytes { throw Self.tooMany(bytes: room.bytes) }
    for counts in permissions.values {
      guard counts.allSatisfy({ $0 <= SumKeys.mostUsers }) else { throw Self.tooLarge }
    }
    guard with.users <= SumKeys.mostUsers, without.users <= SumKeys.mostUsers else { throw Self.tooLarge }
  }

  private static let tooLarge = SumsError(.overflow, "the sums of an audit are larger than figures are made of")

  /// The names of permissions with a prompt, a grant or a denial.
  package var asked: Set<String> {
    Set(permissions.filter { self[.asked, $0.value] > 0 }.map { String(decoding: $0.key, as: UTF8.self) })
  }

  subscript(_ counter: PracticeCounter, _ counts: [Int64]) -> Int64 { counts[counter.rawValue] }

  func has(_ kind: PracticeEvidence) -> Bool { evidence[kind.rawValue] > 0 }
}

extension AuditSums {
  /// What one walk counted of journeys.
  /// - Parameters:
  ///   - names: of permissions by code.
  ///   - failure: why that is not all.
  init(_ table: borrowing PracticeTable, _ names: [[UInt8]], room: GroupRoom, failure: SumsError?) {
    (self.room, self.failure) = (room, failure)
    for row in 0..<table.permissions.count {
      let counts = table.integers(row)
      if counts.contains(where: { $0 > 0 }) { permissions[names[Int(table.permissions[row])]] = counts }
    }
  }
}
