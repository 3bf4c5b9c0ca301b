// The comparison as a document: its subject, the verdict of each pair, then the numbers behind it.

import PermissionAnalysis
import PermissionEvents

package enum ComparisonDocument {
  /// - Parameters:
  ///   - isExplained: with the method, formula and source of each number at the end.
  ///   - isFull: a text has the numbers, too, and not the answer alone. The other forms always have them.
  package static func render(
    _ set: ComparisonSet, _ form: Document.Form, _ style: TextStyle = TextStyle(), isExplained: Bool = false,
    isFull: Bool = true
  ) -> [UInt8] {
    let style = style.of(form)
    guard let first = set.pairs.first else { return [] }
    let caution = RowNames.caution(first.permission).map { Block.caution($0, .none) }
    let overall = OverallVerdict(set)
    let verdict = Block.verdict(overall.sentence, VerdictKind(overall.decision))
    func page(_ sections: [Section]) -> [UInt8] {
      Document(
        title: ComparisonWords.title(set, RowNames(form)),
        head: [.words(ComparisonWords.place(first) + ComparisonWords.notes(set.age, leftOut: set.leftOutUsers))]
          + (caution.map { [$0] } ?? []),
        sections: sections
      ).render(form, style)
    }
    guard isFull || isExplained || form != .text else {
      return firstScreen { page(answer(set, verdict, form, style, $0) + [seeMore(style)]) }
    }
    var sections = answer(set, verdict, form, style, Parts()) + numbers(set, style, isExplained: isExplained)
    // Whoever scrolls to the end finds the answer there too.
    if form == .text { sections.append(.untitled([.gap, verdict])) }
    return page(sections)
  }

  /// What an answer may leave out to fit on a screen. The verdict, the size, the rates and all cautions it never does.
  private struct Parts {
    var hasDrawing = true
    /// Most reasons of each pair.
    var reasons = Int.max
    /// A reason that says what the line of the size says.
    var repeats = true
  }

  /// The fullest answer that is not higher than a screen.
  private static func firstScreen(_ page: (Parts) -> [UInt8]) -> [UInt8] {
    let all = [(true, Int.max), (false, .max), (false, 3), (false, 2), (true, 1), (false, 1), (false, 0)].map {
      Parts(hasDrawing: $0.0, reasons: $0.1, repeats: false)
    }
    let fitting = all.lazy.map(page).first { $0.count { $0 == 0x0A } <= SummaryScreen.height }
    return fitting ?? page(Parts(hasDrawing: false, reasons: 0, repeats: false))
  }

  private static func seeMore(_ style: TextStyle) -> Section {
    let way = style.words(.seeMoreOfComparison)
    return .untitled(way.isEmpty ? [] : [.paragraph(way)])
  }

  private static func answer(
    _ set: ComparisonSet, _ verdict: Block, _ form: Document.Form, _ style: TextStyle, _ parts: Parts
  ) -> [Section] {
    // Nothing is promised of a test that went wrong.
    let isInvalid = set.pairs.allSatisfy { $0.decision == .invalid }
    let bound = isInvalid ? [] : [Block.note(Sentence.held(ComparisonWords.errorBound(set)))]
    let reasons = shared(set) { $0.reasonSentences(saying: style.words) }
    let cautions = shared(set) { $0.cautionSentences(saying: style.words) }
    let isAlone = set.pairs.count == 1
    var blocks: [Block] = form == .text ? [.gap, verdict] : []
    if form != .text, !isAlone { blocks.append(verdict) }
    blocks += reasons.map { .paragraph($0, indent: 2) }
    for pair in set.pairs {
      let rates = Block.headline(ComparisonWords.rates(pair, style))
      let size = ComparisonWords.size(pair).map { [Block.paragraph($0, indent: 0)] } ?? []
      if isAlone {
        blocks +=
          form == .text ? size + [rates] : pair.decision == .invalid ? [verdict, rates] : [rates, verdict] + size
      } else {
        let words = "\(pair.versus): \(ComparisonWords.verdict(pair))"
        blocks += [.gap, form == .html ? .verdict(words, VerdictKind(pair.decision)) : .strong(words)] + size + [rates]
      }
      let own = zip(pair.reasons, pair.reasonSentences(saying: style.words)).filter {
        if case .notCrossed = $0.0 { parts.repeats || size.isEmpty } else { true }
      }
      blocks += own.prefix(parts.reasons).map { Sentence.held($0.1) }
        .filter { !reasons.contains($0) }.map { .paragraph($0, indent: 2) }
      if parts.reasons > 0, let price = pair.priceSentence {
        blocks.append(.paragraph(Sentence.held(price), indent: 2))
      }
      blocks += pair.cautionSentences(saying: style.words).map { Sentence.held($0) }
        .filter { !cautions.contains($0) }.map { .caution($0, .note) }
    }
    if !isAlone { blocks.append(.gap) }
    blocks += cautions.map { .caution($0, .note) }
    blocks.append(.paragraph(ComparisonChecks.summary(set), indent: 2))
    let drawings = parts.hasDrawing ? drawings(set, style) : []
    guard form == .html else { return [.untitled(blocks + drawings + [.gap] + bound)] }
    return [Section("verdict", "Verdict", blocks + bound + [.drawing { intervals(set, on: &$0) }]), days(set)]
  }

  /// The sentences common to all of several pairs. They are printed once.
  private static func shared(_ set: ComparisonSet, _ sentences: (Comparison) -> [String]) -> [String] {
    guard let first = set.pairs.first, set.pairs.count > 1 else { return [] }
    return sentences(first).filter { sentence in
      set.pairs.allSatisfy { pair in sentences(pair).contains { $0.utf8.elementsEqual(sentence.utf8) } }
    }.map { Sentence.held($0) }
  }

  private static func numbers(_ set: ComparisonSet, _ style: TextStyle, isExplained: Bool) -> [Section] {
    var sections = [ComparisonTables.arms(set, style)] + ComparisonChecks.shared(set)
    for (index, pair) in set.pairs.enumerated() {
      let title = set.pairs.count == 1 ? "" : ": \(pair.versus)"
      sections += [ComparisonNumbers.section(pair, title, style.words), ComparisonChecks.section(pair, title, style)]
      sections += ComparisonTables.others(pair, title, style, isIntroduced: index == 0)
      if let segments = ComparisonTables.segments(pair, title, style) { sections.append(segments) }
    }
    if isExplained { sections.append(ComparisonExplanation.section(set, style)) }
    for i in sections.indices {
      sections[i].id = "part\(i)"
      sections[i].isFolded = sections[i].heading == .everywhere
    }
    return sections
  }

  private static func drawings(_ set: ComparisonSet, _ style: TextStyle) -> [Block] {
    let headlines = set.pairs.filter { $0.decision != .invalid }.compactMap(\.headline)
    guard let effect = set.pairs.first?.needed.minimumEffect, !headlines.isEmpty else { return [] }
    let drawing = IntervalDrawing(style, headlines + set.pairs.compactMap { .init(fading: $0) }, effect: effect)
    var blocks: [Block] = [.gap]
    for pair in set.pairs where pair.decision != .invalid {
      guard let headline = pair.headline else { continue }
      let name = set.pairs.count == 1 ? "" : pair.b.variant + ", "
      let range = ComparisonWords.range(headline.low, headline.high)
      blocks += [
        .ruler(drawing.line(headline)),
        .paragraph("\(name)\(ComparisonWords.headline(pair)): \(range) points", indent: 2),
      ]
      guard let recent = Comparison.Headline(fading: pair) else { continue }
      blocks += [
        .ruler(drawing.line(recent)),
        .paragraph(
          "\(name)the last \(Comparison.recentDays) days alone, for one look: \(ComparisonWords.range(recent.low, recent.high)) points",
          indent: 2),
      ]
    }
    return blocks + [.paragraph(drawing.legend, indent: 2)]
  }

  // MARK: On a page

  private static func intervals(_ set: ComparisonSet, on page: inout Markup) {
    // Nothing can be concluded from the numbers of an invalid test, so there is nothing to draw.
    let pairs = set.pairs.filter { $0.headline != nil && $0.decision != .invalid }
    guard !pairs.isEmpty else { return }
    page.element("figure", ["class": "large"]) { page in
      page.element("h3", text: "The difference and its interval")
      page.broadFigure { IntervalChart.draw(pairs, width: $1, on: &$0) }
      page.numbers(
        IntervalChart.table(pairs), "Difference in points against \(set.pairs.first?.a.variant ?? "")")
    }
  }

  private static func days(_ set: ComparisonSet) -> Section {
    let isDeclared = set.pairs.contains { $0.monitoring.declared != nil }
    let looks = isDeclared ? " Squares: the declared looks; filled if the bound was crossed." : ""
    let words =
      "The difference of all users with a known outcome at the end of each finished day, with the interval of the rule that "
      + "decides; the upright line is the day of the decision. Dashed: the always-valid interval. Both are valid on "
      + "all days together, so you may read them every day. Shaded: differences too small to matter."
      + (set.pairs.count > 1 ? " All charts have the same axes." : "") + looks
      + (VersionMarks.marked(set.versions).isEmpty ? "" : VersionMarks.words)
    let charts = Block.drawing { page in
      SequenceChart.figures(set.pairs, set.versions, isLarge: set.pairs.count == 1, on: &page)
      VersionMarks.table(set.versions, on: &page)
    }
    return Section("days", "Day by day", [.words(words), charts])
  }
}

extension Comparison.Headline {
  /// What a fading effect has come to; nil if it does not fade.
  fileprivate init?(fading pair: Comparison) {
    let isFading = pair.reasons.contains { if case .fading = $0 { true } else { false } }
    guard isFading, let recent = pair.novelty.recent, let low = recent.low, let high = recent.high else { return nil }
    self.init(kind: .oneLook, day: nil, value: recent.value, low: low, high: high)
  }
}

// MARK: What the comparisons of several messages with one control come to together, in a line

struct OverallVerdict {
  /// In a line; of one pair its own verdict.
  let sentence: String
  /// Messages that won: all that won against the control, or the control if it won against all others.
  let winners: [String]
  /// The overall decision: of the worst pair if a person has to look, else of the best.
  let decision: Comparison.Decision

  init(_ set: ComparisonSet) {
    func names(_ decision: Comparison.Decision) -> [String] {
      set.pairs.filter { $0.decision == decision }.map(\.b.variant)
    }
    let control = set.arms.first?.variant ?? ""
    let better = names(.bWins)
    let isControlBest = !set.pairs.isEmpty && set.pairs.allSatisfy { $0.decision == .aWins }
    winners = isControlBest ? [control] : better
    let decisions = Set(set.pairs.map(\.decision))
    decision =
      Self.order.first { decisions.contains($0) && ($0 != .aWins || isControlBest) } ?? .keepRunning
    guard set.pairs.count > 1 else {
      sentence = set.pairs.first.map(ComparisonWords.verdict) ?? ""
      return
    }
    let isOfMessages = set.pairs[0].isOfMessages
    if isOfMessages, decisions.count == 1, let only = decisions.first {
      // Of a test that has ended all pairs have ended.
      let ended = only == .stopOutOfReach && set.pairs.allSatisfy { $0.endedOn != nil }
      sentence = ended ? ComparisonWords.verdict(set.pairs[0]) : Self.alike(only, control, set.pairs.map(\.b.variant))
      return
    }
    let parts = Self.order.compactMap { decision -> String? in
      let names = names(decision)
      return names.isEmpty ? nil : Self.part(decision, Self.list(names), isOne: names.count == 1, control)
    }
    guard isOfMessages else {
      sentence = "By \(set.pairs[0].comparedProperty.name): \(parts.joined(separator: "; "))."
      return
    }
    sentence =
      parts.joined(separator: "; ") + ": "
      + Self.advice(
        better, control, isOpen: !decisions.isDisjoint(with: [.keepRunning, .tooEarly]),
        needsLook: decision == .invalid || decision == .review) + "."
  }

  /// The most telling first.
  private static let order: [Comparison.Decision] = [
    .invalid, .review, .bWins, .aWins, .keepRunning, .tooEarly, .differs, .notClear, .stopOutOfReach, .noDifference,
  ]

  private static func alike(_ decision: Comparison.Decision, _ control: String, _ others: [String]) -> String {
    switch decision {
    case .invalid: "INVALID: nothing can be concluded from these numbers."
    case .review: "REVIEW: \(list(others)) are decided, but look at the reasons first."
    case .bWins:
      "\(list(others)) WON against \(control): take one of them; they are not compared with each other."
    case .aWins: "\(control) WON against \(list(others)): keep \(control)."
    case .noDifference: "NO DIFFERENCE that matters between \(control) and \(list(others)): take any."
    case .keepRunning: "KEEP RUNNING: nothing is decided yet."
    case .stopOutOfReach: "STOP: nothing was found, and going on is not expected to find what matters."
    case .tooEarly: "TOO EARLY to decide."
    case .differs, .notClear: part(decision, list(others), isOne: others.count == 1, control) + "."
    }
  }

  private static func part(_ decision: Comparison.Decision, _ names: String, isOne: Bool, _ control: String) -> String {
    switch decision {
    case .invalid: "INVALID for \(names)"
    case .review: "REVIEW \(names)"
    case .bWins: "\(names) WON against \(control)"
    case .aWins: "\(control) WON against \(names)"
    case .noDifference: "NO DIFFERENCE that matters between \(control) and \(names)"
    case .keepRunning: "\(names) \(isOne ? "is" : "are") not decided yet"
    case .stopOutOfReach: "STOP \(names): nothing was found"
    case .tooEarly: "TOO EARLY for \(names)"
    case .differs: "\(names) \(isOne ? "DIFFERS" : "DIFFER") from \(control)"
    case .notClear: "NOT CLEAR YET for \(names)"
    }
  }

  private static func advice(_ better: [String], _ control: String, isOpen: Bool, needsLook: Bool) -> String {
    if needsLook { return "look at the reasons first" }
    guard let first = better.first else { return isOpen ? "keep running" : "keep \(control)" }
    let take = better.count == 1 ? "take \(first)" : "take one of the winners"
    return isOpen ? "\(take), or keep running" : take
  }

  /// A long list is cut: the line is to be read at a glance.
  private static func list(_ names: [String]) -> String {
    let most = 4
    guard names.count > most else { return Sentence.list(names) }
    return Sentence.list(Array(names.prefix(most - 1)) + ["\(names.count - most + 1) more"])
  }
}

// MARK: The interval of a comparison in text

/// One interval drawn with signs, against zero and the smallest effect that matters.
struct IntervalDrawing {
  private let style: TextStyle
  private let effect: Double
  /// How far to both sides of zero all lines of a comparison reach.
  private let reach: Double
  private var columns: Int { min(style.width, 100) - 4 }

  init(_ style: TextStyle, _ headlines: [Comparison.Headline], effect: Double) {
    (self.style, self.effect) = (style, effect)
    let ends = headlines.flatMap { [abs(max(-1, $0.low)), abs(min(1, $0.high))] }
    reach = max(ends.max() ?? 0, effect, 1e-9) * 1.1
  }

  func line(_ headline: Comparison.Headline) -> String {
    let (low, high) = (max(-1, headline.low), min(1, headline.high))
    func column(_ value: Double) -> Int {
      let position = (value + reach) / (2 * reach) * Double(columns - 1)
      return min(columns - 1, max(0, Int(position.rounded())))
    }
    let signs = Array(style.isASCII ? "-[]|.o" : "─├┤│·●")
    var line = [Character](repeating: " ", count: columns)
    for i in column(low)...max(column(low), column(high)) { line[i] = signs[0] }
    for value in [-effect, effect] { line[column(value)] = line[column(value)] == " " ? signs[4] : ":" }
    for (value, sign) in [(low, signs[1]), (high, signs[2]), (0, signs[3]), (headline.value, signs[5])] {
      line[column(value)] = sign
    }
    return "  " + String(line)
  }

  var legend: String {
    let (point, zero, dot) = style.isASCII ? ("o", "|", ".") : ("●", "│", "·")
    return
      "\(point) difference in points, \(zero) zero, \(dot) smallest effect that matters (± \(fixed(effect * 100, 2)))"
  }
}
