// The sums of an audit: all findings about a log come from these.

public import Folding
public import PermissionEvents
import Statistics

/// The counts of an audit for some users.
public struct AuditSums: FoldSums {
  public static let name = "audit 6"
  public static var layout: SumsLayout<Self> {
    [
      .part(\.limit), .part(\.journeys), .part(\.several), .part(\.evidence), .part(\.examples), .part(\.tally),
      .part(\.known), .part(\.calls), .part(\.feed), .part(\.assignments),
    ]
  }

  private var limit = SumsLimit()
  /// By permission, in the order of `PracticeCounter`.
  private var journeys = CountTable<[UInt8], [Int64]>("journeys", columns: PracticeCounter.names)
  /// Users with three journeys or more.
  private var several = CountTable<AtOnceKey, UserRatio>("several", columns: UserRatio.names, bound: CheckedSum.limit)
  /// By kind of `kindsOfEvidence` users with an event of it, whatever the question chooses.
  var evidence = CountRow(
    "evidence", columns: kindsOfEvidence.map(\.name), bound: CheckedSum.limit,
    [Int64](repeating: 0, count: kindsOfEvidence.count))
  var examples = AuditExamples<ExampleName>(limit: 0)
  private var tally = CountRow(
    "ingests", columns: IngestTally.counterNames, bound: IngestTally.limit, isOfNobody: true, IngestTally())
  /// Values of conditions, and all permissions, that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()
  var feed = FeedSums()
  /// Of the whole log, whatever exposures the question chooses.
  var assignments = AssignmentCheckSums()

  /// Users who were asked for three permissions at once, and users who were not.
  private struct AtOnceKey: SumKey {
    var isAtOnce = false

    mutating func visit(_ parts: inout KeyParts) { parts.word("at_once", &isAtOnce, no: "no", yes: "yes") }
  }

  public init() {}

  subscript(atOnce isAtOnce: Bool) -> UserRatio {
    get { several[AtOnceKey(isAtOnce: isAtOnce)] ?? UserRatio() }
    set { several[AtOnceKey(isAtOnce: isAtOnce)] = newValue }
  }

  /// Kinds that some checks need to be logged at all.
  static let kindsOfEvidence: [EventKind] = [.explanationShown, .settingsPromptShown, .settingsOpened, .statusChecked]

  /// The counts of the log's ingests. Nil if they are not known, or all 0.
  public package(set) var ingests: IngestTally? {
    get { tally.row.isEmpty ? nil : tally.row }
    set { tally.row = newValue ?? IngestTally() }
  }

  // MARK: Room

  /// Bytes that the counters of a permission take, about.
  static let sizeOfRow = 160 + 8 * PracticeCounter.count

  static func tooMany(_ room: GroupRoom) -> SumsError {
    room.tooMany("the users were asked for too many different permissions")
  }

  /// Throws if the users could not be counted, if memory or numbers are exceeded, or if the sums contradict
  /// themselves, as sums from a file may. Checks all of them.
  public func checkCounts() throws(SumsError) {
    try checkRoom()
    for counts in journeys.rows.values {
      for (part, whole) in PracticeCounter.parts where self[part, counts] > self[whole, counts] {
        throw journeys.shape.damaged("has more journeys with \(PracticeCounter.names[part.rawValue]) than are possible")
      }
    }
    try feed.checkCounts()
  }

  public func checkRoom() throws(SumsError) {
    try limit.checkSize()
    if journeys.rows.count * Self.sizeOfRow + examples.size > limit.room.bytes { throw Self.tooMany(limit.room) }
    for counts in journeys.rows.values {
      guard counts.allSatisfy({ $0 <= SumKeys.mostUsers }) else { throw Self.tooLarge }
    }
    guard max(self[atOnce: true].users, self[atOnce: false].users) <= SumKeys.mostUsers else { throw Self.tooLarge }
  }

  private static let tooLarge = SumsError(.overflow, "the sums of the audit are too large")

  /// The names of permissions with a prompt, a grant or a denial.
  package var asked: Set<String> {
    Set(journeys.rows.filter { self[.asked, $0.value] > 0 }.map { String(bounded: $0.key) })
  }

  subscript(_ counter: PracticeCounter, _ counts: [Int64]) -> Int64 { counts[counter.rawValue] }

  func has(_ kind: EventKind) -> Bool { zip(Self.kindsOfEvidence, evidence.row).contains { $0 == kind && $1 > 0 } }
}

extension AuditSums {
  /// - Parameter failure: why that is not all.
  init(_ table: borrowing PracticeTable, _ names: [[UInt8]], room: GroupRoom, failure: SumsError?) {
    limit = SumsLimit(room: room, failure: failure)
    for row in 0..<table.permissions.count {
      let counts = table.integers(row)
      if counts.contains(where: { $0 > 0 }) { journeys[names[Int(table.permissions[row])]] = counts }
    }
  }
}

// MARK: Rows

extension IngestTally: SumRow {
  package init() { self.init(new: 0) }

  package init?(_ row: SumTable.Row, width: Int) {
    guard let tally = IngestTally(counters: [Int64](row, width: width) ?? []) else { return nil }
    self = tally
  }

  package var row: SumTable.Row { counters.row }
  package mutating func add(_ other: IngestTally) { self += other }
}

extension UserRatio: SumRow {
  init?(_ row: SumTable.Row, width: Int) {
    integers = [Int64](row, width: width) ?? []
    guard isPossible else { return nil }
  }

  var row: SumTable.Row { integers.row }
  mutating func add(_ other: UserRatio) throws(SumsError) { try integers.add(other.integers) }

  /// A cheap test whether these can be sums of users.
  var isPossible: Bool {
    let (granted, base, squares, products, baseSquares) = (
      integers[1], integers[2], integers[3], integers[4], integers[5]
    )
    return granted <= base && granted <= squares && base <= baseSquares && squares <= products
      && products <= baseSquares && (base == 0 || users > 0)
  }
}

/// The value of each row is how many there are at most of one check and permission.
extension AuditExamples<ExampleName>: SumsPart {
  private static let shape = TableShape(
    "examples", keys: ["check", "permission", "user"], columns: .named(["at_most"]), bound: CheckedSum.limit)

  mutating func add(_ other: Self) { add(other) { $0 } }

  var tables: [SumTable] {
    let most = SumTable.Row([Int64(limit)])
    let rows = users.flatMap { key, users in
      users.map { (key: [Array(key.check.rawValue.utf8), key.permission, $0.id] as SumTable.Key, row: most) }
    }
    return [Self.shape.empty.filled(rows)]
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let rows = try Self.shape.rows(in: tables)
    guard let limit = rows.first?.row[0] else { return }
    guard limit <= AuditQuestion.mostExamples, rows.allSatisfy({ $0.row[0] == limit }) else {
      throw Self.shape.damaged("has several limits of examples, or one that is too large")
    }
    self = AuditExamples(limit: Int(limit))
    for (key, _) in rows {
      guard let name = key[0], let check = AuditCheck(rawValue: String(bounded: name)),
        let permission = key[1].nameOrNone, let user = key[2].name
      else { throw Self.shape.otherKey }
      add(ExampleUser(user), of: ExampleName(check: check, permission: permission.orAbsent))
    }
  }
}

// MARK: From counts to findings: answers that cannot be all of them
// Of the whole log, whatever exposures the question chooses.

extension AuditSums {
  func answers(_ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion) -> [AuditFinding] {
    let permission = String(bounded: name)
    var found: [AuditFinding] = []
    let (unexposed, exposed) = (self[.unexposed, counts], self[.exposed, counts])
    if unexposed + exposed > 0 {
      found.append(
        AuditFinding(
          .answersWithoutScreens, permission: permission, users: unexposed, of: unexposed + exposed,
          examples: ids(.answersWithoutScreens, name),
          leftOut: Self.leftOut(.answersWithoutScreens, unexposed, unexposed + exposed, question)))
    }
    if exposed > 0, UnansweredPermission(rawValue: permission) == nil {
      found.append(oneSided(name, granted: self[.granted, counts], denied: self[.denied, counts]))
    }
    return found
  }

  private func oneSided(_ name: [UInt8], granted: Int64, denied: Int64) -> AuditFinding {
    let answers = granted + denied
    let leftOut: AuditFinding.LeftOut? =
      if answers == 0 { .nothingToSee } else if answers < AuditCheck.oneSidedAnswers.least {
        .tooFew
      } else if granted > 0, denied > 0 { .belowThreshold } else { nil }
    return AuditFinding(
      .oneSidedAnswers, permission: String(bounded: name), users: answers,
      detail: .answers(granted: granted, denied: denied), examples: ids(.oneSidedAnswers, name), leftOut: leftOut)
  }

  // MARK: From counts to findings: how the app asks

  /// Returns the findings of every check, and the checks without a finding. With very many permissions the list of
  /// the latter is cut.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    var found =
      [several(question)] + feed.candidates(question) + IngestTally.candidates(ingests, question)
      + calls.candidates(question) + assignmentFindings(question)
    var leftOut = 0
    for (name, counts) in journeys.rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let areListed = leftOut < Self.mostLeftOut
      let own =
        practice(name, counts, question, areOthersListed: areListed)
        + answers(name, counts, question).filter { areListed || $0.leftOut == nil }
      leftOut += own.count { $0.leftOut != nil }
      found += own
    }
    return found
  }

  /// The number of checks without a finding that are listed, approximately.
  static let mostLeftOut = 20_000

  /// - Parameter areOthersListed: if not, what found nothing is left out.
  private func practice(
    _ name: [UInt8], _ counts: [Int64], _ question: AuditQuestion, areOthersListed: Bool
  ) -> [AuditFinding] {
    guard self[.journeys, counts] > 0 else { return [] }
    return AuditCheck.countedChecks.compactMap { check, counted in
      let permission = String(bounded: name)
      let (users, of) = (self[counted.part, counts], self[counted.whole, counts])
      let missing = counted.evidence.flatMap { has($0) ? nil : $0 }
      if let missing, counted.isUnknownWithout {
        guard areOthersListed else { return nil }
        return AuditFinding(check, permission: permission, of: of, detail: .notLogged(missing), leftOut: .nothingToSee)
      }
      let leftOut = Self.leftOut(check, users, of, question)
      guard leftOut == nil || areOthersListed else { return nil }
      func rate(_ grants: AuditCheck.Counted.Grants) -> (Int, Int) {
        (Int(self[grants.granted, counts]), Int(self[grants.base, counts]))
      }
      let costs = missing == nil ? counted.costs.map { (with: rate($0.with), without: rate($0.without)) } : nil
      return AuditFinding(
        check, severity: missing == nil ? nil : .note, permission: permission, users: users, of: of,
        cost: costs.flatMap { Estimate.difference($0.without, $0.with) },
        detail: missing.map { .notLogged($0) }
          ?? costs.map { .rates(with: Estimate.rate($0.with.0, $0.with.1), without: .rate($0.without.0, $0.without.1)) }
          ?? .none,
        examples: ids(check, name), leftOut: leftOut)
    }
  }

  private func several(_ question: AuditQuestion) -> AuditFinding {
    let (with, without) = (self[atOnce: true], self[atOnce: false])
    let (users, of) = (with.users, with.users + without.users)
    return AuditFinding(
      .severalAtOnce, users: users, of: of, cost: UserRatio.difference(without, with),
      detail: .rates(with: with.rate, without: without.rate), examples: ids(.severalAtOnce, nil),
      leftOut: Self.leftOut(.severalAtOnce, users, of, question))
  }

  /// The reason why it is not a finding. Nil if it is one. Without users there is no finding, whatever the threshold.
  static func leftOut(
    _ check: AuditCheck, _ users: Int64, _ of: Int64, _ question: AuditQuestion
  ) -> AuditFinding.LeftOut? {
    if of == 0 { return .nothingToSee }
    if of < check.least { return .tooFew }
    guard users > 0, let threshold = question.threshold(check), threshold.isReached(by: users, of: of) else {
      return .belowThreshold
    }
    return nil
  }

  /// Ids of users, in the log's order.
  func ids(_ check: AuditCheck, _ permission: [UInt8]?) -> [String] {
    examples.users[ExampleName(check: check, permission: permission)]?.map { String(bounded: $0.id) }
      ?? []
  }
}
