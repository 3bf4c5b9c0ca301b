// The interval of a comparison in text.

import PermissionAnalysis

/// One interval drawn with signs, against zero and the smallest effect that matters.
struct IntervalDrawing {
  private let style: TextStyle
  private let columns: Int

  init(_ style: TextStyle) {
    self.style = style
    columns = min(style.width, 100) - 4
  }

  /// How far to both sides of zero lines reach that are to be compared with each other.
  static func reach(_ headlines: [Comparison.Headline], effect: Double) -> Double {
    let ends = headlines.flatMap { [abs(max(-1, $0.low)), abs(min(1, $0.high))] }
    return max(ends.max() ?? 0, effect, 1e-9) * 1.1
  }

  /// - Parameter reach: the same for all lines of a comparison.
  func line(_ headline: Comparison.Headline, effect: Double, reach: Double) -> String {
    let (low, high) = (max(-1, headline.low), min(1, headline.high))
    func column(_ value: Double) -> Int {
      let place = (value + reach) / (2 * reach) * Double(columns - 1)
      return min(columns - 1, max(0, Int(place.rounded())))
    }
    let signs = Array(style.isASCII ? "-[]|.o" : "─├┤│·●")
    var line = [Character](repeating: " ", count: columns)
    for i in column(low)...max(column(low), column(high)) { line[i] = signs[0] }
    for value in [-effect, effect] { line[column(value)] = line[column(value)] == " " ? signs[4] : ":" }
    for (value, sign) in [(low, signs[1]), (high, signs[2]), (0, signs[3]), (headline.value, signs[5])] {
      line[column(value)] = sign
    }
    return "  " + String(line)
  }

  /// What its signs mean.
  func legend(effect: Double) -> String {
    let (point, zero, dot) = style.isASCII ? ("o", "|", ".") : ("●", "│", "·")
    return
      "\(point) difference in points, \(zero) zero, \(dot) smallest effect that matters (± \(fixed(effect * 100, 2)))"
  }
}
