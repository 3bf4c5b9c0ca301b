// The sums of an audit as tables, and back: a table may come from a file that anybody wrote.

public import Folding
import PermissionEvents

extension AuditSums {
  private static let emptyPermissions = SumTable("journeys", keys: ["permission"], columns: PracticeCounter.names)
  private static let emptySeveral = SumTable("several", keys: ["at_once"], columns: UserRatio.names)
  private static let emptyEvidence = SumTable("evidence", keys: [], columns: PracticeEvidence.names)
  /// The value of each is how many there are at most of one check and permission.
  private static let emptyExamples = SumTable("examples", keys: ["check", "permission", "user"], columns: ["at_most"])
  private static let emptyIngests = SumTable("ingests", keys: [], columns: IngestTally.counterNames)
  private static let ownTables = 6

  public var tables: [SumTable] {
    var permissions = Self.emptyPermissions
    for (name, counts) in self.permissions { permissions.setRow([name], SumTable.Row(counts)) }
    var several = Self.emptySeveral
    for (name, ratio) in [("yes", with), ("no", without)] {
      several.setRow([Array(name.utf8)], SumTable.Row(ratio.integers))
    }
    var evidence = Self.emptyEvidence
    evidence.setRow([], SumTable.Row(self.evidence))
    var examples = Self.emptyExamples
    for (key, users) in self.examples.users {
      let most = SumTable.Row([Int64(self.examples.limit)])
      for user in users { examples.setRow([Array(key.check.rawValue.utf8), key.permission, user.id], most) }
    }
    var ingests = Self.emptyIngests
    if let tally = self.ingests {
      ingests.setRow([], SumTable.Row(tally.counters))
    }
    return [permissions, several, evidence, examples, ingests, known.table] + calls.tables + feed.tables
  }

  public init(tables: [SumTable]) throws(SumsError) {
    feed = try FeedSums(tables: tables)
    let count = Self.ownTables + CallSums.tableCount + FeedSums.tableCount
    guard tables.count == count else {
      throw SumsError(.otherFold, "an audit has \(count) tables, not \(tables.count)")
    }
    known = try NameSums(tables)
    calls = try CallSums(tables: tables)
    for (key, row) in try tables.table(like: Self.emptyPermissions).orderedRows {
      let counts = try SumKeys.counts(row, PracticeCounter.count)
      for (part, whole) in PracticeCounter.parts where self[part, counts] > self[whole, counts] {
        throw Self.damaged("there are more journeys with \(PracticeCounter.names[part.rawValue]) than there can be")
      }
      permissions[try SumKeys.present(key[0])] = counts
    }
    for (key, row) in try tables.table(like: Self.emptySeveral).orderedRows {
      let ratio = UserRatio(integers: try SumKeys.counts(row, UserRatio.names.count))
      guard ratio.isPossible else { throw Self.damaged("users' journeys are not those of any users") }
      switch key[0] {
      case Array("yes".utf8): with = ratio
      case Array("no".utf8): without = ratio
      default: throw Self.damaged("a key has a word that this version does not know")
      }
    }
    for (_, row) in try tables.table(like: Self.emptyEvidence).orderedRows {
      evidence = try SumKeys.counts(row, PracticeEvidence.allCases.count)
    }
    try readExamples(try tables.table(like: Self.emptyExamples))
    for (_, row) in try tables.table(like: Self.emptyIngests).orderedRows {
      guard let tally = IngestTally(counters: try SumKeys.counts(row, IngestTally.counterNames.count)) else {
        throw Self.damaged("ingests have more of a part of something than there is of the whole")
      }
      ingests = tally
    }
    try check()
  }

  private mutating func readExamples(_ table: SumTable) throws(SumsError) {
    guard let limit = table.rows.first?.value[0] else { return }
    guard (1...Int64(AuditQuestion.mostExamples)).contains(limit), table.rows.values.allSatisfy({ $0[0] == limit })
    else { throw Self.damaged("examples have several numbers") }
    examples = AuditExamples(limit: Int(limit))
    for (key, _) in table.orderedRows {
      guard let name = key[0], let check = AuditCheck(rawValue: String(decoding: name, as: UTF8.self)) else {
        throw Self.damaged("an example is of no check")
      }
      let permission = key[1] == nil ? nil : try SumKeys.present(key[1])
      examples.add(ExampleUser(try SumKeys.present(key[2])), of: ExampleName(check: check, permission: permission))
    }
  }

  private static func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "the sums of an audit contradict themselves: \(what)")
  }
}

extension UserRatio {
  mutating func add(_ other: UserRatio) throws(SumsError) {
    for place in integers.indices { integers[place] = try CheckedSum.add(integers[place], other.integers[place]) }
  }

  /// True if there are users whose sums these are, as far as that is cheap to say.
  var isPossible: Bool {
    let (granted, base, squares, products, baseSquares) = (
      integers[1], integers[2], integers[3], integers[4], integers[5]
    )
    return granted <= base && granted <= squares && base <= baseSquares && squares <= products
      && products <= baseSquares && (base == 0 || users > 0)
  }
}
