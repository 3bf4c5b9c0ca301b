// Table cells of a report's figures. What is not known is shown as such, never as 0.

import PermissionAnalysis

struct FigureCells {
  let style: TextStyle

  var unknown: TableCell { TableCell(style.unknown) }

  /// The cell of a number; unknown if it is nil or not finite.
  private func known(_ value: Double?, _ cell: (Double) -> TableCell) -> TableCell {
    guard let value, value.isFinite else { return unknown }
    return cell(value)
  }

  func count(_ n: Int?) -> TableCell { n.map { TableCell(NumberText.count($0)) } ?? unknown }

  /// `60.0 %` and, beside it, its interval.
  func rate(_ estimate: Estimate?) -> TableCell {
    known(estimate?.value) { TableCell(NumberText.percent($0), estimate.flatMap(NumberText.interval)) }
  }

  /// `60.0 %`.
  func share(_ estimate: Estimate?) -> TableCell { known(estimate?.value) { TableCell(NumberText.percent($0)) } }

  func share(_ count: Int, of all: Int) -> TableCell {
    known(Double(count) / Double(all)) { TableCell(NumberText.percent($0)) }
  }

  /// `108` and, beside it, its share of the whole.
  func part(_ count: Int?, of all: Int) -> TableCell {
    guard let count else { return unknown }
    return known(Double(count) / Double(all)) { TableCell(NumberText.count(count), NumberText.percent($0)) }
  }

  /// `60.0 % of 135`, the `of` in line.
  func shareOf(_ count: Int?, _ all: Int) -> TableCell {
    guard let count else { return unknown }
    return known(Double(count) / Double(all)) { TableCell(NumberText.percent($0) + "\u{A0}of", NumberText.count(all)) }
  }

  /// `19 of 226`, the `of` in line; unknown if nobody could be counted.
  func countOf(_ count: Int?, _ all: Int) -> TableCell {
    guard let count, all > 0 else { return unknown }
    return TableCell(NumberText.count(count) + "\u{A0}of", NumberText.count(all))
  }

  /// Enablings per 100 person-days; the counts themselves if they are too few to speak of a rate.
  func rate(_ time: SettingsFigures.PersonTime?) -> TableCell {
    guard let time, time.personDays > 0 else { return unknown }
    let enabled = time.enabled
    guard enabled < Self.fewestEnabled || time.personDays < Self.leastPersonDays else {
      return number(time.per100PersonDays)
    }
    let days = time.personDays < 9.95 ? fixed(time.personDays, 1) : NumberText.count(Int(time.personDays.rounded()))
    return TableCell(NumberText.count(enabled) + "\u{A0}in\u{A0}" + days + "\u{A0}d")
  }

  /// Below these a rate of person-time says more of chance than of people: one user in an hour is 2,400 per 100 days.
  static let fewestEnabled = 5
  static let leastPersonDays = 1.0

  /// A difference of shares in percentage points.
  func points(_ estimate: Estimate?) -> TableCell { difference(estimate, scale: 100, 1) }

  /// A difference in units of its own.
  func difference(_ estimate: Estimate?, scale: Double = 1, _ decimals: Int = 2) -> TableCell {
    known(estimate?.value) { value in
      TableCell(
        NumberText.signed(value * scale, decimals),
        estimate.flatMap { NumberText.signedInterval($0, scale: scale, decimals) })
    }
  }

  func mean(_ value: Double?) -> TableCell { known(value) { TableCell(fixed($0, 2)) } }

  /// A ratio and its interval, to three digits.
  func ratio(_ estimate: Estimate?) -> TableCell {
    known(estimate?.value) { value in
      let ends = [estimate?.low, estimate?.high].compactMap { $0 }.map(NumberText.threeDigits)
      return TableCell(NumberText.threeDigits(value), ends.count == 2 ? ends.joined(separator: "–") : nil)
    }
  }

  func number(_ value: Double?) -> TableCell { known(value) { TableCell(NumberText.threeDigits($0)) } }

  func time(_ milliseconds: Double?) -> TableCell { known(milliseconds) { TableCell(NumberText.duration($0)) } }

  /// The change from the week before in points, with a mark if it is significant.
  func change(_ trend: Trend?) -> TableCell {
    known(trend?.change?.value) { change in
      let text = NumberText.signed(change * 100)
      guard trend?.isSignificant == true else { return TableCell(text) }
      return TableCell(text, change < 0 ? "▼" : "▲", tone: change < 0 ? .bad : .good)
    }
  }
}

extension Trend {
  /// Significant at 5 % after the correction for the number of permissions.
  var isSignificant: Bool { Self.isSignificant(adjustedPValue) }

  static func isSignificant(_ adjustedPValue: Double?) -> Bool { (adjustedPValue ?? 1) < 0.05 }
}
