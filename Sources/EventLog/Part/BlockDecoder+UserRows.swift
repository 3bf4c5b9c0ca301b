// The events of single users of a block, for who wants few of them: where each one's are found is counted, and the rows between
// are not decoded.

import Buffers
import PermissionEvents

/// A row that rows before it were counted up to, and what these have in columns that not every row is in.
struct RowPlace {
  var row = 0
  var contexts = 0
  var statuses = 0
  var attributes = 0
  var features = 0
  var timeBits = 0
}

extension BlockDecoder {
  func prepareUserRows() throws {
    try decodeAttributes(into: &attributeChanges)
    try decodeFeatures(into: &featureCodes)
    let times = try timeStreams()
    timeSymbols.removeAll()
    timeSymbols.append(from: times.symbols, count: rows)
    guard UnsafeRawBufferPointer(start: times.symbols, count: rows).largestByte < TimeCoding.symbolCount else {
      throw damaged("times do not decode")
    }
    timeBits = times.bits
    self.times.resizeDiscarding(to: rows)
    codes.resizeDiscarding(to: rows)
    attributes.resizeDiscarding(to: rows)
    features.resizeDiscarding(to: rows)
    place = RowPlace()
  }

  /// Decodes a user's rows into the columns of `history` and `details`; what these have in other rows has no meaning. Next to
  /// nothing is done for a user whose rows were decoded last, and the less for another the closer it comes after that.
  func loadRows(of user: Int) throws {
    try load(.userRows)
    let rows = Int(firstRows[user])..<Int(firstRows[user + 1])
    if place.row == rows.upperBound { return }
    var next = place.row <= rows.lowerBound ? place : RowPlace()
    skip(to: rows.lowerBound, &next)
    let bits = timeBits.baseAddress ?? UnsafeRawPointer(stored.unsafeAddress)
    var time = UInt64(bitPattern: entry.minimumTime)
    var permission = contexts[0]
    var engagement = contexts[0]
    var current: UInt32 = 0
    var seen: UInt64 = 0
    for row in rows {
      let byte = kinds[row]
      let isEngagement = kindCodes.engagement &>> UInt32(byte & 15) & 1 != 0
      if byte & RowFlag.context != 0 {
        next.contexts += 1
        if isEngagement { engagement = contexts[next.contexts] } else { permission = contexts[next.contexts] }
      }
      if byte & RowFlag.attributes != 0 {
        current = attributeChanges[next.attributes]
        next.attributes += 1
      }
      let hasStatus = byte & RowFlag.status != 0
      let hasFeature = byte & RowFlag.feature != 0
      if hasStatus { next.statuses += 1 }
      let status = hasStatus ? UInt32(statuses[next.statuses]) : 0
      codes[row] =
        UInt32(byte & 15) | status << HistoryBatch.statusShift
        | (isEngagement ? engagement : permission) << HistoryBatch.contextShift
      attributes[row] = current
      features[row] = hasFeature ? featureCodes[next.features] : 0
      if hasFeature { next.features += 1 }
      // Words are read past the bits: `read(upTo:)` makes room for that.
      let symbol = Int(timeSymbols[row])
      let word = UInt64(littleEndian: bits.loadUnaligned(fromByteOffset: next.timeBits >> 3, as: UInt64.self))
      let count = UInt64(TimeCoding.restBits[symbol])
      time &+= TimeCoding.bases[symbol] &+ (word >> UInt64(next.timeBits & 7) & (1 << count - 1))
      next.timeBits += Int(count)
      seen |= time
      times[row] = Int64(truncatingIfNeeded: time)
    }
    guard (next.timeBits + 7) >> 3 <= timeBits.count, seen >> 42 == 0 else { throw damaged("times do not decode") }
    guard time <= UInt64(bitPattern: entry.maximumTime) else { throw damaged("times contradict the footer") }
    next.row = rows.upperBound
    place = next
  }

  private func skip(to row: Int, _ place: inout RowPlace) {
    let rows = place.row..<row
    place.contexts += count(RowFlag.context, in: rows)
    place.statuses += count(RowFlag.status, in: rows)
    place.attributes += count(RowFlag.attributes, in: rows)
    place.features += count(RowFlag.feature, in: rows)
    // `TimeCoding.restBits` without a table, so that the loop becomes vectors.
    let symbols = timeSymbols.unsafeAddress
    var bits: UInt32 = 0
    for row in rows { bits &+= UInt32(max(symbols[row] >> 2, 1) &- 1) }
    place.timeBits += Int(bits)
    place.row = row
  }
}
