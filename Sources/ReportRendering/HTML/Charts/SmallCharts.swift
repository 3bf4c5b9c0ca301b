// Charts in a cell of a table: reach as one bar, a line of the last weeks. The numbers are beside them.

import PermissionAnalysis
import PermissionEvents

enum ReachBar {
  /// What the parts are called and how they look, in the order of the bar.
  static let parts: [(name: String, style: String)] = [
    ("on", "granted fill"), ("partial", "stripes"), ("off", "denied fill"), ("restricted", "restricted fill"),
    ("undecided", "dropped fill"), ("never asked", "track"),
  ]

  static func draw(_ row: ReachRow, on page: inout Markup) {
    let counts = [row.on, row.partial, row.off, row.restricted, row.undecided, row.neverAsked]
    let scale = Scale(low: 0, high: Double(max(1, row.activeUsers)), start: 0, end: 320)
    page.ornament(width: 320, height: 14) { page in
      page.bar(x: 0, y: 1, width: 320, height: 12, "track")
      var before = 0
      for (count, part) in zip(counts, parts) where count > 0 {
        let start = scale(Double(before))
        before += count
        guard part.style != "track" else { continue }
        page.bar(x: start, y: 1, width: scale(Double(before)) - start - 0.8, height: 12, part.style)
      }
    }
  }

  static func legend(on page: inout Markup) {
    page.element("ul", ["class": "legend"]) { page in
      for part in parts {
        page.element("li") { page in
          page.ornament(width: 24, height: 12) { $0.bar(x: 0.5, y: 0.5, width: 23, height: 11, part.style) }
          page.text(part.name)
        }
      }
    }
  }
}

enum SparklineDrawing {
  /// Shares of the last weeks, each line on a scale of its own of at least 20 points, as in the text.
  static func draw(_ shares: [Double?], on page: inout Markup) {
    guard let scale = Sparkline.scale(shares), shares.count > 1 else { return }
    let x = Scale(low: 0, high: Double(shares.count - 1), start: 4, end: 116)
    let y = Scale(low: scale.bottom, high: scale.bottom + scale.span, start: 24, end: 4)
    page.ornament(width: 120, height: 28) { page in
      page.element("g", ["class": "granted"]) { page in
        var stretch: [(x: Double, y: Double)] = []
        for (i, share) in shares.enumerated() {
          if let share {
            stretch.append((x(Double(i)), y(share)))
          } else {
            draw(stretch, on: &page)
            stretch = []
          }
        }
        draw(stretch, on: &page)
        if let last = shares.last.flatMap({ $0 }) {
          page.point(.circle, x: x(Double(shares.count - 1)), y: y(last), size: 3, "dot")
        }
      }
    }
  }

  private static func draw(_ stretch: [(x: Double, y: Double)], on page: inout Markup) {
    if stretch.count == 1, let point = stretch.first {
      page.point(.circle, x: point.x, y: point.y, size: 2, "fill")
    } else {
      page.polyline(stretch, "line")
    }
  }
}
