// User and event ids are byte strings. Most are UUIDs in text, which are packed into 16 bytes; the text
// comes back unchanged, so upper and lower case are two forms. The forms' codes are stored in the log.

import CXXHash

/// How an id is kept.
public enum IdentifierForm: UInt8, Sendable {
  /// Any bytes.
  case text = 0
  /// 36 characters, hexadecimal digits in lower case.
  case lowercaseUUID = 1
  /// 36 characters, hexadecimal digits in upper case.
  case uppercaseUUID = 2
}

public enum IdentifierText {
  /// The nibble of a hexadecimal digit; 0x10 for a letter in lower case, 0x20 in upper case, 0x80 for no digit.
  static let nibbles: [UInt8] = (0..<256).map { byte in
    switch byte {
    case 48...57: UInt8(byte - 48)
    case 97...102: UInt8(byte - 87) | 0x10
    case 65...70: UInt8(byte - 55) | 0x20
    default: 0x80
    }
  }

  /// The two words of a UUID in text and its form; nil if the text is not a UUID in one case.
  /// A UUID of digits alone is lower case.
  public static func packUUID(
    _ bytes: UnsafeRawBufferPointer
  ) -> (form: IdentifierForm, high: UInt64, low: UInt64)? {
    guard bytes.count == 36, let base = bytes.baseAddress else { return nil }
    let p = base.assumingMemoryBound(to: UInt8.self)
    guard p[8] == 0x2D, p[13] == 0x2D, p[18] == 0x2D, p[23] == 0x2D else { return nil }
    return nibbles.withUnsafeBufferPointer { table in
      var seen: UInt8 = 0
      @inline(__always) func take(_ from: Int, _ count: Int, _ word: inout UInt64) {
        for i in from..<from + count {
          let nibble = table[Int(p[i])]
          seen |= nibble
          word = word << 4 | UInt64(nibble & 15)
        }
      }
      var high: UInt64 = 0
      var low: UInt64 = 0
      take(0, 8, &high)
      take(9, 4, &high)
      take(14, 4, &high)
      take(19, 4, &low)
      take(24, 12, &low)
      if seen & 0x80 != 0 || seen & 0x30 == 0x30 { return nil }
      return (seen & 0x20 != 0 ? .uppercaseUUID : .lowercaseUUID, high, low)
    }
  }

  /// Appends the 36 characters of a packed UUID.
  public static func writeUUID(form: IdentifierForm, high: UInt64, low: UInt64, into out: inout [UInt8]) {
    let letter: UInt8 = form == .uppercaseUUID ? 55 : 87
    func digits(_ word: UInt64, _ from: Int, _ count: Int) {
      for i in 0..<count {
        let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (from + i))) & 15
        out.append(nibble < 10 ? 48 + nibble : letter + nibble)
      }
    }
    digits(high, 0, 8)
    out.append(0x2D)
    digits(high, 8, 4)
    out.append(0x2D)
    digits(high, 12, 4)
    out.append(0x2D)
    digits(low, 0, 4)
    out.append(0x2D)
    digits(low, 4, 12)
  }

  /// Whether the id has the form of a pseudonym: a UUID of version 8 in lower case.
  public static func isPseudonym(_ id: [UInt8]) -> Bool {
    id.withUnsafeBytes { isPseudonym($0) }
  }

  /// The same for bytes in memory.
  public static func isPseudonym(_ id: UnsafeRawBufferPointer) -> Bool {
    guard id.count == 36, let (form, high, low) = packUUID(id), form == .lowercaseUUID else { return false }
    return isPseudonym(high: high, low: low)
  }

  /// The same of a UUID's words.
  public static func isPseudonym(high: UInt64, low: UInt64) -> Bool { high & 0xF000 == 0x8000 && low >> 62 == 0b10 }

  private static let placeholders: Set<String> = [
    "", "null", "nil", "undefined", "none", "unknown", "anonymous", "anon", "0", "-0", "-1", "nan", "[]", "{}",
    "00000000-0000-0000-0000-000000000000", "\\n", "n/a", "na", "#n/a", "<null>", "(null)", "(not set)", "guest", "-",
  ]

  /// An id without the whitespace at its ends: spaces, tabs, line ends, and the no-break space and byte-order mark of pages and
  /// spreadsheets.
  public static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    func isBlank(_ b: UInt8) -> Bool { b == 0x20 || (b >= 0x09 && b <= 0x0D) }
    let wide: [[UInt8]] = [[0xC2, 0xA0], [0xEF, 0xBB, 0xBF]]
    var slice = bytes[...]
    while true {
      if let first = slice.first, isBlank(first) {
        slice = slice.dropFirst()
      } else if let last = slice.last, isBlank(last) {
        slice = slice.dropLast()
      } else if slice.first.map({ $0 >= 0x80 }) == true, let blank = wide.first(where: { slice.starts(with: $0) }) {
        slice = slice.dropFirst(blank.count)
      } else if slice.last.map({ $0 >= 0x80 }) == true,
        let blank = wide.first(where: { slice.suffix($0.count).elementsEqual($0) })
      {
        slice = slice.dropLast(blank.count)
      } else {
        return UnsafeRawBufferPointer(rebasing: slice)
      }
    }
  }

  /// Whether it is a number as spreadsheets round them, `1.77245E+15`: different ids become the same, and many people one person.
  public static func isRounded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard (5...32).contains(bytes.count), let first = bytes.first, first &- 48 <= 9,
      let mark = bytes.firstIndex(where: { $0 | 0x20 == 0x65 }), mark + 2 < bytes.count, bytes[mark + 1] == 0x2B
    else { return false }
    let exponent = bytes[(mark + 2)...]
    guard exponent.count <= 3, exponent.allSatisfy({ $0 &- 48 <= 9 }) else { return false }
    // One digit, then perhaps a point, or a comma as some countries write it, and more digits.
    let mantissa = bytes[1..<mark]
    guard let point = mantissa.first else { return true }
    return (point == 0x2E || point == 0x2C) && mantissa.dropFirst().allSatisfy { $0 &- 48 <= 9 }
  }

  /// Whether a user id names no user, in any case and with spaces around it. One such "user" would collect the events
  /// of everybody.
  public static func standsForNobody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let slice = trimmed(bytes)
    guard slice.count <= 36 else { return false }
    let folded = slice.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
    return placeholders.contains(String(bounded: folded))
  }
}

// MARK: The kind of an id by its form: the id of an install is made by a machine, that of an account is often an
// address or a number. A guess, used only for a hint and never for a count.

/// The form of an id.
package enum IdentifierShape: Sendable {
  /// UUIDs, long hexadecimal numbers, random texts, and pairs of a time and a random number, as AppsFlyer and GA4 make them.
  case install
  /// An e-mail address, a telephone number, another number, or a name that begins with a word like `user`.
  case account
  case unknown

  package var isAccount: Bool { self == .account }

  package init(_ id: [UInt8]) {
    // `$device:8c1b…` and `$RCAnonymousID:…` have a word before the id.
    let rest = id.first == 0x24 ? id.split(separator: 0x3A, maxSplits: 1).last.map { Array($0) } ?? id : id
    if Self.isMachineMade(rest) {
      self = .install
    } else {
      self = Self.isAddress(id) || Self.isNumber(id) || Self.isNamed(id) ? .account : .unknown
    }
  }

  /// Whether users are installs, judging by ids: nearly all have the form.
  package static func areInstalls(_ sample: [[UInt8]]) -> Bool {
    let installs = sample.count { IdentifierShape($0) == .install }
    return installs > 0 && installs * 20 >= sample.count * 19
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 <= 9 }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  private static func isMachineMade(_ id: [UInt8]) -> Bool {
    let hex = id.filter { $0 != 0x2D }
    let hasDigit = id.contains(where: isDigit)
    if hex.count >= 16, hasDigit, hex.contains(where: isLetter),
      hex.allSatisfy({ isDigit($0) || ($0 | 0x20) &- 97 < 6 })
    {
      return true
    }
    for separator in [0x2D, 0x2E] as [UInt8] {
      let parts = id.split(separator: separator, omittingEmptySubsequences: false)
      if parts.count == 2, id.count >= 15, parts.allSatisfy({ $0.count >= 4 && $0.allSatisfy(isDigit) }) { return true }
    }
    // 22 characters of base 64, as Firebase makes them.
    let hasBoth = id.contains { $0 &- 65 < 26 } && id.contains { $0 &- 97 < 26 }
    return id.count >= 20 && hasDigit && hasBoth
      && id.allSatisfy { isDigit($0) || isLetter($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isAddress(_ id: [UInt8]) -> Bool {
    let parts = id.split(separator: 0x40, omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].dropFirst().dropLast().contains(0x2E)
  }

  /// Digits, also those of a telephone number.
  private static func isNumber(_ id: [UInt8]) -> Bool {
    id.contains(where: isDigit) && id.allSatisfy { isDigit($0) || " +-()".utf8.contains($0) } && id.count <= 24
  }

  private static let words = ["user", "usr", "account", "acct", "customer", "cust", "cus_", "member", "auth0|", "uid"]

  private static func isNamed(_ id: [UInt8]) -> Bool {
    let start = id.prefix(8).map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
    return words.contains { start.starts(with: $0.utf8) }
  }
}

// MARK: The id of an event that came without one: a hash of its whole content, so that the same line twice is
// the same event, in any file format. The function can never change, or re-ingested exports would double.

public enum DerivedEventID {
  /// A UUID of version 8 (RFC 9562, section 5.8). Its free bits are XXH3-128 of the event's content: user id, time, kind,
  /// status and the ten string fields, each text after its length.
  /// - Parameter fields: values by `StringField`, empty if absent.
  public static func make(
    user: UnsafeRawBufferPointer, time: Milliseconds, kind: EventKind, status: AuthorizationStatus,
    fields: (StringField) -> UnsafeRawBufferPointer
  ) -> EventBatch.Identifier {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    func append(_ text: UnsafeRawBufferPointer) {
      bytes.append(UInt8(truncatingIfNeeded: text.count))
      bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
      bytes.append(contentsOf: text)
    }
    append(user)
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: time >> Int64(shift))) }
    bytes.append(kind.rawValue)
    bytes.append(status.rawValue)
    for field in StringField.allCases { append(fields(field)) }
    return bytes.withUnsafeBytes { make(ofKey: $0) }
  }

  /// The id of an assignment: the same for all rows that say that a user has a variant on a day.
  /// - Parameter day: days since 1970 in UTC.
  public static func make(experiment: [UInt8], variant: [UInt8], day: Int64) -> EventBatch.Identifier {
    var bytes = Array("permlog: assigned".utf8)
    for text in [experiment, variant] {
      bytes += [UInt8(truncatingIfNeeded: text.count), UInt8(truncatingIfNeeded: text.count >> 8)] + text
    }
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: day >> Int64(shift))) }
    return bytes.withUnsafeBytes { make(ofKey: $0) }
  }

  /// The id of a state that rows carry as a property: the same for all rows that show it on a day.
  /// - Parameter day: days since 1970 in UTC.
  public static func make(
    permission: some Sequence<UInt8>, status: AuthorizationStatus, day: Int64
  ) -> EventBatch.Identifier {
    var bytes = Array("permlog: state".utf8) + [status.rawValue]
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: day >> Int64(shift))) }
    bytes += permission
    var id = bytes.withUnsafeBytes { make(ofKey: $0) }
    id.low = id.low & ~0xFFFF_FFFF | stateMark
    return id
  }

  /// The last 32 bits of the ids of states.
  private static let stateMark: UInt64 = 0x5354_4154

  /// Whether many rows of a day make one event of this kind and id. Such copies differ in time alone, and the earliest stays.
  /// - Parameters:
  ///   - form: raw value of the id's `IdentifierForm`.
  ///   - low: low word of the id.
  @inline(__always)
  public static func isDaily(kind: UInt8, form: UInt8, low: UInt64) -> Bool {
    kind == EventKind.assigned.rawValue
      || kind == EventKind.statusChecked.rawValue && form == IdentifierForm.lowercaseUUID.rawValue
        && low & 0xFFFF_FFFF == stateMark
  }

  /// The same of a key's bytes: a vendor's documented key, made unambiguous by the caller.
  public static func make(ofKey key: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    let hash = XXH3_128bits(key.baseAddress, key.count)
    return identifier(high: hash.high64, low: hash.low64)
  }

  /// 122 of 128 bits of a hash as a UUID of version 8.
  public static func identifier(high: UInt64, low: UInt64) -> EventBatch.Identifier {
    EventBatch.Identifier(
      form: .lowercaseUUID, high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

// MARK: The hash of a user id: the log's first order and the space that work is divided by. The function is
// part of the log's format and of the order of an export, so it can never change.

public enum UserHash {
  /// An invertible mixer of 64 bits (the finaliser of SplitMix64; Steele, Lea & Flood 2014).
  @inlinable
  @inline(__always)
  public static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The inverse of `mix`.
  static func unmix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 31) ^ (z >> 62)) &* 0x3196_42B2_D24D_8EC3
    z = (z ^ (z >> 27) ^ (z >> 54)) &* 0x96DE_1B17_3F11_9089
    return z ^ (z >> 30) ^ (z >> 60)
  }

  /// The hash of a packed UUID. With the low word it gives back the high one, so a log keeps (hash, low)
  /// and needs no other copy of the id.
  @inline(__always)
  public static func uuid(high: UInt64, low: UInt64) -> UInt64 { mix(high ^ mix(low)) }

  /// The high word of the UUID with that hash and low word.
  public static func highWord(hash: UInt64, low: UInt64) -> UInt64 { unmix(hash) ^ mix(low) }

  /// The hash of an id that is not a UUID in text: XXH3, 64 bits, no seed.
  public static func text(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

  /// The hash of any id.
  public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if let id = IdentifierText.packUUID(bytes) { return uuid(high: id.high, low: id.low) }
    return text(bytes)
  }
}

// MARK: The checksum that small files name other files, and themselves, by

package enum Checksum {
  /// XXH3 of 64 bits without a seed, as 16 hexadecimal digits. It detects accidents, not malice.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = String(bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

// MARK: What one record says of two ids: that they are one install

/// Two ids of one install, as the log stores them. A batch carries the links of its chunk beside its events.
public struct UserLink: Sendable, Hashable {
  /// The bytewise lesser of the two.
  public let first: [UInt8]
  public let second: [UInt8]

  /// - Returns: nil if both are the same id, which says nothing.
  public init?(_ a: [UInt8], _ b: [UInt8]) {
    if a == b { return nil }
    (first, second) = a.lexicographicallyPrecedes(b) ? (a, b) : (b, a)
  }

  public static func isBefore(_ a: Self, _ b: Self) -> Bool {
    a.first == b.first ? a.second.lexicographicallyPrecedes(b.second) : a.first.lexicographicallyPrecedes(b.first)
  }
}

/// How a log makes and stores the ids of events. Fixed when a log is made: a second rule would store known events again.
public struct EventIDRules: Sendable, Hashable {
  /// Which parts of a vendor's record make an id. 1: as up to 0.2.0. 2: only parts that every copy of the record has.
  public var version: Int
  /// Whether ids that an app wrote are stored as keyed hashes, as the users' ids are.
  public var areKeyed: Bool

  /// The newest version of the rules, which new logs have.
  public static let newest = 2
  /// The rules of a log that names none.
  public static let former = EventIDRules(version: 1, areKeyed: false)

  public init(version: Int = Self.newest, areKeyed: Bool = false) {
    (self.version, self.areKeyed) = (version, areKeyed)
  }
}

// MARK: The rules for the bytes of a key file, for any kind of key

public enum SecretBytes {
  /// Fewer could be guessed.
  public static let lengths = 16...4096

  /// The fault of the bytes of a key, or nil if they can be a key.
  public static func fault(of bytes: [UInt8]) -> String? {
    guard lengths.contains(bytes.count) else {
      let count = bytes.count > lengths.upperBound ? "more than \(lengths.upperBound)" : "\(bytes.count)"
      return "the key has \(count) bytes; it must have \(lengths.lowerBound) to \(lengths.upperBound)"
    }
    // A loss of power can leave such a file, and it is an attacker's first guess.
    guard bytes.contains(where: { $0 != 0 }) else { return "the key has only zeros" }
    return nil
  }
}
