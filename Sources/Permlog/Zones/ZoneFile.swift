// A time zone as it is in a file of the IANA database, compiled by `zic`: TZif, RFC 9636. Nothing here asks the C library,
// whose zone is one for the whole process.

import PermissionEvents

/// What a TZif file says: the changes that it lists, and the rule for all that comes after them.
struct ZoneFile {
  /// Moments at which the offset may change, in seconds since 1970, and the offset from then on, in seconds east of UTC.
  private(set) var changes: [ZoneChange] = []
  /// The offset before the first change, in seconds.
  private(set) var firstOffset: Int64 = 0
  /// Nil if the file has none: then the last offset stays.
  private(set) var rule: ZoneRule?

  /// A thousand years have no more of them. Each is asked of each change.
  private static let mostLeaps = 1000

  /// Reads a file; nil if its structure is not that of RFC 9636, or its changes are not in the order of time.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard let old = Header(&reader) else { return nil }
    guard old.version >= 0x32 else {
      // The first version, which has no rule.
      guard readData(old, timeLength: 4, &reader) else { return nil }
      return
    }
    // Later versions give all of it twice: the second time with 8 bytes a time, and with the rule.
    guard reader.take(old.dataLength(timeLength: 4)) != nil, let header = Header(&reader),
      readData(header, timeLength: 8, &reader),
      reader.number(1) == 0x0A, let end = reader.rest.firstIndex(of: 0x0A)
    else { return nil }
    let text = reader.rest[..<end]
    if text.isEmpty { return }
    guard let rule = ZoneRule(text) else { return nil }
    self.rule = rule
  }

  /// Reads a data block (section 3.2): times of changes, their types, the types, and leap seconds.
  private mutating func readData(_ header: Header, timeLength: Int, _ reader: inout Reader) -> Bool {
    guard header.leaps <= Self.mostLeaps, let times = reader.numbers(header.changes, of: timeLength),
      let types = reader.take(header.changes), let records = reader.take(header.types * 6),
      reader.take(header.characters) != nil
    else { return false }
    var fields = Reader(rest: records)
    var offsets: [Int64] = []
    while offsets.count < header.types, let offset = fields.number(4), fields.take(2) != nil { offsets.append(offset) }
    var leaps: [(time: Int64, total: Int64)] = []
    while leaps.count < header.leaps, let time = reader.number(timeLength), let total = reader.number(4) {
      leaps.append((time, total))
    }
    // 25:59:59 is the most that RFC 9636 has readers accept.
    guard leaps.count == header.leaps, reader.take(header.standardFlags + header.utcFlags) != nil,
      let first = offsets.first, offsets.allSatisfy({ abs($0) < 93_600 }),
      types.allSatisfy({ Int($0) < offsets.count })
    else { return false }
    firstOffset = first
    for (time, type) in zip(times, types) {
      // Zones under "right/" count leap seconds, which the time of an event does not.
      let (moment, isTooFar) = time.subtractingReportingOverflow(leaps.last { $0.time <= time }?.total ?? 0)
      guard !isTooFar, changes.last.map({ $0.at < moment }) ?? true else { return false }
      changes.append(ZoneChange(at: moment, offset: offsets[Int(type)]))
    }
    return true
  }

  /// The zone over a span of time.
  func table(_ name: String, over span: ClosedRange<Milliseconds>) -> ZoneTable {
    let span = floorDivide(span.lowerBound, 1000)...floorDivide(span.upperBound, 1000)
    var all = changes
    // The rule holds after the last change of the file.
    let last = changes.last?.at ?? .min
    if let rule, last < span.upperBound {
      all += rule.changes(over: max(span.lowerBound, last)...span.upperBound).filter { $0.at > last }
    }
    let begun = all.prefix { $0.at <= span.lowerBound }
    let initial = begun.last?.offset ?? firstOffset
    var offset = initial
    var transitions: [ZoneTable.Transition] = []
    for change in all.dropFirst(begun.count) where change.at <= span.upperBound && change.offset != offset {
      offset = change.offset
      transitions.append(.init(at: change.at * 1000, offset: offset * 1000))
    }
    return ZoneTable(name: name, initialOffset: initial * 1000, transitions: transitions)
  }
}

/// From a second on, an offset in seconds east of UTC.
struct ZoneChange: Hashable {
  var at: Int64
  var offset: Int64
}

/// The head of a data block (section 3.1): how many there are of each.
private struct Header {
  let version: UInt8
  let utcFlags, standardFlags, leaps, changes, types, characters: Int

  init?(_ reader: inout Reader) {
    guard let magic = reader.take(4), magic.elementsEqual("TZif".utf8), let version = reader.take(1)?.first,
      reader.take(15) != nil, let counts = reader.numbers(6, of: 4), counts.allSatisfy({ 0...100_000 ~= $0 })
    else { return nil }
    self.version = version
    (utcFlags, standardFlags, leaps) = (Int(counts[0]), Int(counts[1]), Int(counts[2]))
    (changes, types, characters) = (Int(counts[3]), Int(counts[4]), Int(counts[5]))
  }

  /// Bytes of the block. No count is above 100,000.
  func dataLength(timeLength: Int) -> Int {
    changes * (timeLength + 1) + types * 6 + characters + leaps * (timeLength + 4) + standardFlags + utcFlags
  }
}

/// Takes from the front, never past the end.
private struct Reader {
  var rest: ArraySlice<UInt8>

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A signed number, the highest byte first.
  mutating func number(_ length: Int) -> Int64? {
    guard let bytes = take(length) else { return nil }
    let magnitude = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = UInt64(64 - 8 * length)
    return Int64(bitPattern: magnitude << unused) >> Int64(unused)
  }

  mutating func numbers(_ count: Int, of length: Int) -> [Int64]? {
    guard count * length <= rest.count else { return nil }
    return (0..<count).compactMap { _ in number(length) }
  }
}
