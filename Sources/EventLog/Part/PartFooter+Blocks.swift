// The index of a part's blocks. It is the same in every version of the format.

extension PartFooter {
  static func encode(_ blocks: [BlockEntry], into w: inout ByteWriter) {
    w.varint(UInt64(blocks.count))
    for b in blocks {
      w.u32(b.number)
      w.u64(b.offset)
      w.u32(b.historyLength)
      w.u32(b.keyLength)
      w.u32(b.detailLength)
      w.u64(b.length)
      w.u32(b.rows)
      w.u32(b.users)
      w.u64(b.firstHash)
      w.u64(b.lastHash)
      w.u64(UInt64(bitPattern: b.minimumTime))
      w.u64(UInt64(bitPattern: b.maximumTime))
    }
  }

  /// - Parameter fileLength: of the part up to the footer.
  static func blocks(_ r: inout ByteReader, fileLength: Int) -> [BlockEntry]? {
    guard let count = r.count(unit: 72), count >= 1, count <= fileLength / BlockAssembly.shortest else { return nil }
    var blocks: [BlockEntry] = []
    blocks.reserveCapacity(count)
    for _ in 0..<count {
      guard let number = r.u32(), let offset = r.u64(), let history = r.u32(), let keys = r.u32(),
        let details = r.u32(),
        let length = r.u64(), let rows = r.u32(), let users = r.u32(), let first = r.u64(), let last = r.u64(),
        let low = r.u64(), let high = r.u64()
      else { return nil }
      guard offset >= UInt64(PartFormat.headerLength), length <= UInt64(fileLength),
        offset <= UInt64(fileLength) - length, history <= keys, keys <= details, UInt64(details) <= length,
        rows >= users, users >= 1, rows <= PartFormat.maximumRows, first <= last,
        Int64(bitPattern: low) <= Int64(bitPattern: high)
      else { return nil }
      if let previous = blocks.last, previous.lastHash > first { return nil }
      blocks.append(
        BlockEntry(
          number: number, offset: offset, historyLength: history, keyLength: keys, detailLength: details,
          length: length, rows: rows,
          users: users, firstHash: first, lastHash: last, minimumTime: Int64(bitPattern: low),
          maximumTime: Int64(bitPattern: high)))
    }
    // The blocks tile the file: no byte is outside a checksum.
    var next = UInt64(PartFormat.headerLength)
    for block in blocks.sorted(by: { $0.offset < $1.offset }) {
      guard block.offset == next else { return nil }
      next += block.length
    }
    return next == UInt64(fileLength) ? blocks : nil
  }
}
