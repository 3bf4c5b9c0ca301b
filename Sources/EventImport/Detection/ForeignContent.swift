// Content that is no text, told by its first bytes.

/// A form of file that permlog does not read.
struct ForeignContent: Equatable {
  let name: String
  /// It may hold events, so that it is never left out without being asked.
  let mayHoldEvents: Bool

  /// Nil where nothing is known of such content.
  init?(_ head: some Collection<UInt8>) {
    let start = Array(head.prefix(64))
    for form in Self.known
    where start.count >= form.at + form.magic.count && start[form.at...].starts(with: form.magic) {
      self.init(name: form.name, mayHoldEvents: form.mayHoldEvents)
      return
    }
    guard Self.isBinary(head) else { return nil }
    self.init(name: "binary", mayHoldEvents: false)
  }

  private init(name: String, mayHoldEvents: Bool) {
    self.name = name
    self.mayHoldEvents = mayHoldEvents
  }

  private struct Form {
    var name: String
    var magic: [UInt8]
    var at = 0
    var mayHoldEvents = false
  }

  private static func text(_ name: String, _ magic: String, at: Int = 0, mayHoldEvents: Bool = false) -> Form {
    Form(name: name, magic: Array(magic.utf8), at: at, mayHoldEvents: mayHoldEvents)
  }

  private static let known: [Form] = [
    text("Parquet", "PAR1", mayHoldEvents: true), text("Avro", "Obj\u{1}", mayHoldEvents: true),
    text("ORC", "ORC", mayHoldEvents: true), text("an SQLite database", "SQLite format 3", mayHoldEvents: true),
    text("packed by bzip2", "BZh", mayHoldEvents: true),
    Form(name: "packed by 7-Zip", magic: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], mayHoldEvents: true),
    Form(name: "packed by LZ4", magic: [0x04, 0x22, 0x4D, 0x18], mayHoldEvents: true),
    text("packed by RAR", "Rar!", mayHoldEvents: true),
    Form(name: "a PNG image", magic: [0x89, 0x50, 0x4E, 0x47]), Form(name: "a JPEG image", magic: [0xFF, 0xD8, 0xFF]),
    text("a GIF image", "GIF8"), text("a PDF", "%PDF"), text("a WebP image", "WEBP", at: 8),
    text("a video or an image", "ftyp", at: 4), Form(name: "a program", magic: [0x7F, 0x45, 0x4C, 0x46]),
    Form(name: "a program", magic: [0xCF, 0xFA, 0xED, 0xFE]), text("a property list", "bplist00"),
  ]

  /// Zeros, which no text has but UTF-16 and UTF-32.
  private static func isBinary(_ head: some Collection<UInt8>) -> Bool {
    let bytes = Array(head.prefix(8192))
    guard bytes.contains(0), !isWideText(bytes) else { return false }
    return true
  }

  /// UTF-16 has a mark, or zeros on every other place and hardly any on those between.
  static func isWideText(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    var zeros = [0, 0]
    for (i, byte) in bytes.enumerated() where byte == 0 { zeros[i & 1] += 1 }
    let half = bytes.count / 2
    return half > 0 && (zeros[0] > half / 2 && zeros[1] < half / 8 || zeros[1] > half / 2 && zeros[0] < half / 8)
  }
}
