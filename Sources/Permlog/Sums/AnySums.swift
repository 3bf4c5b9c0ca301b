// The sums of a question of any kind. The reading of calls that return at once, and of answers without screens, depends
// on all users, but these sums may have only some of them. Users whom the reading concerns are therefore counted in
// every reading that may turn out to be right.

public import Folding
public import PermissionAnalysis
import PermissionEvents

/// The counts for a saved question.
public struct AnySums: Sendable {
  /// The readings that concern some users, and whether these sums are under the other reading.
  package typealias Assumption = [OpenReading: Bool]

  /// The counts of users whom no open reading concerns. How fast prompts were answered covers all users.
  package var counted: any QuestionSums
  /// The counts of the other users, in each reading.
  package private(set) var assumed: [Assumption: any QuestionSums] = [:]
  /// The readings that were fixed for some users before all users were known.
  package private(set) var fixed: Set<FixedReading> = []

  package init(
    _ counted: any QuestionSums, assumed: [Assumption: any QuestionSums] = [:], fixed: Set<FixedReading> = []
  ) { (self.counted, self.assumed, self.fixed) = (counted, assumed, fixed) }

  public init(_ kind: Question.Kind) { self.init(kind.noSums) }

  public static func report(_ sums: ReportSums) -> AnySums { AnySums(sums) }
  public static func compare(_ sums: ComparisonSums) -> AnySums { AnySums(sums) }
  public static func flow(_ sums: FlowSums) -> AnySums { AnySums(sums) }
  public static func audit(_ sums: AuditSums) -> AnySums { AnySums(sums) }

  /// The name of the fold and the version of its counts, like `report 4`.
  public var name: String { type(of: counted).name }

  mutating func assume(_ assumption: Assumption, _ sums: any QuestionSums) { assumed[assumption] = sums }

  /// Leaves out sessions: the user ids of a session may be in two shards.
  mutating func forgetSessions() {
    guard var sums = counted as? AuditSums else { return }
    sums.ingests?.sessions = 0
    sums.ingests?.changedSessions = 0
    counted = sums
  }

  /// Adds the sums of other users. If it throws, these sums are no longer valid.
  /// - Throws: `otherFold` for sums of another kind.
  public mutating func add(_ other: AnySums) throws(SumsError) {
    try counted.add(any: other.counted)
    guard !assumed.isEmpty || !fixed.isEmpty || !other.assumed.isEmpty || !other.fixed.isEmpty else { return }
    let calls = counted.calls
    // If a user saw a screen, the other reading is no longer needed: the usual one is right.
    fixed = fixed.union(other.fixed).filter { $0.isOther || $0.reading.isThere(in: calls) }
    let parts = [assumed, other.assumed]
    assumed = [:]
    for part in parts {
      for (assumption, sums) in part { try add(sums, assumption, calls) }
    }
  }

  /// Adds the counts under an assumption.
  /// - Parameter calls: the calls of all users. If one user saw a screen, answers of other users do not stand alone,
  ///   even if that was open before.
  private mutating func add(_ sums: any QuestionSums, _ assumption: Assumption, _ calls: CallSums) throws(SumsError) {
    let open = assumption.filter { $0.key.isThere(in: calls) }
    guard assumption.allSatisfy({ open[$0.key] != nil || !$0.value }) else { return }
    if open.isEmpty { return try counted.add(any: sums) }
    if var known = assumed.removeValue(forKey: open) {
      try known.add(any: sums)
      assumed[open] = known
    } else {
      assumed[open] = sums
    }
  }

  /// The sums under the reading that all users need, and the reading in which they were counted. It is another one if
  /// something was fixed before that was known.
  package func resolved() throws(SumsError) -> (sums: any QuestionSums, reading: CallReading) {
    let reading = CallReading(counted.calls)
    var sums = counted
    for (assumption, part) in assumed where assumption.allSatisfy({ reading.isOther($0.key) == $0.value }) {
      try sums.add(any: part)
    }
    return (sums, reading.fixed(fixed))
  }

  /// Whether some users were read in another way than all users together need.
  package var isMisread: Bool {
    let reading = CallReading(counted.calls)
    return reading.fixed(fixed) != reading
  }
}

// MARK: Tables

extension AnySums {
  private static let prefix = "open_"
  private static let part = "part"
  /// What each part assumes and, in rows without a part, what is fixed.
  private static let emptyReadings = SumTable(
    "open_readings", keys: [part, "permission", "reading", "platform"], columns: ["is_usual", "is_other"])
  private static let alone = Array("answers_alone".utf8)
  private static let asLogged = Array("logged_together".utf8)

  /// The sums as tables. The same users always give the same tables.
  public var tables: [SumTable] {
    guard !assumed.isEmpty || !fixed.isEmpty else { return counted.tables }
    let parts = assumed.map { (assumption: $0.key.sorted { $0.key < $1.key }, sums: $0.value) }.sorted {
      Self.precedes($0.assumption, $1.assumption)
    }
    var readings = Self.emptyReadings
    for (reading, both) in Dictionary(grouping: fixed, by: \.reading) {
      let cells = [false, true].map { isOther in Int64(both.contains { $0.isOther == isOther } ? 1 : 0) }
      readings.setRow(Self.key(reading, part: nil), SumTable.Row(cells))
    }
    for (number, part) in parts.enumerated() {
      for (reading, isOther) in part.assumption {
        readings.setRow(Self.key(reading, part: Self.name(number)), SumTable.Row(isOther ? [0, 1] : [1, 0]))
      }
    }
    let tables = counted.tables
    var rows = [[(key: SumTable.Key, row: SumTable.Row)]](repeating: [], count: tables.count)
    for (number, part) in parts.enumerated() {
      for (index, table) in part.sums.tables.enumerated() {
        rows[index] += table.orderedRows.map { (key: [Self.name(number)] + $0.key, row: $0.row) }
      }
    }
    return tables + [readings]
      + zip(tables, rows).compactMap { $1.isEmpty ? nil : Self.ofParts($0).filled($1) }
  }

  private static func precedes(_ a: [(key: OpenReading, value: Bool)], _ b: [(key: OpenReading, value: Bool)]) -> Bool {
    for (left, right) in zip(a, b) where left != right {
      return left.key == right.key ? right.value : left.key < right.key
    }
    return a.count < b.count
  }

  private static func key(_ reading: OpenReading, part: [UInt8]?) -> SumTable.Key {
    [part, reading.permission, reading.platform == nil ? alone : asLogged, reading.platform]
  }

  private static func name(_ number: Int) -> [UInt8] { Array(String(number).utf8) }

  private static func ofParts(_ table: SumTable) -> SumTable {
    SumTable(prefix + table.name, keys: [part] + table.keys, columns: table.columns)
  }

  /// Reads back the content of `tables`. They may come from an untrusted file.
  public init(_ kind: Question.Kind, tables: [SumTable]) throws(SumsError) {
    let own = tables.filter { !$0.name.hasPrefix(Self.prefix) }
    counted = try kind.request.sums(own)
    guard own.count < tables.count else { return }
    var parts: [[UInt8]: Assumption] = [:]
    for (key, row) in try tables.table(like: Self.emptyReadings).orderedRows {
      guard let permission = key[1], (key[2] == Self.alone) == (key[3] == nil), row.values.allSatisfy({ $0 == 1 }),
        key[0] == nil || row.values.count == 1
      else {
        throw SumsError(.damaged, "table open_readings has a reading that this version does not know")
      }
      let reading = OpenReading(permission: permission, platform: key[3])
      // Answers that were counted without screens may belong to screens in other shards.
      guard reading.isThere(in: counted.calls) || key[0] == nil && row.columns == [1] else {
        throw SumsError(.damaged, "table open_readings has a reading that no user calls for")
      }
      if let part = key[0] {
        parts[part, default: [:]][reading] = row.columns == [1]
      } else {
        for column in row.columns { fixed.insert(FixedReading(reading, isOther: column == 1)) }
      }
    }
    let empty = kind.noSums.tables
    var rows: [[UInt8]: [[(key: SumTable.Key, row: SumTable.Row)]]] = parts.mapValues { _ in empty.map { _ in [] } }
    for (index, table) in empty.enumerated() where tables.contains(where: { $0.name == Self.prefix + table.name }) {
      for (key, row) in try tables.table(like: Self.ofParts(table)).orderedRows {
        guard let part = key[0], parts[part] != nil else {
          throw SumsError(.damaged, "table \(Self.prefix)\(table.name) has a part that assumes nothing")
        }
        rows[part]?[index].append((key: Array(key.dropFirst()), row: row))
      }
    }
    for (part, assumption) in parts {
      guard let rows = rows[part] else { continue }
      assumed[assumption] = try kind.request.sums(zip(empty, rows).map { $0.filled($1) })
    }
  }
}

// MARK: Whether sums contradict the counts of the rows that were read

extension AnySums {
  /// Throws if the sums answer another question, have more than was read, or have data after the question's as_of.
  /// - Parameter tables: the tables of these sums.
  func checkTables(_ tables: [SumTable], of question: Question, _ totals: SumsTotals) throws {
    func damaged(_ what: String) -> SumsError {
      SumsError(.damaged, "the \(question.kind.rawValue) \(question.checksum) \(what)")
    }
    if totals.events == 0,
      let table = tables.first(where: { !$0.isOfNobody && !$0.orderedRows.isEmpty })
    {
      throw damaged("has rows in table \(table.name), but there were no events")
    }
    for counted in [counted, try resolved().sums] + assumed.values {
      try question.request.checkSums(any: counted, of: question, totals)
    }
    guard question.kind == .report || question.kind == .flow else { return }
    var zone = question.zone
    zone.weekStart = question.request.scope.weekStart
    let last = zone.week(of: zone.day(of: question.asOf))
    for table in tables {
      guard let column = table.keys.firstIndex(of: "week") else { continue }
      for (key, _) in table.orderedRows {
        guard let name = key[column], let week = CalendarWeek(parsing: name) else { continue }
        if week.start != last.start {
          throw damaged("has a week in table \(table.name) that does not begin on \(last.start.rawValue)")
        }
        if week > last { throw damaged("has a week in table \(table.name) that is after its as_of") }
      }
    }
  }
}

extension CountedRequest {
  /// Throws if sums do not match this question, or have more than was read.
  fileprivate func checkSums(any sums: any QuestionSums, of question: Question, _ totals: SumsTotals) throws {
    guard let sums = sums as? Sums else { return }
    try checkSums(sums, try shared(in: question.zone))
    guard let sums = sums as? ReportSums else { return }
    guard sums.counted.users <= totals.users, sums.counted.events <= totals.events else {
      throw SumsError(
        .damaged, "the \(question.kind.rawValue) \(question.checksum) has more users or events than were read")
    }
  }
}
