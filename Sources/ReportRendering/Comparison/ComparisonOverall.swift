// What the comparisons of several messages with one control come to together, in a line.

import PermissionAnalysis

/// The verdict over all pairs of a comparison.
struct OverallVerdict {
  /// In a line; of one pair its own verdict.
  let sentence: String
  /// Messages that won: all that won against the control, or the control if it won against all others.
  let winners: [String]
  /// What it comes to: that of the worst pair if a person has to look, else of the best.
  let decision: Comparison.Decision
  let tone: TextTone

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
    tone = ComparisonWords.tone(decision)
    guard set.pairs.count > 1 else {
      sentence = set.pairs.first.map(ComparisonWords.verdict) ?? ""
      return
    }
    let isOfMessages = set.pairs[0].isOfMessages
    if isOfMessages, decisions.count == 1, let only = decisions.first {
      sentence = Self.alike(only, control, set.pairs.map(\.b.variant))
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
      + Self.advice(better, control, isOpen: !decisions.isDisjoint(with: Self.open), needsLook: tone == .bad) + "."
  }

  /// The most telling first.
  private static let order: [Comparison.Decision] =
    [
      .invalid, .review, .bWins, .aWins, .keepRunning, .tooEarly,
    ] + PropertyVerdict.order
  private static let open: Set<Comparison.Decision> = [.keepRunning, .tooEarly]

  /// If all pairs have the same decision.
  private static func alike(_ decision: Comparison.Decision, _ control: String, _ others: [String]) -> String {
    switch decision {
    case .invalid: "INVALID: nothing can be concluded from these numbers."
    case .review: "REVIEW: \(list(others)) are decided, but look at the reasons first."
    case .bWins:
      "\(list(others)) WON against \(control): take one of them; they are not compared with each other."
    case .aWins: "\(control) WON against \(list(others)): keep \(control)."
    case .noDifference: "NO DIFFERENCE that matters between \(control) and \(list(others)): take any."
    case .keepRunning: "KEEP RUNNING: nothing is decided yet."
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
