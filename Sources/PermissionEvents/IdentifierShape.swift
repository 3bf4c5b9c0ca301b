// Whose id it is, by its form alone: an install's is made by a machine, an account's is often an address or a number. A guess, good
// for a hint and for nothing that is counted.

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

  /// Whether users are installs, as far as ids tell: nearly all have the form.
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
