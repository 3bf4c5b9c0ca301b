// How many lines of an ingest may be refused before nothing is stored.

/// A share of all lines, or a number of them.
public struct RejectionLimit: Sendable, Hashable {
  /// As it was written: `1%`, `100`.
  public let text: String
  /// Lines in a million of all; nil for a number of lines.
  private let share: Int?
  private let number: Int

  /// - Parameter text: a share in percent, `1%`, or a number of lines, `100`.
  /// - Returns: nil if it is neither.
  public init?(_ text: String) {
    self.text = text
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      share = Int((percent * 10_000).rounded())
      number = 0
    } else {
      guard let lines = Int(text), lines >= 0 else { return nil }
      share = nil
      number = lines
    }
  }

  func isExceeded(_ rejected: Int, of lines: Int) -> Bool {
    guard let share else { return rejected > number }
    // Exact: lines fit in 43 bits.
    return rejected.multipliedFullWidth(by: 1_000_000) > lines.multipliedFullWidth(by: share)
  }
}

private func > (a: (high: Int, low: UInt), b: (high: Int, low: UInt)) -> Bool {
  a.high != b.high ? a.high > b.high : a.low > b.low
}
