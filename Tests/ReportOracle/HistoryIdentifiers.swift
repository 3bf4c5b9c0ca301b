// Ids of many shapes: those that a store could be tempted to pack, and those that look alike.

/// "é" as one scalar and as two: canonically equal in Swift, different in bytes.
private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

/// The id of a user: neighbours in number have ids that are easily taken for one another.
func historyUserID(_ number: Int, _ random: inout SplitMix64) -> String {
  let pair = number / 2
  let isFirst = number % 2 == 0
  let pairUUID = uuid(SplitMix64(seed: 77 &+ UInt64(truncatingIfNeeded: pair)))
  switch pair % 5 {
  case 0: return isFirst ? pairUUID : pairUUID.uppercased()
  case 1: return isFirst ? "\(1000 + pair)" : "0\(1000 + pair)"
  case 2: return "Zo" + (isFirst ? composed : decomposed) + " \(pair)"
  case 3: return isFirst ? "user-\(pair)" : "USER-\(pair)"
  default: return isFirst ? uuid(random) : String(repeating: "\u{1F511}", count: 62) + "\(pair)"
  }
}

/// Ids of events, unlike one another in bytes within one history.
struct HistoryEventIDs {
  private var used = 0
  private var waiting: String?

  mutating func next(_ random: inout SplitMix64) -> String {
    if let twin = waiting {
      waiting = nil
      return twin
    }
    used += 1
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: return uuid(random.split())
    case 2: return uuid(random.split()).uppercased()
    case 3:
      let lower = uuid(random.split())
      waiting = lower.uppercased()
      return lower
    case 4: return "\(70_000 + used)"
    case 5: return "00\(used)"
    case 6:
      waiting = decomposed + "\(used)"
      return composed + "\(used)"
    case 7: return "a\"\\/\(used)," + String(repeating: "x", count: 110)
    default: return "e\(used)"
    }
  }
}

extension SplitMix64 {
  /// A generator of its own that goes on from here.
  mutating func split() -> SplitMix64 { SplitMix64(seed: next()) }
}

/// A lower-case UUID, version 4.
private func uuid(_ source: SplitMix64) -> String {
  var random = source
  var digits = (0..<32).map { _ in "0123456789abcdef".randomElement(using: &random) ?? "0" }
  digits[12] = "4"
  digits[16] = "89ab".randomElement(using: &random) ?? "8"
  let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
  return parts.map { String(digits[$0]) }.joined(separator: "-")
}
