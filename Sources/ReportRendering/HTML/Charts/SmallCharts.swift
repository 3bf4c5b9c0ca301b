// Charts in a cell of a table: reach as one bar, a line of the last weeks. The numbers are beside them.

import PermissionAnalysis
import PermissionEvents

enum ReachBar {
  /// What the parts are called and how they look, in the order of the bar.
  static let parts: [(name: String, style: String)] = [
    ("on", "granted fill"), ("partial", "stripes"), ("off", "denied fill"), ("restricted", "restricted fill"),
    ("undecided", "dropped fill"), ("never asked", "track"),
  ]

  /// Of a few users nothing is drawn.
  static func draw(_ row: ReachRow, on page: inout Markup) {
    guard row.activeUsers >= Drawable.leastBase else { return page.text("too few to draw") }
    let counts = [row.on, row.partial, row.off, row.restricted, row.undecided, row.neverAsked]
    let scale = Scale(low: 0, high: Double(row.activeUsers), start: 0, end: 320)
    page.ornament(width: 320, height: 14) { page in
      page.bar(x: 0, y: 1, width: 320, height: 12, "track")
      var before = 0
      for (count, part) in zip(counts, parts) where count > 0 {
        let start = scale(Double(before))
        before += count
        guard part.style != "track" else { continue }
        page.series(part.name, "part") { page in
          page.bar(x: start, y: 1, width: scale(Double(before)) - start - 0.4, height: 12, part.style)
        }
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

extension Sparklines {
  /// A drawn column, all its lines on one scale, which its title names; nil if there is nothing to draw.
  var cells: Block.MoreCells? {
    let known = drawn.flatMap { $0 }.compactMap { $0 }
    guard !weeks.isEmpty, !known.isEmpty else { return nil }
    let axis = ShareAxis(known, leastSpan: 0.2)
    let lines = drawn
    return Block.MoreCells(titles: ["\(title), \(axis.text(axis.low)) to \(axis.text(axis.high))"]) { page, number in
      page.element("td") { page in
        if number < lines.count { SparklineDrawing.draw(lines[number], axis, on: &page) }
      }
    }
  }
}

enum SparklineDrawing {
  static func draw(_ shares: [Double?], _ axis: ShareAxis, on page: inout Markup) {
    guard shares.count > 1, shares.contains(where: { $0 != nil }) else { return }
    let x = Scale(low: 0, high: Double(shares.count - 1), start: 4, end: 116)
    let y = Scale(low: axis.low, high: axis.high, start: 24, end: 4)
    page.ornament(width: 120, height: 28) { page in
      page.series("grant_rate", "granted") { page in
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
