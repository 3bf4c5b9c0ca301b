// Parts of answers on a site's own pages.

public import PermissionAnalysis

extension Report {
  /// Writes some sections of the report's page, without its title and head. An empty log has a sentence instead.
  public func write(_ sections: Set<ReportSectionName>, style: TextStyle = TextStyle(), on page: inout Markup) {
    let document = ReportDocument.document(self, .html, style.of(.html), part: .sections(sections))
    for section in document.sections { page.write(section) }
  }
}

extension ExperimentList {
  /// Writes a line for each experiment: its name as a link to its comparison, its permission, and its verdict. Decided ones come first, then
  /// those that run.
  /// - Parameter address: of an experiment's comparison; nil for no link.
  public func writeVerdicts(
    style: TextStyle = TextStyle(), on page: inout Markup, address: (ExperimentSummary) -> String?
  ) {
    func rank(_ experiment: ExperimentSummary) -> Int {
      let isDecided = experiment.comparison?.pairs.contains { $0.decidedOn != nil } ?? false
      return (experiment.isRunning ? 0 : 2) + (isDecided ? 0 : 1)
    }
    let shown = experiments.indices.sorted { (rank(experiments[$0]), $0) < (rank(experiments[$1]), $1) }.map {
      experiments[$0]
    }
    page.element("ul", ["class": "verdicts"]) { page in
      for experiment in shown {
        let pairs = experiment.comparison?.pairs ?? []
        page.newLine()
        page.element("li") { page in
          if let kind = pairs.first.map({ VerdictKind($0.decision) }), pairs.count == 1 { page.sign(kind) }
          page.element("span") { page in
            if let address = address(experiment) {
              page.element("a", ["href": address]) { $0.name(ChartName.heading(experiment.experiment)) }
            } else {
              page.name(ChartName.heading(experiment.experiment))
            }
            let state = experiment.isRunning ? "running" : "ended"
            page.text(", " + RowNames.titles.permission(experiment.permission) + ", \(state): ")
            switch pairs.count {
            case 0: page.text("not compared.")
            case 1: page.text(ComparisonWords.verdict(pairs[0]))
            default: page.text(experiment.comparison.map { OverallVerdict($0).sentence } ?? "")
            }
          }
        }
      }
    }
  }
}

extension AuditReport {
  /// Writes what was found, the worst first, with the sentence that sums it up.
  public func writeFindings(style: TextStyle = TextStyle(), on page: inout Markup) {
    let headline = AuditHeadline(report: self)
    page.prose(headline.sentence)
    for caution in headline.cautions { page.write(.caution(caution, .exclamation)) }
    for severity in AuditSeverity.allCases {
      let found = findings.filter { $0.severity == severity }
      guard !found.isEmpty else { continue }
      for block in AuditDocument.section(severity, found, .html, style.of(.html)).blocks { page.write(block) }
    }
    if let others = headline.others { page.write(.note(others + ".")) }
  }
}
