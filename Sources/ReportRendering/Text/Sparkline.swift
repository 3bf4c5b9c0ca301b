// A line of small bars for shares week by week.

enum Sparkline {
  private static let bars = Array("▁▂▃▄▅▆▇█")
  /// Without bars: the height as a digit from 1 to 8.
  private static let digits = Array("12345678")
  /// The scale spans at least 20 percentage points, so that noise does not look like a mountain range.
  private static let leastSpan = 0.2

  /// - Parameter shares: one a week, oldest first; nil is a gap.
  static func draw(_ shares: [Double?], isASCII: Bool) -> String {
    let known = shares.compactMap { $0 }
    guard let low = known.min(), let high = known.max() else { return "" }
    let span = max(leastSpan, high - low)
    // Stays within 0 and 1, where the shares do.
    let bottom = max(0, min((low + high - span) / 2, 1 - span))
    let levels = isASCII ? digits : bars
    let gap: Character = isASCII ? "." : "·"
    return String(
      shares.map { share in
        guard let share else { return gap }
        let level = Int((share - bottom) / span * Double(levels.count))
        return levels[min(levels.count - 1, max(0, level))]
      })
  }
}
