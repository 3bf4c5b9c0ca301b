// Time zones of the machine's database as tables.

import EventImport
import EventLog
import PermissionEvents
import SystemCalls

enum SystemZones {
  /// `$TZDIR`, which the C library uses too; nil if it is not set.
  private static var named: String? {
    getenv("TZDIR").map { String(cString: $0).bounded }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static var directories: [String] {
    named.map { [$0] } ?? ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
  }

  /// A possible cause if a zone is not found.
  private static var whereabouts: String {
    if let named { return " TZDIR says that the zones are in \(named)." }
    let isThere = directories.contains { access($0, R_OK) == 0 }
    return isThere ? "" : " This machine has no zone database: install tzdata."
  }

  /// Files of the database have a few kilobytes.
  private static let maximumLength = 1 << 20

  /// The table of a zone of the IANA database over a span of time.
  /// - Parameters:
  ///   - argument: the part of the request that names the zone.
  ///   - location: where the zone is named, if not in the request.
  static func table(
    _ name: String, over span: ClosedRange<Milliseconds>, argument: PermlogError.Argument = .timeZone,
    location: String = ""
  ) throws(PermlogError) -> ZoneTable {
    if name == "UTC" { return .utc }
    guard let (path, bytes) = try find(name, argument) else {
      let advice =
        spelled(name).map { "Did you mean \($0)?" }
        ?? "Use a name of the IANA database, like UTC, Europe/Berlin or America/New_York."
      throw .usage("\(location)there is no zone \(name). \(advice)\(whereabouts)", location.isEmpty ? argument : nil)
    }
    guard let zone = ZoneFile(bytes) else {
      throw PermlogError(
        .damaged,
        "\(path): not a zone file that can be read (TZif, RFC 9636). Reinstall tzdata, or use another zone.")
    }
    // Days at the edges of the span begin in other weeks and months.
    let margin = 40 * millisecondsPerDay
    return zone.table(name, over: span.lowerBound - margin...span.upperBound + margin)
  }

  /// The zone with the same name in another case, or with underscores instead of spaces; nil if there is no such zone.
  private static func spelled(_ name: String) -> String? {
    let wanted = name.replacing(" ", with: "_").lowercased().split(separator: "/").map(String.init)
    guard !wanted.isEmpty, wanted.count <= 4 else { return nil }
    for directory in directories {
      var found: [String] = []
      for part in wanted {
        let names = (try? SystemFileSystem().list(([directory] + found).joined(separator: "/"))) ?? []
        guard let next = names.filter({ $0.lowercased() == part }).min() else { break }
        found.append(next)
      }
      let path = found.joined(separator: "/")
      if found.count == wanted.count, path != name, (try? find(path, .timeZone)) != nil { return path }
    }
    return nil
  }

  /// Whether a text can be the name of a zone.
  static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || "/_+-".utf8.contains($0)
    }
    return isPlain && !name.isEmpty && !name.hasPrefix("/") && !name.contains("//")
  }

  /// The file of a zone; nil if there is no such zone.
  private static func find(
    _ name: String, _ argument: PermlogError.Argument
  ) throws(PermlogError) -> (path: String, bytes: [UInt8])? {
    guard isName(name) else { return nil }
    for directory in directories {
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      // The directory has other files too. Files of the database begin with "TZif".
      if let bytes = try SmallFile.read(path, limit: maximumLength, argument: argument),
        bytes.starts(with: "TZif".utf8)
      {
        return (path, bytes)
      }
    }
    return nil
  }
}

// MARK: A time zone from a file of the IANA database, compiled by `zic`: TZif, RFC 9636. Nothing here uses the C library,
// whose time zone is one for the whole process.

/// The content of a TZif file: its list of changes, and the rule for all later ones.
struct ZoneFile {
  /// Moments at which the offset may change, in seconds since 1970, and the offset from then on, in seconds east of UTC.
  private(set) var changes: [ZoneChange] = []
  /// The offset before the first change, in seconds.
  private(set) var firstOffset: Int64 = 0
  /// Nil if the file has no rule: then the last offset stays.
  private(set) var rule: ZoneRule?

  /// A thousand years have fewer. Each leap second is checked against each change.
  private static let mostLeaps = 1000

  /// Reads a file; nil if its structure is not that of RFC 9636, or if its changes are not in the order of time.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard let old = Header(&reader) else { return nil }
    guard old.version >= 0x32 else {
      // The first version has no rule.
      guard readData(old, timeLength: 4, &reader) else { return nil }
      return
    }
    // Later versions have the data twice: the second time with 8 bytes for each time, and with the rule.
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
    // 25:59:59 is the largest value that RFC 9636 requires readers to accept.
    guard leaps.count == header.leaps, reader.take(header.standardFlags + header.utcFlags) != nil,
      let first = offsets.first, offsets.allSatisfy({ abs($0) < 93_600 }),
      types.allSatisfy({ Int($0) < offsets.count })
    else { return false }
    firstOffset = first
    for (time, type) in zip(times, types) {
      // Zones under "right/" count leap seconds, but the times of events do not.
      let (moment, isTooFar) = time.subtractingReportingOverflow(leaps.last { $0.time <= time }?.total ?? 0)
      guard !isTooFar, changes.last.map({ $0.at < moment }) ?? true else { return false }
      changes.append(ZoneChange(at: moment, offset: offsets[Int(type)]))
    }
    return true
  }

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

/// The header of a data block (section 3.1): the counts of its items.
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

/// Reads from the front, never past the end.
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

// MARK: The rule at the end of a zone's file: a POSIX `TZ` string like `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636, section 3.3)

/// Standard time, or standard and summer time with the two days of each year on which they change.
struct ZoneRule {
  /// Seconds east of UTC.
  let standardOffset: Int64
  /// Nil if the clocks never change.
  let summer: (offset: Int64, from: YearMoment, until: YearMoment)?

  /// Reads a rule; nil if it is not a rule, or if it leaves the beginning of summer time to the machine.
  init?(_ text: some Collection<UInt8>) {
    var text = RuleText(rest: Array(text)[...])
    guard text.skipName(), let west = text.time(upTo: 24) else { return nil }
    standardOffset = -west
    if text.rest.isEmpty {
      summer = nil
      return
    }
    guard text.skipName() else { return nil }
    var offset = standardOffset + 3600
    if text.rest.first != UInt8(ascii: ",") {
      guard let west = text.time(upTo: 24) else { return nil }
      offset = -west
    }
    guard text.skip(","), let from = YearMoment(&text), text.skip(","), let until = YearMoment(&text),
      text.rest.isEmpty
    else { return nil }
    summer = (offset, from, until)
  }

  /// The changes in the years of a span of seconds, and in the years before and after, in order.
  func changes(over span: ClosedRange<Int64>) -> [ZoneChange] {
    guard let summer else { return [ZoneChange(at: span.lowerBound, offset: standardOffset)] }
    func year(_ second: Int64) -> Int64 { CivilDate(floorDivide(second, 86_400)).year }
    // Each change is given by the clock before it. If summer time lasts the whole year, its end is the next beginning.
    let changes = (year(span.lowerBound) - 1...year(span.upperBound) + 1).flatMap { year in
      [
        ZoneChange(at: summer.until.second(of: year) - summer.offset, offset: standardOffset),
        ZoneChange(at: summer.from.second(of: year) - standardOffset, offset: summer.offset),
      ]
    }
    func isSummer(_ change: ZoneChange) -> Int { change.offset == summer.offset ? 1 : 0 }
    return changes.sorted { ($0.at, isSummer($0)) < ($1.at, isSummer($1)) }
  }
}

/// A second of every year, by local time.
struct YearMoment {
  private enum Day {
    /// Day 1 to 365, without 29 February.
    case ofCommonYear(Int64)
    /// Day 0 to 365, including 29 February.
    case ofYear(Int64)
    /// A day of the week (0 is Sunday) in a month: the first to the fourth, or 5, the last.
    case ofWeek(month: Int64, week: Int64, weekday: Int64)
  }

  private let day: Day
  /// Seconds after midnight; may be negative or more than a day.
  private let time: Int64

  fileprivate init?(_ text: inout RuleText) {
    if text.skip("M") {
      guard let month = text.number(1...12), text.skip("."), let week = text.number(1...5), text.skip("."),
        let weekday = text.number(0...6)
      else { return nil }
      day = .ofWeek(month: month, week: week, weekday: weekday)
    } else if text.skip("J") {
      guard let number = text.number(1...365) else { return nil }
      day = .ofCommonYear(number)
    } else {
      guard let number = text.number(0...365) else { return nil }
      day = .ofYear(number)
    }
    guard text.skip("/") else {
      time = 7200
      return
    }
    guard let time = text.time(upTo: 167) else { return nil }
    self.time = time
  }

  /// Seconds since 1970 in local time.
  fileprivate func second(of year: Int64) -> Int64 { dayNumber(of: year) * 86_400 + time }

  private func dayNumber(of year: Int64) -> DayNumber {
    let first = CivilDate(year: year, month: 1, day: 1).dayNumber
    switch day {
    case .ofYear(let number): return first + number
    case .ofCommonYear(let number):
      let march = CivilDate(year: year, month: 3, day: 1).dayNumber
      return number < 60 ? first + number - 1 : march + number - 60
    case .ofWeek(let month, let week, let weekday):
      let begin = CivilDate(year: year, month: month, day: 1).dayNumber
      let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).dayNumber
      // Day 0, 1970-01-01, was a Thursday.
      let early = begin + (weekday - begin - 4) % 7
      let day = (early < begin ? early + 7 : early) + 7 * (week - 1)
      return day < next ? day : day - 7
    }
  }
}

/// Parses a rule from left to right.
private struct RuleText {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// A name of three letters or more, or anything between `<` and `>`.
  mutating func skipName() -> Bool {
    if skip("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return range.contains(value) ? value : nil
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time(upTo hours: Int64) -> Int64? {
    let sign: Int64 = skip("-") ? -1 : 1
    if sign > 0 { _ = skip("+") }
    guard var seconds = number(0...hours).map({ $0 * 3600 }) else { return nil }
    for unit: Int64 in [60, 1] {
      guard skip(":") else { break }
      guard let value = number(0...59) else { return nil }
      seconds += value * unit
    }
    return sign * seconds
  }
}
