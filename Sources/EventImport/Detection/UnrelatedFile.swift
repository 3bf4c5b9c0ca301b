// Files next to exports that are unrelated to events. Only a file found in a directory or an archive is left out: by
// its content first, by its name if the content is unclear.

import EventMapping

enum UnrelatedFile {
  /// Whether a file of unknown format can be left out without loss.
  /// - Parameter sketch: of its content.
  static func isOne(name: String, head: [UInt8], sketch: HeadSketch) -> Bool {
    if let content = ForeignContent(head) { return !content.mayHoldEvents }
    if ForeignContent.isWideText(Array(head.prefix(8192))) { return isUnrelated(name: name) }
    switch sketch.form {
    case .text: return !isNamedAsRecords(path: name)
    case .table: return sketch.records == 0 || isUnrelated(name: name)
    case .objects(let list):
      // One record in a file of its own: whole, or over several lines.
      if isNamedAsRecords(path: name) || sketch.mayBeRecord { return false }
      if sketch.records > 1, list == nil { return false }
      return list == nil || sketch.records == 0 || isDescription(name: name)
    }
  }

  /// A table with a varying number of cells may have a few other lines before it.
  private static func isNamedAsRecords(path: String) -> Bool {
    [".csv", ".tsv", ".ndjson", ".jsonl"].contains { base(path).hasSuffix($0) }
  }

  /// Whether the name shows that a file has no events, for any requested format.
  static func isUnrelated(name path: String) -> Bool {
    let name = base(path)
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.count > 1 ? String(parts[parts.count - 1]) : ""
    if endings.contains(ending) || marks.contains(name) { return true }
    if name.hasPrefix("_committed_") || name.hasPrefix("_started_") { return true }
    let stem = parts.first.map { String($0) } ?? ""
    return ["", "txt"].contains(ending) && documents.contains { stem == $0 || stem.hasPrefix($0 + "-") }
  }

  /// A single document that describes others by its name.
  private static func isDescription(name path: String) -> Bool {
    let name = base(path)
    return ["manifest.json", "schema.json", "package.json"].contains(name) || name.hasSuffix(".schema.json")
      || name.hasSuffix("_schema.json") || name.hasSuffix(".manifest.json")
  }

  /// The file's own name in lower case, without what says that it is packed.
  private static func base(_ path: String) -> String {
    let last = path.split(whereSeparator: { $0 == "/" || $0 == "!" }).last.map { String($0) } ?? path
    let name = last.lowercased()
    for packed in [".gz", ".zst", ".xz", ".br"] where name.hasSuffix(packed) {
      return String(name.dropLast(packed.count))
    }
    return name
  }

  private static let documents = wordList(
    """
    readme license licence changelog notice authors contributing copying changes history
    """)
  private static let marks = wordSet(
    """
    _success makefile dockerfile md5sums sha256sums sha512sums checksums checksums.txt
    """)
  private static let endings = wordSet(
    """
    md markdown rst adoc html htm css js ts py rb pl sh bash zsh bat ps1 r sql ddl xml xsd yaml yml toml ini cfg conf
    crc md5 sha1 sha256 sha512 sum sig asc png jpg jpeg gif svg webp ico bmp tif tiff heic pdf swift kt java go ipynb
    """)
}

/// Content that permlog does not read, recognised by its first bytes.
struct ForeignContent: Equatable {
  let name: String
  /// It may have events, so it is never left out silently.
  var mayHoldEvents = false
  /// Columns with an index at the file's end: pandas and pyarrow read them.
  var isColumnar = false

  /// It is a spreadsheet, which can be saved as CSV.
  var isSpreadsheet: Bool { name == Self.oldExcel }
  private static let oldExcel = "an Excel file in the old format (.xls) or with a password"
}

extension ForeignContent {
  /// Nil if nothing is known of such content.
  init?(_ head: some Collection<UInt8>) {
    let start = Array(head.prefix(64))
    for form in Self.known
    where start.count >= form.at + form.magic.count && start[form.at...].starts(with: form.magic) {
      // A heading of CSV may begin with `ORCID`; all files of columns have zeros in their first pages or headers.
      if form.content.isColumnar, !head.prefix(8192).contains(0) { continue }
      self = form.content
      return
    }
    guard Self.isBinary(head) else { return nil }
    self.init(name: "binary")
  }

  private typealias Signature = (content: ForeignContent, magic: [UInt8], at: Int)

  private static func bytes(
    _ name: String, _ magic: [UInt8], at: Int = 0, mayHoldEvents: Bool = false, isColumnar: Bool = false
  ) -> Signature {
    (ForeignContent(name: name, mayHoldEvents: mayHoldEvents, isColumnar: isColumnar), magic, at)
  }

  private static func text(
    _ name: String, _ magic: String, at: Int = 0, mayHoldEvents: Bool = false, isColumnar: Bool = false
  ) -> Signature {
    bytes(name, Array(magic.utf8), at: at, mayHoldEvents: mayHoldEvents, isColumnar: isColumnar)
  }

  private static let known: [Signature] = [
    text("a Parquet file", "PAR1", mayHoldEvents: true, isColumnar: true),
    text("an Arrow file", "ARROW1", mayHoldEvents: true, isColumnar: true),
    text("a Feather file", "FEA1", mayHoldEvents: true, isColumnar: true),
    text("an ORC file", "ORC", mayHoldEvents: true, isColumnar: true),
    text("an SQLite database", "SQLite format 3", mayHoldEvents: true),
    bytes(oldExcel, [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], mayHoldEvents: true),
    text("packed by bzip2", "BZh", mayHoldEvents: true),
    bytes("packed by 7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], mayHoldEvents: true),
    bytes("packed by LZ4", [0x04, 0x22, 0x4D, 0x18], mayHoldEvents: true),
    text("packed by RAR", "Rar!", mayHoldEvents: true),
    bytes("a PNG image", [0x89, 0x50, 0x4E, 0x47]),
    bytes("a JPEG image", [0xFF, 0xD8, 0xFF]),
    text("a GIF image", "GIF8"), text("a PDF", "%PDF"), text("a WebP image", "WEBP", at: 8),
    text("a video or an image", "ftyp", at: 4), bytes("a program", [0x7F, 0x45, 0x4C, 0x46]),
    bytes("a program", [0xCF, 0xFA, 0xED, 0xFE]), text("a property list", "bplist00"),
  ]

  /// Zeros, which no text has but UTF-16 and UTF-32.
  private static func isBinary(_ head: some Collection<UInt8>) -> Bool {
    let bytes = Array(head.prefix(8192))
    return bytes.contains(0) && !isWideText(bytes)
  }

  /// UTF-16 has a byte-order mark, or zeros at every other offset and hardly any at those between.
  static func isWideText(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    var zeros = [0, 0]
    for (i, byte) in bytes.enumerated() where byte == 0 { zeros[i & 1] += 1 }
    let half = bytes.count / 2
    return half > 0 && (zeros[0] > half / 2 && zeros[1] < half / 8 || zeros[1] > half / 2 && zeros[0] < half / 8)
  }
}
