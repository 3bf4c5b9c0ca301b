// A plan as a document: what is to be found, then what each way of deciding takes.

import PermissionAnalysis
import PermissionEvents

package enum PlanDocument {
  /// - Parameters:
  ///   - permission: named in the first line; nil for a plan of none.
  ///   - experiment: not in the log yet, so that the baseline is of all screens; nil if it is, or none was asked for.
  ///   - saved: the file that the plan was saved to, and what it holds.
  package static func render(
    _ plan: ExperimentPlan, permission: String?, allScreensFor experiment: String? = nil,
    saved: (path: String, plan: SavedPlan)? = nil, _ style: TextStyle
  ) -> [UInt8] {
    let name = permission.map { $0 + ": " } ?? ""
    var blocks = blocks(plan, experiment, style)
    if let saved {
      blocks += ending(saved.path, saved.plan, style.words)
    } else if plan.refused == nil, !plan.isReverse {
      blocks.append(.paragraph(advice(plan, style.words)))
    }
    return Document(
      title: name + "a plan for the \(plan.question.metric.title(plan.question.followUp))",
      sections: [.untitled(blocks)]
    )
    .render(.text, style)
  }

  private static func blocks(_ plan: ExperimentPlan, _ experiment: String?, _ style: TextStyle) -> [Block] {
    var head: [Block] = [.paragraph(start(plan.baseline))]
    if let experiment {
      head.append(.paragraph("The log has no screen of \(style.legible(experiment)) yet: all screens are counted."))
    }
    head += [.gap, .paragraph(aim(plan)), .gap]
    if let refused = plan.refused { return head + [.paragraph(refused.sentence)] }
    var blocks = head + [.table(table(plan, style)), .gap]
    if plan.daysToMature > 0 {
      let days = NumberText.counted(plan.daysToMature, "day")
      blocks.append(.paragraph("The last users are counted \(days) after their exposure: add these to the days."))
    }
    return blocks
  }

  /// What was saved, and how to go on.
  private static func ending(_ path: String, _ plan: SavedPlan, _ words: RemedyWords) -> [Block] {
    let on = CivilDate(floorDivide(plan.savedAt, millisecondsPerDay)).text
    return [
      .paragraph(
        "Saved on \(on): \(NumberText.count(plan.plannedUsers)) planned users of two messages together, at an even split. "
          + "It counts as made beforehand if nobody has seen the messages before this day. Compare with:"),
      .command(words(.compareWithPlan(path: path, variants: plan.variants))),
    ]
  }

  /// What a comparison is to be told. Its planned number is that of the two messages of a pair, however many there are.
  private static func advice(_ plan: ExperimentPlan, _ words: RemedyWords) -> String {
    let ways = plan.rows.compactMap { row -> String? in
      guard let users = row.usersPerVariant?.multipliedReportingOverflow(by: 2), !users.overflow else { return nil }
      switch row.design {
      case .alwaysValid:
        return words(.compareAsPlanned(users: users.partialValue, looks: nil)) + " for the always-valid sequence"
      case .looks(let count):
        return words(.compareAsPlanned(users: users.partialValue, looks: count)) + " for the declared looks"
      case .oneLook, .daily: return nil
      }
    }
    let others = ways.isEmpty ? "" : " Other ways: \(ways.joined(separator: ", ")); the users of two messages together."
    return "Before the first exposure, \(words(.savePlan)): daily looks then take fewer users." + others
  }

  private static func start(_ baseline: PlanBaseline) -> String {
    let of = baseline.message.map { " of " + $0 } ?? baseline.tally.map { _ in " of all messages" } ?? ""
    var text = "baseline \(NumberText.percent(baseline.rate))\(of)"
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
    let split = question.split.flatMap { Set($0).count > 1 ? $0.map { NumberText.threeDigits($0) } : nil }
    let with =
      "with \(fixed(question.power * 100, 0))\u{A0}% power at \(NumberText.threeDigits(question.alpha * 100))\u{A0}% error, "
      + "\(question.variants) messages" + (split.map { " divided " + $0.joined(separator: ":") } ?? "")
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
    let each = TableColumn<ExperimentPlan.PlanRow>("users a message") { row in
      let counts = Set(row.usersByVariant).count == 1 ? Array(row.usersByVariant.prefix(1)) : row.usersByVariant
      return TableCell(counts.isEmpty ? style.unknown : counts.map { NumberText.count($0) }.joined(separator: " : "))
    }
    var columns = [
      each, count("all users", \.users), count("days", \.days),
      TableColumn("× one look") { TableCell(fixed($0.inflation, 2)) },
    ]
    if plan.isReverse {
      columns += [points("finds up", \.detectableUp), points("finds down") { $0.detectableDown.map { -$0 } }]
    }
    return Table("decided by", plan.rows, columns) { row in
      switch row.design {
      // Two columns more leave less room.
      case .oneLook: plan.isReverse ? "one look" : "one look at the end"
      case .looks(let count): count == 1 ? "1 declared look" : "\(count) declared looks"
      case .alwaysValid: "always valid"
      case .daily(let isPlanned):
        isPlanned
          ? plan.isReverse ? "daily, with a plan" : "daily looks, with this plan"
          : plan.isReverse ? "daily, without one" : "daily looks, without a plan"
      }
    }
  }
}
