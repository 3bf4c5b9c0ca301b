// The sums of flows as tables, and back: a table may come from a file that anybody wrote.

public import Folding
import PermissionEvents

extension FlowSums {
  private static let placeKeys = ["week", "flow"]
  private static let stepNumbers = 1...FlowQuestion.mostSteps
  private static let emptyLists = SumTable(
    "lists", keys: placeKeys + stepNumbers.map { "step_\($0)" },
    columns: stepNumbers.flatMap { number in Outcome.settled.map { "step_\(number)_\($0.name)" } }
      + Outcome.settled.map { "more_\($0.name)" })
  private static let emptySteps = SumTable(
    "steps", keys: placeKeys + ["permission", "position", "before"], columns: ["base", "granted"])
  private static let emptyPlaces = SumTable("flows", keys: placeKeys, columns: FlowCounter.names)
  private static let emptyDurations = SumTable("durations", keys: placeKeys, columns: .numbered(TimeHistogram.size))
  private static let emptyUsers = SumTable("users", keys: placeKeys, columns: ["users"])

  public var tables: [SumTable] {
    let lists = self.lists.map { key, counts in
      let steps: SumTable.Key = (0..<FlowQuestion.mostSteps).map {
        $0 < key.permissions.count ? names.names[Int(key.permissions[$0])] : nil
      }
      return (key: Self.key(key.place) + steps, row: SumTable.Row(counts))
    }
    let steps = self.steps.map { key, counts in
      let parts = [FlowPosition.names[key.position], FlowBefore.names[key.before]].map { Array($0.utf8) }
      return (key: Self.key(key.place) + [names.names[Int(key.permission)]] + parts, row: SumTable.Row(counts))
    }
    var places = Self.emptyPlaces
    for (place, counts) in self.places { places.setRow(Self.key(place), SumTable.Row(counts)) }
    var durations = Self.emptyDurations
    let scratch = TimeHistogram()
    for (place, times) in self.durations { durations.setRow(Self.key(place), times.row(countedIn: scratch)) }
    var users = Self.emptyUsers
    for (key, count) in self.users {
      users.setRow(
        [key.week.map { SumKeys.week($0) }, Array((key.isLater ? "later" : "all").utf8)], SumTable.Row([count]))
    }
    return [Self.emptyLists.filled(lists), Self.emptySteps.filled(steps), places, durations, users, known.table]
      + calls.tables
  }

  private static func key(_ place: Place) -> SumTable.Key {
    [SumKeys.week(place.week), Array((place.isFirst ? "first" : "later").utf8)]
  }

  public init(tables: [SumTable]) throws(SumsError) {
    guard tables.count == 8 else { throw SumsError(.otherFold, "flows have eight tables, and not \(tables.count)") }
    known = try NameSums(tables)
    calls = try CallSums(tables: tables)
    for (key, row) in try tables.table(like: Self.emptyPlaces).orderedRows {
      places[try Self.place(key)] = try SumKeys.counts(row, FlowCounter.count)
    }
    for (key, row) in try tables.table(like: Self.emptyLists).orderedRows { try readList(key, row) }
    for (key, row) in try tables.table(like: Self.emptySteps).orderedRows {
      let number = StepKey(
        place: try Self.place(key), permission: names.place(of: try SumKeys.present(key[2])),
        position: try Self.number(key[3], in: FlowPosition.names),
        before: try Self.number(key[4], in: FlowBefore.names))
      // Only the first step of a flow has none before it.
      guard (number.position == 0) == (number.before == 0) else { throw Self.damaged("a step has no place in a flow") }
      try add(SumKeys.counts(row, 2), to: number)
    }
    for (key, row) in try tables.table(like: Self.emptyDurations).orderedRows {
      durations[try Self.place(key)] = try BucketCounts(columns: row.columns, values: row.values)
    }
    for (key, row) in try tables.table(like: Self.emptyUsers).orderedRows {
      let week = key[0] == nil ? nil : try SumKeys.week(key[0])
      let isLater = try Self.number(key[1], in: ["all", "later"]) == 1
      users[UsersKey(week: week, isLater: isLater)] = try SumKeys.journeys(row[0])
    }
    try check()
    try checkCounts()
  }

  private mutating func readList(_ key: SumTable.Key, _ row: SumTable.Row) throws(SumsError) {
    var permissions: [UInt32] = []
    for part in key.dropFirst(2) {
      guard let part else { continue }
      guard key[2 + permissions.count] != nil else { throw Self.damaged("a list has a gap") }
      permissions.append(names.place(of: try SumKeys.present(part)))
    }
    guard !permissions.isEmpty, Set(permissions).count == permissions.count else {
      throw Self.damaged("a list has no permission, or one twice")
    }
    let counts = try SumKeys.counts(row, Self.more + Outcome.settled.count)
    let width = Self.width(steps: permissions.count)
    guard counts.dropFirst(width).allSatisfy({ $0 == 0 }) else { throw Self.damaged("a list has too many steps") }
    try add(Array(counts.prefix(width)), to: ListKey(place: try Self.place(key), permissions: permissions))
  }

  private static func place(_ key: SumTable.Key) throws(SumsError) -> Place {
    Place(week: try SumKeys.week(key[0]), isFirst: try number(key[1], in: ["first", "later"]) == 0)
  }

  private static func number(_ part: [UInt8]?, in names: [String]) throws(SumsError) -> Int {
    guard let part, let number = names.firstIndex(where: { part.elementsEqual($0.utf8) }) else {
      throw damaged("a key has a word that this version does not know")
    }
    return number
  }

  static func damaged(_ what: String) -> SumsError {
    SumsError(.damaged, "the sums of flows contradict themselves: \(what)")
  }
}
