// The layout of a part: an immutable file of column blocks in (hash of user id, user id, time, kind,
// event id) order. docs/log-format.md has the grammar and the byte tables. Nothing here can change
// without a new format version.

/// A version of the format, as the header has it. Parts of all of them are read; new parts are written in the newest.
enum PartVersion: UInt16, CaseIterable, Sendable {
  /// Kinds, fields and the taxonomy of permissions of the first release, in its order.
  case v1 = 1
  /// The footer names kinds, fields and permissions; codes belong to the part.
  case v2 = 2
  /// The same, with statuses of 0.4. Only parts that have one are written so: others can be read by earlier programs.
  case v3 = 3

  static let newest = v3
}

enum PartFormat {
  static let magic: UInt64 = 0x3150_474F_4C4D_5250  // "PRMLOGP1" read as a little-endian word
  static let headerLength = 32
  static let tailLength = 40

  /// A block is closed after the user who makes it reach this number of rows.
  static let rowsPerBlock = 65_536
  /// The most events of one block, and so of one user. It limits the memory of a reader.
  static let maximumRows = 1 << 24
  /// The footer's and the tail's stream numbers in checksums.
  static let footerStream: UInt32 = 0x1_0000
  static let tailStream: UInt32 = 0x1_0001
  static let headerStream: UInt32 = 0x1_0002
  /// Most bytes of a footer when unpacked.
  static let maximumFooterLength = 1 << 28
  /// Most values, contexts and attributes of a footer, each; a row's code has 24 bits for its context. And
  /// most sections of later versions.
  static let maximumEntries = 1 << 22
  static let maximumExtensions = 64

  /// Whether `stored` bytes may decompress to `raw` bytes: otherwise a small file could request any amount of memory.
  /// Real columns are far below; a writer stores others uncompressed.
  static func mayUnpack(_ stored: Int, to raw: Int) -> Bool { raw <= 1 << 28 || raw / 256 <= stored }
}

/// The streams of a block, in their order in the file: a report reads a prefix, event ids come last.
enum BlockStream: UInt8, CaseIterable {
  /// Rows of each user: varints.
  case rowCounts = 0
  /// A symbol for each row's time gap, and the bits that follow the symbols.
  case timeSymbols = 1
  case timeBits = 2
  /// Kind, and flags that say which of the following columns have an entry for the row.
  case kinds = 3
  case contexts = 4
  case statuses = 5
  /// Users: hashes as varint differences, low words of UUIDs, forms of ids that are not all lower-case UUIDs, texts.
  case hashes = 6
  case userWords = 7
  case userForms = 8
  case userTexts = 9
  case attributes = 10
  case features = 11
  case eventWords = 12
  case eventBits = 13
  case eventForms = 14
  case eventTexts = 15
}

/// How a stream is stored. The values are part of the format.
enum StreamEncoding {
  static let raw: UInt8 = 0
  static let zstd: UInt8 = 1
  /// Event ids that are UUIDs of one version (low nibble) and the usual variant: 15 bytes a row here, and 2
  /// bits a row in `eventBits`.
  static let versionedUUID: UInt8 = 0x10
}

/// Bits of a row's byte in `kinds`, above the kind itself.
enum RowFlag {
  /// The context differs from that of the user's last event of this class (engagement or not; the kind tells).
  static let context: UInt8 = 0x10
  /// The attributes differ from those of the user's last event.
  static let attributes: UInt8 = 0x20
  static let status: UInt8 = 0x40
  static let feature: UInt8 = 0x80
}

/// An event as a part keeps it: codes of the part's dictionary.
struct StoredEvent {
  var time: Int64
  var eventHigh: UInt64
  var eventLow: UInt64
  var context: UInt32
  var attributes: UInt32
  var feature: UInt32
  var kind: UInt8
  var status: UInt8
  var eventForm: UInt8
}

/// A user as a part keeps it. `word` is the low word of a UUID; for a text it is 0.
struct StoredUser {
  var hash: UInt64
  var word: UInt64
  var form: UInt8
}
