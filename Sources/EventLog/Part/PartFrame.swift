// The fixed-length pieces at both ends of a part: the header, and the tail that finds the footer.

/// The first bytes of a part: magic, version, zeros, id, checksum.
enum PartHeader {
  static func encode(part: UInt64, version: PartVersion = .newest) -> [UInt8] {
    var w = ByteWriter()
    w.u64(PartFormat.magic)
    w.u16(version.rawValue)
    w.u16(0)
    w.u32(0)
    w.u64(part)
    w.u64(checksum(w.bytes, part: part))
    return w.bytes
  }

  private static func checksum(_ bytes: [UInt8], part: UInt64) -> UInt64 {
    Checksum.of(bytes, part: part, stream: PartFormat.headerStream)
  }

  /// The version of a part; throws if the bytes are not the header of that part.
  static func version(_ bytes: [UInt8], part: UInt64, file: String) throws -> PartVersion {
    let (magic, found) = bytes.withUnsafeBytes { buffer -> (UInt64?, UInt16?) in
      var reader = ByteReader(buffer)
      return (reader.u64(), reader.u16())
    }
    guard magic == PartFormat.magic, let number = found else {
      throw LogError.damaged(file, "offset 0", "this is not a part of a permlog log")
    }
    // The header's length and checksum are the same in every version, so a newer one is told from damage.
    let end = PartFormat.headerLength - 8
    var sum = ByteWriter()
    sum.u64(checksum(Array(bytes[..<end]), part: part))
    guard sum.bytes == Array(bytes[end...]) else {
      throw LogError.damaged(file, "offset 0", "the header does not have its checksum")
    }
    guard number <= PartVersion.newest.rawValue else {
      throw LogError(
        .newerFormat,
        """
        \(file): written in format \(number), and this permlog reads formats up to \(PartVersion.newest.rawValue). \
        Use a newer permlog.
        """)
    }
    guard let version = PartVersion(rawValue: number), bytes == encode(part: part, version: version) else {
      throw LogError.damaged(file, "offset 0", "the header is not what was written")
    }
    return version
  }
}

/// The last bytes of a part.
struct PartTail {
  var footerOffset: UInt64
  var storedLength: UInt32
  var rawLength: UInt32
  var footerChecksum: UInt64

  func encode(part: UInt64) -> [UInt8] {
    var w = ByteWriter()
    w.u64(footerOffset)
    w.u32(storedLength)
    w.u32(rawLength)
    w.u64(footerChecksum)
    w.u64(Checksum.of(w.bytes, part: part, stream: PartFormat.tailStream))
    w.u64(PartFormat.magic)
    return w.bytes
  }
}

extension PartTail {
  /// Nil if the bytes are not a tail of that part.
  init?(_ bytes: [UInt8], part: UInt64) {
    let tail: PartTail? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      guard let offset = r.u64(), let stored = r.u32(), let raw = r.u32(), let checksum = r.u64() else { return nil }
      return PartTail(footerOffset: offset, storedLength: stored, rawLength: raw, footerChecksum: checksum)
    }
    guard let tail, tail.encode(part: part) == bytes else { return nil }
    self = tail
  }
}
