// What a block has under names: kinds in the codes of its part, and columns that the program does not know.

import PermissionEvents

extension DecodedBlock {
  /// The rows' kinds in shared codes; only in parts whose codes are not the program's.
  func translateKinds() throws {
    var seen: UInt32 = 0
    kindCodes.shared.withUnsafeBufferPointer { shared in
      for row in 0..<rows {
        let byte = kinds.pointer[row]
        seen |= 1 << UInt32(byte & 15)
        kinds.pointer[row] = byte & 0xF0 | shared[Int(byte & 15)]
      }
    }
    guard seen & ~kindCodes.used == 0 else { throw damaged("a kind has no meaning") }
  }

  /// A code for each row and column; a block in which no row has a value of a column has no stream for it.
  func decodeColumns() throws {
    for (column, codes) in zip(part.footer.dictionary.columns, columns) {
      if entry(column.stream) != nil {
        try self.codes(column.stream, count: rows, limit: column.values.count, into: codes)
      } else {
        codes.reserve(rows)
        codes.pointer.update(repeating: 0, count: rows)
      }
    }
  }

  /// Takes out of the lanes what the program does not know, and an install's context, which belongs to no permission;
  /// brings events of one millisecond into the program's order.
  func filterLanes() {
    let (times, codes, rowNumbers) = (permissionTimes.pointer, permissionCodes.pointer, permissionRows.pointer)
    let first = firstPermissions.pointer
    let installed = UInt32(EventKind.appInstalled.rawValue)
    var place = 0
    var kept = 0
    for user in 0..<users {
      let start = kept
      while place < Int(first[user + 1]) {
        var code = codes[place]
        let kind = code & 15
        if kind == installed { code &= 1 << HistoryBatch.contextShift - 1 }
        if kind <= installed, code >> HistoryBatch.contextShift != HistoryProjection.dropped {
          codes[kept] = code
          times[kept] = times[place]
          rowNumbers[kept] = rowNumbers[place]
          kept += 1
        }
        place += 1
      }
      first[user] = UInt32(truncatingIfNeeded: start)
      if !kindCodes.isInOrder {
        sortPermissions(start..<kept)
        sortEngagement(Int(firstEngagements.pointer[user])..<Int(firstEngagements.pointer[user + 1]))
      }
    }
    first[users] = UInt32(truncatingIfNeeded: kept)
  }

  /// Sorts by time and kind; times are in order, so that nothing goes far.
  private func sortPermissions(_ range: Range<Int>) {
    let (times, codes, rowNumbers) = (permissionTimes.pointer, permissionCodes.pointer, permissionRows.pointer)
    for i in range.dropFirst() {
      var j = i
      while j > range.lowerBound, times[j - 1] == times[j], codes[j - 1] & 15 > codes[j] & 15 {
        swap(&codes[j - 1], &codes[j])
        swap(&rowNumbers[j - 1], &rowNumbers[j])
        j -= 1
      }
    }
  }

  private func sortEngagement(_ range: Range<Int>) {
    let words = engagement.pointer
    for i in range.dropFirst() {
      var j = i
      while j > range.lowerBound, words[j - 1] > words[j] {
        swap(&words[j - 1], &words[j])
        j -= 1
      }
    }
  }
}
