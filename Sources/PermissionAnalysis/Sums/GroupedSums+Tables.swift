// Groups as tables of a file of sums, and back.

import Folding

extension GroupedSums {
  private static let keyNames = ["permission", "week", "value", "value_2"]
  private static let emptyGroups = SumTable("groups", keys: keyNames, columns: CounterNames.all)
  private static let emptyTimes = SumTable(
    "times", keys: keyNames + ["series"], columns: .numbered(TimeHistogram.size))

  /// The tables `groups` and `times`.
  func tables() -> [SumTable] {
    var groups: [(key: SumTable.Key, row: SumTable.Row)] = []
    var times: [(key: SumTable.Key, row: SumTable.Row)] = []
    groups.reserveCapacity(keys.count)
    let scratch = TimeHistogram()
    for (slot, key) in keys.enumerated() {
      let name = name(of: key)
      var row = SumTable.Row()
      row.reserveCapacity(Self.width / 4)
      forEachInteger(of: slot) { if $1 != 0 { row.append($0, $1) } }
      groups.append((name, row))
      let series = self.times(of: slot)
      for number in TimeSeries.byName {
        let counts = series[series.startIndex + number]
        if counts.cells == 0 { continue }
        times.append((name + [TimeSeries.names[number]], counts.row(countedIn: scratch)))
      }
    }
    return [Self.emptyGroups.filled(groups), Self.emptyTimes.filled(times)]
  }

  private func name(of key: GroupKey) -> SumTable.Key {
    [permissions[Int(key.permission)], SumKeys.week(key.week)]
      + ValueName.values(values[Int(key.value)]).map { $0.isEmpty ? nil : $0 }
  }

  /// Empty for none.
  private static func value(_ part: [UInt8]?) throws(SumsError) -> [UInt8] {
    part == nil ? [] : try SumKeys.present(part)
  }

  init(tables: [SumTable]) throws(SumsError) {
    let groups = try tables.table(like: Self.emptyGroups)
    let times = try tables.table(like: Self.emptyTimes)
    var permissions = NameList()
    var values = NameList()
    var slots: [GroupKey: Int] = [:]
    var last: (key: ArraySlice<[UInt8]?>, group: GroupKey)?
    func group(_ key: SumTable.Key) throws(SumsError) -> GroupKey {
      // Rows of one group follow each other.
      if let last, last.key == key[..<4] { return last.group }
      let group = GroupKey(
        permission: try permissions.place(of: SumKeys.present(key[0])), week: try SumKeys.week(key[1]),
        value: try values.place(of: ValueName.of([Self.value(key[2]), Self.value(key[3])])))
      last = (key[..<4], group)
      return group
    }
    let rows = groups.orderedRows
    let room = GroupRoom()
    let isFlat = rows.count <= room.groups
    var keys: [GroupKey] = []
    var integers: [Int64] = []
    for (key, row) in rows {
      let group = try group(key)
      slots[group] = keys.count
      keys.append(group)
      guard isFlat else {
        for value in row.values { _ = try SumKeys.count(value) }
        continue
      }
      let start = integers.count
      integers += repeatElement(0, count: Self.width)
      for (column, value) in zip(row.columns, row.values) { integers[start + column] = try SumKeys.count(value) }
    }
    var counts = [BucketCounts](repeating: BucketCounts(), count: keys.count * TimeSeries.count)
    for (key, row) in times.orderedRows {
      let group = try group(key)
      guard let slot = slots[group], let series = TimeSeries.names.firstIndex(where: { key[4] == $0 })
      else { throw SumsError(.damaged, "table times has a row of no group") }
      counts[slot * TimeSeries.count + series] = try BucketCounts(columns: row.columns, values: row.values)
    }
    if isFlat {
      self.init(
        permissions: permissions.names, values: values.names, keys: keys, integers: integers, times: counts, room: room)
    } else {
      let packed = Self.packed(keys, rows.map(\.row), counts)
      try room.check(packed.size)
      self.init(permissions: permissions.names, values: values.names, packed, room: room)
    }
    try checkFigures()
  }

  /// Packs groups of a file.
  private static func packed(_ keys: [GroupKey], _ rows: [SumTable.Row], _ times: [BucketCounts]) -> PackedGroups {
    var packed = PackedGroups()
    for slot in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
      for (column, value) in zip(rows[slot].columns, rows[slot].values) { packed.append(column, value) }
      for series in TimeSeries.allCases {
        times[slot * TimeSeries.count + series.rawValue].forEachBucket {
          packed.append(PackedGroups.place(series, bucket: $0), $1)
        }
      }
      packed.end(keys[slot])
    }
    return packed
  }
}
