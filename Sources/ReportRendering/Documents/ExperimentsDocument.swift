// The experiments of a log as a document: for each the messages and users, the verdict of the comparison, and the checks.

import PermissionAnalysis
import PermissionEvents

package enum ExperimentsDocument {
  package static func render(
    _ list: ExperimentList, _ form: Document.Form, _ style: TextStyle = TextStyle()
  ) -> [UInt8] {
    let style = style.of(form)
    let title = "Experiments" + (list.permission.map { " of " + RowNames(form).title($0) } ?? "")
    guard let asOf = list.asOf else {
      return Document.ofEmptyLog(title, "there are no experiments yet", style, leftOut: list.leftOutUsers).render(
        form, style)
    }
    let moment = "as of \(NumberText.moment(asOf, list.zone)), \(list.timeZone)"
    var document = Document(
      title: title,
      head: [.words(moment + ComparisonWords.notes(list.age, leftOut: list.leftOutUsers)), .paragraph(summary(list))])
    if form == .html, list.experiments.contains(where: { $0.comparison != nil }) { document.head.append(.note(legend)) }
    let isBrief = { (experiment: ExperimentSummary) in experiment.notCompared == .tooManyExperiments }
    let brief = list.experiments.filter(isBrief)
    if !brief.isEmpty {
      var names: [String] = []
      for experiment in brief where names.last != experiment.experiment { names.append(experiment.experiment) }
      document.head.append(
        .paragraph(
          "\(NumberText.count(brief.count)) more are not compared here: \(listed(names.map { style.legible($0) }, most: 12)). "
            + "Compare one by its name\(style.words(.compareAllExperiments))."))
    }
    document.sections = list.experiments.filter { !isBrief($0) }.enumerated().map { number, experiment in
      section(experiment, list, id: "experiment\(number)", form, style)
    }
    if document.sections.count > 1 { document.contents = document.sections }
    let winners = winners(list, style).map { Block.paragraph($0) }
    if !winners.isEmpty {
      document.sections.append(Section("winners", "Winners that may be false", short: "False winners", winners))
    }
    return document.render(form, style)
  }

  private static let legend =
    "In the charts: the difference in points of all users up to each finished day, with the interval of the rule that "
    + "decides (shaded) and the always-valid one (dashed)."

  private static func summary(_ list: ExperimentList) -> String {
    guard !list.experiments.isEmpty else {
      return
        "No screen, and no Settings prompt after a denial as first answer, names an experiment\(list.permission == nil ? "" : " for this permission"). Messages without an "
        + "experiment can still be compared."
    }
    let running = list.experiments.count(where: \.isRunning)
    return
      "\(NumberText.counted(list.experiments.count, "experiment")), \(NumberText.count(running)) running (exposures "
      + "in the last \(ExperimentList.runningDays)\u{A0}days). Decisions are those of a comparison with default options"
      + (isDeclared(list) ? " and the declared split." : ".")
  }

  private static func isDeclared(_ list: ExperimentList) -> Bool {
    list.experiments.contains { $0.comparison?.pairs.first?.sampleRatio?.isDeclared == true }
  }

  // MARK: Of many winners some are false

  /// At most this many of some comparisons, on average: `0.6` of 12.
  private static func expected(_ count: Int) -> String {
    var text = fixed(WinnersCheck.level * Double(count), 2)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Empty without a winner.
  private static func winners(_ list: ExperimentList, _ style: TextStyle) -> [String] {
    let check = list.winnersCheck
    guard check.comparisons > 1, !check.winners.isEmpty else { return [] }
    let level = "\(fixed(WinnersCheck.level * 100, 0))\u{A0}%"
    func name(_ winner: WinnersCheck.Winner) -> String {
      let experiment = list.experiments[winner.experiment]
      let pairs = experiment.comparison?.pairs ?? []
      let message = pairs.count > 1 ? ": " + style.legible(pairs[winner.pair].b.variant) : ""
      return "\(style.legible(experiment.experiment)) (\(experiment.permission)\(message))"
    }
    let lost = check.winners.filter { !$0.isKept }
    let kept = NumberText.counted(check.kept, "winner")
    var sentences: [String] = []
    if check.kept > 0 {
      sentences.append(
        "Of \(kept)\(lost.isEmpty ? "" : " that hold among all comparisons of the list") expect at most "
          + "\(expected(check.kept)) to be false: a false discovery rate of \(level), "
          + "by Benjamini and Hochberg over \(NumberText.counted(check.comparisons, "comparison")).")
    }
    if !lost.isEmpty {
      let tests = NumberText.counted(check.comparisons, "comparison")
      sentences.append(
        "\(NumberText.counted(lost.count, "winner")) \(lost.count == 1 ? "does" : "do") not hold among \(tests): "
          + "\(listed(lost.map(name), most: 12)). Without any difference, \(tests) have up to "
          + "\(expected(check.comparisons)) winners by chance. Repeat the test before you rely on "
          + "\(lost.count == 1 ? "it" : "one").")
    }
    return sentences
  }

  private static func section(
    _ experiment: ExperimentSummary, _ list: ExperimentList, id: String, _ form: Document.Form, _ style: TextStyle
  ) -> Section {
    let prompts = experiment.screen == .settings ? ", Settings prompts" : ""
    let title = "\(experiment.experiment), \(RowNames(form).title(experiment.permission))\(prompts)"
    // The line of the title is cut if it is too long.
    let isCut = form == .text && DisplayWidth.of(style.legible("── " + title + " ")) > style.width
    let names: [Fact] =
      isCut ? [Fact("experiment", experiment.experiment), Fact("permission", experiment.permission + prompts)] : []
    let pairs = experiment.comparison?.pairs ?? []
    var blocks = pairs.flatMap { verdict($0, of: experiment, isAlone: pairs.count == 1, form, style) }
    if pairs.count > 1, let set = experiment.comparison {
      let overall = OverallVerdict(set)
      blocks.insert(.strong(overall.sentence), at: 0)
    }
    if pairs.isEmpty { blocks.append(.paragraph(notCompared(experiment))) }
    if let caution = RowNames.caution(experiment.permission) { blocks.append(.caution(caution, .exclamation)) }
    let found = experiment.comparison.map { [checks($0, style)] } ?? []
    blocks.append(.facts(names + who(experiment) + found, width: 12))
    if let set = experiment.comparison {
      blocks.append(.drawing { SequenceChart.figures(set.pairs, height: 164, on: &$0) })
    }
    return Section(id, title, short: title, blocks)
  }

  // MARK: Who saw what

  private static func who(_ experiment: ExperimentSummary) -> [Fact] {
    let days = (first: CivilDate(experiment.firstExposure).text, last: CivilDate(experiment.lastExposure).text)
    var messages = experiment.messages.enumerated().map { number, message in
      let isControl = number == 0 && experiment.messages.count > 1
      return "\(message.variant)\(isControl ? " (the control)" : "") \(NumberText.count(message.exposed))"
    }.joined(separator: ", ")
    if experiment.withoutMessage > 0 {
      messages += "\(messages.isEmpty ? "" : "; ")without a message \(NumberText.count(experiment.withoutMessage))"
    }
    if experiment.isByAssignment { messages += "; by assignment, since no screen names a message" }
    return [
      Fact(experiment.isRunning ? "running" : "ended", "exposures from \(days.first) to \(days.last)"),
      Fact("users", messages),
    ]
  }

  private static func notCompared(_ experiment: ExperimentSummary) -> String {
    switch experiment.notCompared {
    case .noMessage:
      "No message: no \(experiment.screen == .settings ? "Settings prompt" : "screen") of it names a message."
    case .oneMessage: "Only one message, so there is no comparison."
    case .tooManyMessages:
      "Too many messages to compare: \(NumberText.count(experiment.messages.count)), and a comparison takes at most "
        + "\(ComparisonQuestion.mostVariants)."
    case .noAnswers: "No answers: the log has no granted or denied events of this permission, so no rate is known."
    case .noReturns: "The log does not show who turns the permission on later, so no rate is known."
    // Listed together, above.
    case .tooManyExperiments, nil: ""
    }
  }

  // MARK: What follows

  private static func verdict(
    _ c: Comparison, of experiment: ExperimentSummary, isAlone: Bool, _ form: Document.Form, _ style: TextStyle
  ) -> [Block] {
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    let reason = c.reasonSentences(saying: style.words).first.map { Block.paragraph(Sentence.held($0), indent: 2) }
    let words = name + ComparisonWords.verdict(c)
    let verdict = form == .html ? Block.verdict(words, VerdictKind(c.decision)) : .strong(words)
    return [verdict, .headline(ComparisonWords.rates(c, style))] + [reason].compactMap { $0 }
  }

  private static func checks(_ set: ComparisonSet, _ style: TextStyle) -> Fact {
    guard let first = set.pairs.first else { return Fact("checks", style.unknown) }
    var parts: [String] = []
    let isDeclared = first.sampleRatio?.isDeclared == true
    if let day = first.sampleRatio?.sequential.firstAlarm {
      let misfit = isDeclared ? "not as planned" : "off the assumed even split"
      parts.append("sample ratio \(misfit) since \(CivilDate(day).text)")
    } else if ComparisonChecks.isRatioChecked(first) {
      parts.append("sample ratio \(isDeclared ? "as planned" : "even, as assumed")")
    } else {
      parts.append("sample ratio not checked yet")
    }
    let isContaminated = (first.contamination?.share ?? 0) >= Comparison.Contamination.invalidShare
    parts.append("saw several messages \(first.contamination?.share.map { NumberText.percent($0) } ?? style.unknown)")
    parts.append("pending \(Pending(set).share.map { NumberText.percent($0) } ?? style.unknown)")
    let isAlarm = isContaminated || first.sampleRatio?.invalidSince != nil
    return Fact("checks", parts.joined(separator: ", "), isAlarm: isAlarm)
  }
}

// MARK: A plan as a document: the effect to find, then the users and days of each way of deciding

package enum PlanDocument {
  /// - Parameters:
  ///   - permission: named in the first line; nil for a plan without one.
  ///   - experiment: not in the log yet, so the baseline is of all screens. Nil if it is in the log, or if none was named.
  ///   - saved: the file of the saved plan, and the plan.
  package static func render(
    _ plan: ExperimentPlan, permission: String?, allScreensFor experiment: String? = nil, leftOut users: Int? = nil,
    saved: (path: String, plan: SavedPlan)? = nil, _ style: TextStyle
  ) -> [UInt8] {
    let name = permission.map { $0 + ": " } ?? ""
    var blocks = blocks(plan, experiment, users, style, isSaved: saved != nil)
    if let saved {
      blocks += ending(saved.path, saved.plan, style.words)
    } else if plan.refused == nil, !plan.isReverse {
      blocks.append(.paragraph(advice(plan, style.words)))
    }
    return Document(
      title: name + "a plan for \(plan.question.metric.noun(plan.question.followUp))",
      sections: [.untitled(blocks)]
    )
    .render(.text, style)
  }

  private static func blocks(
    _ plan: ExperimentPlan, _ experiment: String?, _ leftOut: Int?, _ style: TextStyle, isSaved: Bool
  ) -> [Block] {
    var head: [Block] = [.paragraph(start(plan.baseline))]
    if let sentence = ComparisonWords.leftOut(leftOut) { head.append(.paragraph(sentence + ".")) }
    if let experiment {
      let screen = plan.question.screen == .settings ? "Settings prompt" : "screen"
      head.append(
        .paragraph("The log has no \(screen) of \(style.legible(experiment)) yet: all \(screen)s are counted."))
    }
    head += [.gap, .paragraph(aim(plan)), .gap]
    if let refused = plan.refused { return head + [.paragraph(refused.sentence)] }
    var blocks = head + [.table(table(plan, style, isSaved: isSaved)), .gap]
    if !plan.isReverse { blocks += [.paragraph(roll(plan, style.words)), .gap] }
    if plan.daysToMature > 0 {
      let days = NumberText.counted(plan.daysToMature, "day")
      blocks.append(.paragraph("The last users are counted \(days) after their exposure: add these to the days."))
    }
    return blocks
  }

  private static func ending(_ path: String, _ plan: SavedPlan, _ words: RemedyWords) -> [Block] {
    let on = CivilDate(floorDivide(plan.savedAt, millisecondsPerDay)).text
    return [
      .paragraph(
        "Saved on \(on): \(NumberText.count(plan.plannedUsers)) planned users of two messages together, at an even split. "
          + "It counts as made beforehand if no users have seen the messages before this day. Compare with:"),
      .command(words(.compareWithPlan(path: path, variants: plan.variants))),
    ]
  }

  /// The options to give to a comparison. Its planned number is of the two messages of a pair, however many messages there are.
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
    let others =
      ways.isEmpty
      ? ""
      : " Other ways: \(ways.joined(separator: ", ")); numbers of users are of two "
        + "messages together."
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

  /// How many users to test before the better message goes to all the users of a year.
  private static func roll(_ plan: ExperimentPlan, _ words: RemedyWords) -> String {
    func refused(_ why: String) -> String { "Test & Roll: no answer, because \(why)." }
    // First what no number of the reader's changes.
    guard plan.question.variants == 2 else { return refused("it is for two messages") }
    guard plan.question.ratios == [1, 1] else { return refused("it is for an even split") }
    guard let deviation = plan.question.effectDeviation else {
      return
        "Test & Roll needs to know how far apart such messages are: three decided tests in the log\(words(.effectDeviation))."
    }
    let source = plan.question.pastTests.map { "as in your \($0) decided tests" } ?? "as given"
    let apart = "messages \(Sentence.size(deviation)) apart (standard deviation, \(source))"
    guard let roll = plan.roll else {
      let rate = plan.baseline.rate
      return refused(
        plan.baseline.exposuresPerDay == nil
          ? "the exposures a day are unknown"
          : rate > 0 && rate < 1
            ? "the exposures are too many" : "all users do the same at a rate of \(NumberText.percent(rate))")
    }
    func grants(_ value: Double) -> String { value < 9.95 ? fixed(value, 1) : NumberText.count(Int(value.rounded())) }
    return Sentence.held(
      "Test & Roll: test \(NumberText.counted(roll.users, "user")) of each message (\(ComparisonWords.duration(roll.days))), then show the better one "
        + "to all. Of \(NumberText.count(roll.usersAYear)) new users a year that gains about \(grants(roll.gain)) \(plan.question.metric.successes); "
        + "a test of one look's size gains \(grants(roll.gainOfOneLook)). For \(apart).")
  }

  /// - Parameter isSaved: whether the plan is saved, so that its row is the one that counts.
  private static func table(_ plan: ExperimentPlan, _ style: TextStyle, isSaved: Bool) -> Table {
    typealias Column = TableColumn<ExperimentPlan.PlanRow>
    func count(_ title: String, _ value: @escaping (ExperimentPlan.PlanRow) -> Int?) -> Column {
      Column(title) { TableCell(value($0).map { NumberText.count($0) } ?? style.unknown) }
    }
    func points(_ title: String, _ value: @escaping (ExperimentPlan.PlanRow) -> Double?) -> Column {
      Column(title) { TableCell(value($0).map { Sentence.points($0) } ?? style.unknown) }
    }
    let each = Column("users a message") { row in
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
        if plan.isReverse {
          isPlanned ? "daily, with a plan" : "daily, without one"
        } else {
          (isPlanned == isSaved ? "yours: daily" : "daily looks")
            + (isPlanned ? ", with this plan" : ", without a plan")
        }
      }
    }
  }
}
