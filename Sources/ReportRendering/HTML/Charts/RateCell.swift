// A grant rate and its interval in a cell of a table, all of a column on one scale. The numbers are beside it.

import PermissionAnalysis

/// A drawn column of rates.
struct RateCells {
  private let axis: ShareAxis

  /// - Parameter rates: with the users that each is of.
  init(_ rates: [(rate: Estimate, base: Int)]) { axis = ShareAxis(rates: rates) }

  var title: String { "\(axis.text(axis.low)) to \(axis.text(axis.high))" }

  /// - Parameter isBest: set off from the others by its shape too.
  func draw(_ rate: Estimate, base: Int, isBest: Bool, on page: inout Markup) {
    let x = Scale(low: axis.low, high: axis.high, start: 8, end: 312)
    func place(_ share: Double) -> Double { x(min(axis.high, max(axis.low, share))) }
    page.ornament(width: 320, height: 16) { page in
      page.bar(x: 0, y: 7, width: 320, height: 2, "track")
      page.series("value.grant_rate", isBest ? "granted" : "neutral") { page in
        if let low = rate.low, let high = rate.high {
          page.line(x1: place(low), y1: 8, x2: place(high), y2: 8, "line")
        }
        // A share of a few users is chance: only its interval is drawn.
        if base >= Drawable.leastBase {
          page.point(isBest ? .diamond : .circle, x: place(rate.value), y: 8, size: 4, "dot")
        }
      }
    }
  }
}
