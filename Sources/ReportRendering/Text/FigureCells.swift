// Table cells of a report's figures. What is not known is shown as such, never as 0.

import PermissionAnalysis

struct FigureCells {
  let style: TextStyle

  var unknown: TableCell { TableCell(style.unknown) }

  func count(_ n: Int) -> TableCell { TableCell(NumberText.count(n)) }

  /// `60.0 %` and, beside it, its interval.
  func rate(_ estimate: Estimate?) -> TableCell {
    guard let estimate, estimate.value.isFinite else { return unknown }
    return TableCell(NumberText.percent(estimate.value), NumberText.interval(estimate))
  }

  /// `60.0 %`.
  func share(_ estimate: Estimate?) -> TableCell {
    guard let estimate, estimate.value.isFinite else { return unknown }
    return TableCell(NumberText.percent(estimate.value))
  }

  func share(_ count: Int, of all: Int) -> TableCell {
    all > 0 ? TableCell(NumberText.percent(Double(count) / Double(all))) : unknown
  }

  /// `108` and, beside it, its share of the whole.
  func part(_ count: Int, of all: Int) -> TableCell {
    all > 0 ? TableCell(NumberText.count(count), NumberText.percent(Double(count) / Double(all))) : unknown
  }

  /// `60.0 % of 135`, the `of` in line.
  func shareOf(_ count: Int, _ all: Int) -> TableCell {
    all > 0
      ? TableCell(NumberText.percent(Double(count) / Double(all)) + "\u{A0}of", NumberText.count(all)) : unknown
  }

  /// `19 of 226`, the `of` in line; unknown where nobody could be counted.
  func countOf(_ count: Int, _ all: Int) -> TableCell {
    all > 0 ? TableCell(NumberText.count(count) + "\u{A0}of", NumberText.count(all)) : unknown
  }

  /// A difference of shares in percentage points.
  func points(_ estimate: Estimate?) -> TableCell { difference(estimate, scale: 100, 1) }

  /// A difference in units of its own.
  func difference(_ estimate: Estimate?, scale: Double = 1, _ decimals: Int = 2) -> TableCell {
    guard let estimate, estimate.value.isFinite else { return unknown }
    return TableCell(
      NumberText.signed(estimate.value * scale, decimals), NumberText.signedInterval(estimate, scale: scale, decimals))
  }

  func mean(_ value: Double?) -> TableCell {
    guard let value, value.isFinite else { return unknown }
    return TableCell(fixed(value, 2))
  }

  /// A ratio and its interval, to three digits.
  func ratio(_ estimate: Estimate?) -> TableCell {
    guard let estimate, estimate.value.isFinite else { return unknown }
    var detail: String?
    if let low = estimate.low, let high = estimate.high {
      detail = NumberText.threeDigits(low) + "–" + NumberText.threeDigits(high)
    }
    return TableCell(NumberText.threeDigits(estimate.value), detail)
  }

  func number(_ value: Double?) -> TableCell {
    guard let value, value.isFinite else { return unknown }
    return TableCell(NumberText.threeDigits(value))
  }

  func time(_ milliseconds: Double?) -> TableCell {
    guard let milliseconds, milliseconds.isFinite else { return unknown }
    return TableCell(NumberText.duration(milliseconds))
  }

  /// The change against the week before in points, with a mark where it is significant.
  func change(_ trend: Trend?) -> TableCell {
    guard let trend, let change = trend.change, change.value.isFinite else { return unknown }
    let text = NumberText.signed(change.value * 100)
    guard trend.isSignificant else { return TableCell(text) }
    return TableCell(text, change.value < 0 ? "▼" : "▲", tone: change.value < 0 ? .bad : .good)
  }
}

extension Trend {
  /// Significant at 5 % after the correction for the number of permissions.
  var isSignificant: Bool { (adjustedPValue ?? 1) < 0.05 }
}
