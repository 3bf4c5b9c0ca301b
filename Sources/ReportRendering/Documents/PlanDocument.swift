// A plan as a document: what is to be found, then what each way of deciding takes.

import PermissionAnalysis
import PermissionEvents

package enum PlanDocument {
  /// - Parameter permission: named in the first line; nil for a plan that no log was read for.
  package static func render(_ plan: ExperimentPlan, permission: String?, _ style: TextStyle) -> [UInt8] {
    let name = permission.map { $0 + ": " } ?? ""
    return Document(
      title: name + "a plan for the \(plan.question.metric.title)", sections: [.untitled(blocks(plan, style))]
    ).render(.text, style)
  }

  private static func blocks(_ plan: ExperimentPlan, _ style: TextStyle) -> [Block] {
    let head: [Block] = [.paragraph(start(plan.baseline)), .gap, .paragraph(aim(plan)), .gap]
    if let refused = plan.refused { return head + [.paragraph(refused.sentence)] }
    var blocks = head + [.table(table(plan, style)), .gap]
    if plan.daysToMature > 0 {
      let days = NumberText.counted(plan.daysToMature, "day")
      blocks.append(.paragraph("The last users are counted \(days) after their exposure: add these to the days."))
    }
    if !plan.isReverse { blocks.append(.paragraph(advice(plan, style.words))) }
    return blocks
  }

  /// What a comparison is to be told. Its planned number is that of the two messages of a pair, however many there are.
  private static func advice(_ plan: ExperimentPlan, _ words: RemedyWords) -> String {
    let ways = plan.rows.reversed().compactMap { row -> String? in
      guard let users = row.usersPerVariant?.multipliedReportingOverflow(by: 2), !users.overflow else { return nil }
      switch row.design {
      case .alwaysValid:
        return words(.compareAsPlanned(users: users.partialValue, looks: nil)) + " to decide at any time"
      case .looks(let count):
        return words(.compareAsPlanned(users: users.partialValue, looks: count)) + " for the declared looks"
      case .oneLook: return nil
      }
    }
    guard !ways.isEmpty else { return "" }
    return "Compare with \(ways.joined(separator: ", or ")): the users of two messages together."
  }

  private static func start(_ baseline: PlanBaseline) -> String {
    var text = "baseline \(NumberText.percent(baseline.rate))"
    if let tally = baseline.tally, let day = baseline.lastDay {
      text +=
        " (\(NumberText.count(tally.successes)) of \(NumberText.count(tally.trials)) in the 28 days to \(CivilDate(day).text))"
    }
    if let perDay = baseline.exposuresPerDay {
      text += ", \(NumberText.threeDigits(perDay)) exposures a day"
      if baseline.countedShare < 0.995 { text += ", \(NumberText.percent(baseline.countedShare)) of them counted" }
    }
    return text
  }

  private static func aim(_ plan: ExperimentPlan) -> String {
    let question = plan.question
    let with =
      "with \(fixed(question.power * 100, 0))\u{A0}% power at \(NumberText.threeDigits(question.alpha * 100))\u{A0}% error, "
      + "\(question.variants) messages"
    if plan.isReverse {
      let size =
        question.users.map { NumberText.counted($0, "user") + " a message" }
        ?? question.days.map { NumberText.counted($0, "day") } ?? ""
      return "what \(size) can find, \(with)"
    }
    let effect = question.effect ?? 0
    let to = plan.changedRate.map { ": \(NumberText.percent(plan.baseline.rate)) to \(NumberText.percent($0))" } ?? ""
    let relative =
      plan.baseline.rate > 0 ? " (\(NumberText.threeDigits(effect / plan.baseline.rate * 100))\u{A0}% of it)" : ""
    return "to find \(fixed(effect * 100, 2)) points\(relative)\(to), \(with)"
  }

  private static func table(_ plan: ExperimentPlan, _ style: TextStyle) -> Table {
    func count(_ title: String, _ value: @escaping (ExperimentPlan.PlanRow) -> Int?) -> TableColumn<
      ExperimentPlan.PlanRow
    > {
      TableColumn(title) { TableCell(value($0).map { NumberText.count($0) } ?? style.unknown) }
    }
    func points(_ title: String, _ value: @escaping (ExperimentPlan.PlanRow) -> Double?) -> TableColumn<
      ExperimentPlan.PlanRow
    > {
      TableColumn(title) { TableCell(value($0).map { ComparisonWords.points($0) } ?? style.unknown) }
    }
    var columns = [
      count("users a message", \.usersPerVariant), count("all users", \.users), count("days", \.days),
      TableColumn("× one look") { TableCell(fixed($0.inflation, 2)) },
    ]
    if plan.isReverse {
      columns += [points("finds up", \.detectableUp), points("finds down") { $0.detectableDown.map { -$0 } }]
    }
    return Table("decided by", plan.rows, columns) { row in
      switch row.design {
      case .oneLook: "one look at the end"
      case .looks(let count): count == 1 ? "1 declared look" : "\(count) declared looks"
      case .alwaysValid: "always valid"
      }
    }
  }
}
