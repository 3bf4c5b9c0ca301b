// The footer of a part: its dictionary and the index of its blocks, compressed, under one checksum.

import PermissionEvents

/// What a part holds and where.
struct PartFooter: Sendable {
  var rows: UInt64
  var users: UInt64
  var minimumTime: Int64
  var maximumTime: Int64
  var dictionary: PartDictionary
  /// In order of their first hash. Blocks tile the file between header and footer, in another order.
  var blocks: [BlockEntry]
  /// Sections that a later permlog added: this one reads past them, and does not write such a part anew.
  var extensions: [Extension] = []

  struct Extension: Sendable, Equatable {
    var id: UInt64
    var bytes: [UInt8]
  }

  /// The footer in the newest version.
  func encode() -> [UInt8] {
    var w = ByteWriter()
    w.u64(rows)
    w.u64(users)
    w.u64(UInt64(bitPattern: minimumTime))
    w.u64(UInt64(bitPattern: maximumTime))
    dictionary.encode(into: &w)
    Self.encode(blocks, into: &w)
    for section in extensions {
      w.varint(section.id)
      w.text(section.bytes)
    }
    return w.bytes
  }

  /// Reads a footer, checking every count, code, length and name; nil where anything is off.
  /// - Parameters:
  ///   - version: that the part's header has.
  ///   - fileLength: of the part up to the footer.
  init?(_ bytes: UnsafeRawBufferPointer, version: PartVersion, fileLength: Int) {
    var r = ByteReader(bytes)
    guard let rows = r.u64(), let users = r.u64(), let low = r.u64(), let high = r.u64() else { return nil }
    let dictionary =
      switch version {
      case .v1: PartDictionary(version1: &r)
      case .v2: PartDictionary(version2: &r)
      }
    guard let dictionary, let blocks = Self.blocks(&r, fileLength: fileLength) else { return nil }
    while r.remaining > 0 {
      guard extensions.count < PartFormat.maximumExtensions, let id = r.varint(),
        let bytes = r.text(maximum: PartFormat.maximumFooterLength)
      else { return nil }
      extensions.append(Extension(id: id, bytes: bytes))
    }
    self.rows = rows
    self.users = users
    minimumTime = Int64(bitPattern: low)
    maximumTime = Int64(bitPattern: high)
    self.dictionary = dictionary
    self.blocks = blocks
    guard blocks.reduce(0, { $0 + UInt64($1.rows) }) == rows, blocks.reduce(0, { $0 + UInt64($1.users) }) == users,
      blocks.map(\.minimumTime).min() == minimumTime, blocks.map(\.maximumTime).max() == maximumTime,
      // No ingest keeps older ones, and the analysis counts days from 1970 on in every zone.
      minimumTime >= Timestamp.earliest, maximumTime < 1 << 42, rows > 0
    else { return nil }
  }

  init(
    rows: UInt64, users: UInt64, minimumTime: Int64, maximumTime: Int64, dictionary: PartDictionary,
    blocks: [BlockEntry]
  ) {
    self.rows = rows
    self.users = users
    self.minimumTime = minimumTime
    self.maximumTime = maximumTime
    self.dictionary = dictionary
    self.blocks = blocks
  }
}
