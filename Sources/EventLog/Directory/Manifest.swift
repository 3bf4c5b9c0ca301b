// The manifest: the names of the live parts. Replacing it is the commit. It is text, so that a person can
// read it, and its last line is a checksum of all the bytes before.

/// The state of a log.
package struct Manifest: Sendable, Equatable {
  static let fileName = "manifest"
  static let temporaryName = "manifest.new"
  static let version = 1

  /// Number of commits so far.
  package var generation: UInt64 = 0
  /// The id of the next part; ids are never used twice.
  package var nextPart: UInt64 = 1
  /// In the order of their ids.
  package var parts: [PartDescription] = []

  package init() {}

  func encode() -> [UInt8] {
    var text = "permlog-manifest \(Self.version)\ngeneration \(generation)\nnext-part \(nextPart)\n"
    for part in parts {
      text += "\(part.name) length \(part.length) footer \(Self.hex(part.footerChecksum)) rows \(part.rows)\n"
    }
    text += "checksum \(Self.hex(Checksum.of(Array(text.utf8), seed: 0)))\n"
    return Array(text.utf8)
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// True where the last line is the checksum of all before it, as in every version of the format.
  private static func hasChecksum(_ bytes: [UInt8]) -> Bool {
    let length = "checksum ".utf8.count + 17
    guard bytes.count >= length else { return false }
    let last = "checksum \(hex(Checksum.of(Array(bytes.dropLast(length)), seed: 0)))\n"
    return Array(bytes.suffix(length)) == Array(last.utf8)
  }

  /// Reads a manifest; throws where any byte differs from what was written.
  init(_ bytes: [UInt8], file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "manifest", what) }
    guard Self.hasChecksum(bytes) else { throw damaged("it does not have its checksum") }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first?.split(separator: " "), first.count == 2, first[0] == "permlog-manifest",
      let version = Int(first[1])
    else { throw damaged("it is not a manifest") }
    guard version <= Self.version else {
      throw LogError(
        .newerFormat,
        "\(file): written in format \(version), and this permlog reads formats up to \(Self.version). Use a newer one.")
    }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "generation", let n = UInt64(words[1]) {
        generation = n
      } else if words.count == 2, words[0] == "next-part", let n = UInt64(words[1]) {
        nextPart = n
      } else if words.count == 7, let id = PartDescription.id(name: String(words[0])), let length = UInt64(words[2]),
        let checksum = UInt64(words[4], radix: 16), let rows = UInt64(words[6])
      {
        parts.append(PartDescription(id: id, length: length, footerChecksum: checksum, rows: rows))
      }
    }
    // Whatever the lines say, only the very bytes that such a manifest is written as are accepted.
    guard encode() == bytes else { throw damaged("it is not what was written") }
  }
}
