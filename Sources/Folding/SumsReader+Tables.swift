// Reading tables of sums.

extension SumsReader {
  /// What follows the name of a table.
  mutating func table(_ name: String) throws(SumsError) -> SumTable {
    guard take("keys") else { throw damaged("the list of keys") }
    let keys = try list(most: SumsFormat.mostKeys, "keys")
    let columns: SumTable.Columns
    if take("numbered ") {
      guard let count = number(), (1...Int64(SumsFormat.mostColumns)).contains(count), takeLineEnd() else {
        throw damaged("the number of columns")
      }
      columns = .numbered(Int(count))
    } else {
      guard take("columns") else { throw damaged("the list of columns") }
      columns = .named(try list(most: SumsFormat.mostColumns, "columns"))
    }
    var rows: [(key: SumTable.Key, row: SumTable.Row)] = []
    var last: SumTable.Key?
    // Where the parts of the last key are in the bytes: parts that are the same are read once.
    var places = [Range<Int>](repeating: 0..<0, count: keys.count)
    while position < end, bytes[position] == 0x2D || bytes[position] == 0x3D {
      let key = try key(keys.count, last, &places)
      guard last.map({ SumTable.precedes($0, key) }) ?? true else { throw damaged("the order of the rows") }
      rows.append((key, try row(columns.count)))
      last = key
    }
    return SumTable(name, keys: keys, columns: columns, rows: rows)
  }

  private mutating func list(most: Int, _ name: String) throws(SumsError) -> [String] {
    var list: [String] = []
    while takeBlank() {
      guard list.count < most else { throw damaged("the list of \(name)") }
      list.append(try text())
    }
    guard takeLineEnd(), Set(list).count == list.count else { throw damaged("the list of \(name)") }
    return list
  }

  private mutating func key(
    _ count: Int, _ last: SumTable.Key?, _ places: inout [Range<Int>]
  ) throws(SumsError) -> SumTable.Key {
    if count == 0 {
      guard bytes[position] == 0x2D else { throw damaged("a key") }
      position += 1
      return []
    }
    var key: SumTable.Key = []
    key.reserveCapacity(count)
    for number in 0..<count {
      if number > 0, !takeBlank() { throw damaged("a key") }
      if bytes[position] == 0x2D {
        position += 1
        places[number] = 0..<0
        key.append(nil)
        continue
      }
      guard bytes[position] == 0x3D else { throw damaged("a key") }
      position += 1
      let place = places[number]
      let after = position + place.count
      if let last, !place.isEmpty, after < end, bytes[after] == 0x20, isSame(place, position) {
        key.append(last[number])
        position = after
      } else {
        let start = position
        key.append(try word())
        places[number] = start..<position
      }
    }
    return key
  }

  @inline(__always) private func isSame(_ place: Range<Int>, _ start: Int) -> Bool {
    for i in 0..<place.count where bytes[place.lowerBound + i] != bytes[start + i] { return false }
    return true
  }

  /// The cells after a key, to the end of the line.
  private mutating func row(_ count: Int) throws(SumsError) -> SumTable.Row {
    columns.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    takeShortCells(count)
    var last = columns.last ?? -1
    while takeBlank() {
      guard let column = number(), column > last, column < count, bytes[position] == 0x3A else {
        throw damaged("a value")
      }
      position += 1
      guard let value = number(), value != 0 else { throw damaged("a value") }
      last = Int(column)
      columns.append(last)
      values.append(value)
    }
    guard last >= 0 else { throw damaged("a row without values") }
    guard takeLineEnd() else { throw damaged("a value") }
    return SumTable.Row(columns: columns, values: values)
  }

  /// Reads cells up to the first that is not two numbers of few digits, as almost all are. A file has millions of them.
  private mutating func takeShortCells(_ count: Int) {
    let text = bytes
    // Taken out, so that they are not copied.
    var (columns, values) = (columns, values)
    (self.columns, self.values) = ([], [])
    var last = -1
    position = text.withUnsafeBufferPointer { text in
      var place = position
      // There is a line feed before the end, and nothing here goes past one.
      while text[place] == 0x20 {
        var next = place + 1
        guard let column = Self.shortNumber(text, &next), column > last, column < count, text[next] == 0x3A else {
          break
        }
        next += 1
        guard let value = Self.shortNumber(text, &next), value != 0 else { break }
        last = column
        columns.append(column)
        values.append(Int64(value))
        place = next
      }
      return place
    }
    (self.columns, self.values) = (columns, values)
  }

  /// A number of at most nine digits as it is written; nil for any other, which `number` reads or refuses.
  @inline(__always)
  private static func shortNumber(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int? {
    let start = place
    var value = 0
    while place - start < 10 {
      let digit = text[place] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ Int(digit)
      place += 1
    }
    let digits = place - start
    return digits == 0 || digits == 10 || digits > 1 && text[start] == 0x30 ? nil : value
  }
}
