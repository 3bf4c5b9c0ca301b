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

  func encode() -> [UInt8] {
    var w = ByteWriter()
    w.u64(rows)
    w.u64(users)
    w.u64(UInt64(bitPattern: minimumTime))
    w.u64(UInt64(bitPattern: maximumTime))
    w.varint(UInt64(dictionary.values.count))
    for values in dictionary.values {
      w.varint(UInt64(values.count))
      for value in values { w.text(value) }
    }
    w.varint(UInt64(dictionary.contexts.count))
    for c in dictionary.contexts {
      for code in [c.permission, c.variant, c.experiment, c.surface] { w.varint(UInt64(code)) }
    }
    w.varint(UInt64(dictionary.attributes.count))
    for a in dictionary.attributes {
      for code in [a.appVersion, a.osVersion, a.platform, a.locale, a.country] { w.varint(UInt64(code)) }
    }
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
    for section in extensions {
      w.varint(section.id)
      w.text(section.bytes)
    }
    return w.bytes
  }

  /// Reads what `encode` wrote, checking every count, code and length; nil where anything is off.
  /// - Parameter fileLength: of the part up to the footer.
  init?(_ bytes: UnsafeRawBufferPointer, fileLength: Int) {
    var r = ByteReader(bytes)
    guard let rows = r.u64(), let users = r.u64(), let low = r.u64(), let high = r.u64() else { return nil }
    guard let dictionary = Self.dictionary(&r), let blocks = Self.blocks(&r, fileLength: fileLength)
    else { return nil }
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

  private static func dictionary(_ r: inout ByteReader) -> PartDictionary? {
    guard let fields = r.count(), fields == StringField.allCases.count else { return nil }
    var values: [[[UInt8]]] = []
    for _ in 0..<fields {
      guard let count = r.count(), count >= 1, count <= PartFormat.maximumEntries else { return nil }
      var list: [[UInt8]] = []
      list.reserveCapacity(count)
      for _ in 0..<count {
        guard let value = r.text(maximum: StringField.maximumLength) else { return nil }
        list.append(value)
      }
      values.append(list)
    }
    func code(_ field: StringField) -> UInt32? {
      guard let code = r.varint(), code < values[field.rawValue].count else { return nil }
      return UInt32(code)
    }
    guard values.reduce(0, { $0 + $1.count }) <= PartFormat.maximumEntries, let contextCount = r.count(unit: 4),
      contextCount >= 1, contextCount <= PartFormat.maximumEntries
    else { return nil }
    var contexts: [PartDictionary.Context] = []
    contexts.reserveCapacity(contextCount)
    for _ in 0..<contextCount {
      guard let p = code(.permission), let v = code(.variant), let e = code(.experiment), let s = code(.surface) else {
        return nil
      }
      contexts.append(.init(permission: p, variant: v, experiment: e, surface: s))
    }
    guard let attributeCount = r.count(unit: 5), attributeCount >= 1, attributeCount <= PartFormat.maximumEntries
    else { return nil }
    var attributes: [AttributeTuple] = []
    attributes.reserveCapacity(attributeCount)
    for _ in 0..<attributeCount {
      guard let a = code(.appVersion), let o = code(.osVersion), let p = code(.platform), let l = code(.locale),
        let c = code(.country)
      else { return nil }
      attributes.append(.init(appVersion: a, osVersion: o, platform: p, locale: l, country: c))
    }
    let taxonomy = PermissionCode.taxonomy.map { Array($0.utf8) }
    let permissions = values[StringField.permission.rawValue]
    guard permissions.count > taxonomy.count, Array(permissions[1...taxonomy.count]) == taxonomy,
      values.allSatisfy({ $0[0].isEmpty })
    else { return nil }
    return PartDictionary(values: values, contexts: contexts, attributes: attributes)
  }

  private static func blocks(_ r: inout ByteReader, fileLength: Int) -> [BlockEntry]? {
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
