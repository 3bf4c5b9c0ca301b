// Findings on a page: whom each is about, a bar of its share, and the sentence.

import PermissionAnalysis

enum AuditDrawing {
  static func list(_ findings: [AuditFinding], on page: inout Markup) {
    page.element("ul", ["class": "findings"]) { page in
      for finding in findings {
        page.element("li") { page in
          page.element("h4") { $0.name(AuditQuote.name(AuditSentences.subject(finding))) }
          if let share = finding.share, share.value.isFinite { bar(share, on: &page) }
          page.prose(AuditTables.words(finding))
        }
      }
    }
  }

  /// The share of all, and its interval. The numbers are beside it.
  static func bar(_ share: Estimate, on page: inout Markup) {
    let x = Scale(low: 0, high: 1, start: 0, end: 160)
    func place(_ share: Double) -> Double { x(min(1, max(0, share))) }
    page.ornament(width: 160, height: 10) { page in
      page.bar(x: 0, y: 1, width: 160, height: 8, "rail")
      page.element("g", ["class": "neutral"]) { page in
        page.bar(x: 0, y: 1, width: place(share.value), height: 8, "fill")
      }
      if let low = share.low, let high = share.high {
        page.line(x1: place(low), y1: 5, x2: place(high), y2: 5, "median")
      }
    }
  }
}
