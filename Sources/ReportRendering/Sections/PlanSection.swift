// What is to be found, and what each way of deciding takes.

import PermissionAnalysis
import PermissionEvents

enum PlanSection {
  static func section(_ plan: ExperimentPlan, _ style: TextStyle) -> Section { .untitled(blocks(plan, style)) }

  private static func blocks(_ plan: ExperimentPlan, _ style: TextStyle) -> [Block] {
    let head: [Block] = [.paragraph(start(plan.baseline)), .gap, .paragraph(aim(plan)), .gap]
    if let refused = plan.refused { return head + [.paragraph(refused.sentence)] }
    var blocks = head + [.table(table(plan, style)), .gap]
    if plan.daysToMature > 0 {
      blocks.append(
        .paragraph(
          "The last users are counted \(NumberText.counted(plan.daysToMature, "day")) after their exposure: add them to the days."
        ))
    }
    if !plan.isReverse { blocks.append(.paragraph(command(plan, style.hints))) }
    return blocks
  }

  /// What to give to `compare`. Its planned number is that of the two messages of a pair, however many there are.
  private static func command(_ plan: ExperimentPlan, _ hints: HintWords) -> String {
    var ways: [String] = []
    for row in plan.rows {
      guard let users = row.usersPerVariant?.multipliedReportingOverflow(by: 2), !users.overflow else { continue }
      switch row.design {
      case .alwaysValid:
        ways.append(hints(.compareAsPlanned(users: users.partialValue, looks: nil)) + " to decide at any time")
      case .looks(let count):
        ways.append(hints(.compareAsPlanned(users: users.partialValue, looks: count)) + " for the declared looks")
      case .oneLook: break
      }
    }
    guard !ways.isEmpty else { return "" }
    return "Compare with \(ways.reversed().joined(separator: ", or ")): the users of two messages together."
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
    let titles = ["users a message", "all users", "days", "× one look"]
    var table = Table("decided by", titles + (plan.isReverse ? ["finds up", "finds down"] : []))
    for row in plan.rows {
      var cells = [row.usersPerVariant, row.users, row.days].map { number in
        TableCell(number.map { NumberText.count($0) } ?? style.unknown)
      }
      cells.append(TableCell(fixed(row.inflation, 2)))
      if plan.isReverse {
        cells.append(TableCell(row.detectableUp.map { ComparisonWords.points($0) } ?? style.unknown))
        cells.append(TableCell(row.detectableDown.map { ComparisonWords.points(-$0) } ?? style.unknown))
      }
      table.row(name(row.design), cells)
    }
    return table
  }

  private static func name(_ design: ExperimentPlan.Design) -> String {
    switch design {
    case .oneLook: "one look at the end"
    case .looks(let count): count == 1 ? "1 declared look" : "\(count) declared looks"
    case .alwaysValid: "always valid"
    }
  }
}
