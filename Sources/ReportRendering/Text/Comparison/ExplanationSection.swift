// Where each number comes from.

import PermissionAnalysis

enum ExplanationSection {
  private static let label = 11

  static func write(_ set: ComparisonSet, on page: inout some SectionPage) {
    page.section("Where each number comes from")
    for (place, entry) in ComparisonExplanation.entries(set, page.style.hints).enumerated() {
      if place > 0 { page.blank() }
      page.line("\(entry.figure): \(entry.value)", tone: .strong)
      page.field("  method", width: label, entry.method)
      page.field("  formula", width: label, entry.formula)
      page.field("  source", width: label, entry.source)
      page.field("  limits", width: label, entry.limits)
    }
  }
}
