// The grant rate's relatives over all weeks: of the prompt, partial, and by the end of the follow-up.

import PermissionAnalysis

enum GrantSection {
  static func section(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let isWide = style.isWide
    let words =
      "By \(scope.followUpName): granted by whatever path, also later in Settings, of exposures at least that old. "
      + "Of the prompt: granted of granted and denied; an explanation that turns the unwilling away raises it, so do "
      + "not choose a message by it. Partial: share of the grants (limited, provisional and the like)."
    let titles = ["base", "grant rate", "by " + scope.followUpName, "of the prompt", "partial"]
    var table = Table(
      Table.nameTitle(scope.report), isWide ? ["exposed", "pending", "restricted"] + titles : titles)
    table.add(scope.allRows) { row in
      let counts =
        isWide
        ? [cells.count(row.grants.exposed), cells.count(row.grants.pending), cells.count(row.grants.restricted)] : []
      return counts + [
        cells.count(row.grants.base), isWide ? cells.rate(row.grants.grantRate) : cells.share(row.grants.grantRate),
        cells.rate(row.grants.grantedByFollowUp.rate), cells.rate(row.grants.promptGrantRate),
        cells.share(row.grants.partial, of: row.grants.granted),
      ]
    }
    return ReportSection(.granted, "Granted, all weeks", words, table, of: scope.allRows, empty: "None.")
  }
}
