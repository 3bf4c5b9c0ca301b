// The axes of charts: they fit what is drawn, their ticks are round numbers, and small multiples share one.

import PermissionAnalysis

/// What a chart may draw.
enum Drawable {
  /// A share of fewer users than these is chance: only its interval is drawn, never the share itself.
  static let leastBase = 10

  static let fewWords = "Of fewer than \(leastBase) users only the interval is drawn, not the share."
}

/// Values to pixels of one direction, with the places of its labels.
protocol ChartAxis: Sendable {
  var low: Double { get }
  var high: Double { get }
  var ticks: [Double] { get }
  func text(_ tick: Double) -> String
}

/// An axis of shares that holds what it is to show, within 0 and 1, and ends at round percentages.
struct ShareAxis: ChartAxis {
  let low: Double
  let high: Double
  let ticks: [Double]
  private let decimals: Int

  /// In percent.
  private static let steps = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]

  /// - Parameters:
  ///   - shares: what it holds.
  ///   - leastSpan: so that noise does not look like a mountain range.
  ///   - startsAtZero: it does so anyway where 0 costs at most half of its length.
  init(_ shares: [Double], leastSpan: Double = 0.05, startsAtZero: Bool = false) {
    let known = shares.filter(\.isFinite).map { min(1, max(0, $0)) }
    var (bottom, top) = (known.min() ?? 0, known.max() ?? 1)
    if startsAtZero { bottom = 0 }
    // Rates of a thousandth have an axis that they fit, too.
    let least = min(leastSpan, max(0.001, top))
    if top - bottom < least {
      bottom = max(0, min((top + bottom - least) / 2, 1 - least))
      top = bottom + least
    }
    if bottom <= top - bottom { bottom = 0 }
    // Without the noise of binary fractions, a round end would be passed by one step.
    let step = Self.steps.first { (top - bottom) * 100 / $0 <= 5 + 1e-9 } ?? 20
    let first = Int((bottom * 100 / step + 1e-9).rounded(.down))
    let last = max(first + 1, Int((top * 100 / step - 1e-9).rounded(.up)))
    ticks = (first...last).map { Double($0) * step / 100 }
    low = Double(first) * step / 100
    high = Double(last) * step / 100
    decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2
  }

  /// The axis of rates that are drawn with their intervals. All values are within; intervals of the greater half of the
  /// bases choose how much room there is, for those of a handful of people would flatten all others.
  /// - Parameter rates: with the users that each is of.
  init(rates: [(rate: Estimate, base: Int)], leastSpan: Double = 0.05) {
    var shown = rates.filter { $0.base >= Drawable.leastBase }
    let values = shown.map(\.rate.value)
    if shown.isEmpty { shown = rates }
    let bases = shown.map(\.base).sorted()
    let middle = bases.isEmpty ? 0 : bases[bases.count / 2]
    let bounds = shown.filter { $0.base >= middle }.flatMap { [$0.rate.low, $0.rate.high] }.compactMap { $0 }
    self.init(values + bounds, leastSpan: leastSpan)
  }

  func text(_ tick: Double) -> String { fixed(tick * 100, decimals) + "\u{A0}%" }

  /// What the axis is, for the words of a section of small multiples.
  var words: String {
    "Every chart has the same axis, from \(text(low)) to \(text(high))\(low > 0 ? "; it does not begin at 0" : "")."
  }
}

/// An axis of differences in points that holds 0, its ends and ticks at numbers that divide well.
struct PointAxis: ChartAxis {
  let low: Double
  let high: Double
  let ticks: [Double]
  private let decimals: Int

  /// - Parameters:
  ///   - from: what the axis must show at least, a share of 1; cut at −1.
  ///   - to: cut at 1.
  init(from: Double, to: Double) {
    let bottom = from.isFinite ? min(0, max(-1, from)) * 100 : -100
    let top = to.isFinite ? max(0, min(1, to)) * 100 : 100
    let span = max(0.2, top - bottom)
    let step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].first { span / $0 <= 6 } ?? 50
    let count = (low: Int((bottom / step).rounded(.down)), high: max(1, Int((top / step).rounded(.up))))
    ticks = (count.low...count.high).map { Double($0) * step / 100 }
    low = Double(count.low) * step / 100
    high = Double(count.high) * step / 100
    decimals = step < 1 ? 1 : 0
  }

  func text(_ tick: Double) -> String { NumberText.signed(tick * 100, decimals) }
}
