// The sentences of a comparison: reasons, cautions, and why a figure is missing. JSON has them too.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  /// The sentences of `reasons`, in their order, in the words of the library.
  public var reasonSentences: [String] { reasonSentences { $0.advice } }

  /// The sentences of `cautions`, in their order, in the words of the library.
  public var cautionSentences: [String] { cautionSentences { $0.advice } }

  /// - Parameter words: for what is left to the program that shows them.
  package func reasonSentences(saying words: RemedyWords) -> [String] { reasons.map { sentence($0, words) } }

  /// - Parameter words: for what is left to the program that shows them.
  package func cautionSentences(saying words: RemedyWords) -> [String] { cautions.map { sentence($0, words) } }

  /// How many messages somebody saw who saw more than one.
  var manyMessages: String { familySize > 1 ? "several" : "both" }

  var direction: String { "for \(noun(metric)) \(metric.isGoodWhenHigh ? "higher is better" : "lower is better")" }
}

extension Comparison.AlwaysValidRefusal {
  /// - Parameter arm: what is compared, `message` or `value`.
  func sentence(_ arm: String) -> String {
    func few(_ variant: String, _ have: Int, _ noun: String, _ need: Int) -> String {
      "\(variant) has \(Sentence.counted(have, noun)); an always-valid statement needs \(need) for each \(arm)."
    }
    return switch self {
    case .fewUsers(let variant, let have, let need): few(variant, have, "user", need)
    case .fewEvents(let variant, let have, let need): few(variant, have, "event", need)
    case .fewNonEvents(let variant, let have, let need): few(variant, have, "non-event", need)
    case .noVariance: "The outcome does not vary for either \(arm)."
    }
  }
}

extension Comparison.NoveltyRefusal {
  /// - Parameter arm: what is compared, `message` or `value`.
  func sentence(_ arm: String) -> String {
    switch self {
    case .nobody: "A \(arm) has nobody."
    case .declined(let error): error.sentence
    }
  }
}

extension ExperimentPlan.PlanRefusal {
  /// The refusal in plain English.
  public var sentence: String {
    switch self {
    case .unknownTraffic: "How many exposures a day there are is not known."
    case .noSuchRate(let effect, let baseline):
      "No rate lies \(Sentence.size(effect)) from \(Sentence.percent(baseline)), up or down."
    }
  }
}

/// Numbers inside sentences.
enum Sentence {
  static let otherReading = "an earlier reading may have been another, also a decision."

  /// A share of 1 in percentage points, with its sign.
  static func points(_ value: Double) -> String { NumberText.signed(value * 100, 2) }

  /// `1.00 point`, `14.00 points`, without a sign.
  static func size(_ value: Double, _ decimals: Int = 2) -> String {
    let text = fixed(abs(value) * 100, decimals)
    return text + (fixed(1, decimals) == text ? " point" : " points")
  }

  /// `+1.20 to +3.40`; ends that are not known are left open.
  static func range(_ low: Double?, _ high: Double?) -> String {
    "\(low.map { points($0) } ?? "–") to \(high.map { points($0) } ?? "–")"
  }

  static func percent(_ value: Double) -> String { fixed(value * 100, 1) + " %" }

  static func counted(_ n: Int, _ noun: String) -> String { "\(grouped(n)) \(noun)\(n == 1 ? "" : "s")" }

  /// `700 : 500`, users by message.
  static func ratio(_ users: [Int]) -> String { users.map { grouped($0) }.joined(separator: " : ") }

  /// `a`, `a and b`, `a, b and c`.
  /// - Parameter most: names that are shown; of a longer list the rest is counted.
  static func list(_ names: [String], _ word: String = "and", most: Int = .max) -> String {
    if names.count > most {
      return names.prefix(most).joined(separator: ", ") + " \(word) \(grouped(names.count - most)) more"
    }
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// A sentence whose numbers do not break: `200 000`, `95 %`, `1.00 point`, `p = 0.01`.
  static func held(_ sentence: String) -> String {
    var out = ""
    var rest = Substring(sentence)
    while let space = rest.firstIndex(of: " ") {
      let after = rest[rest.index(after: space)...]
      let isNumber = rest[..<space].last?.isNumber == true
      let isUnit = isNumber && (after.first?.isNumber == true || after.hasPrefix("%") || after.hasPrefix("point"))
      let isHeld = isUnit || after.hasPrefix("= ") || rest[..<space].hasSuffix("=")
      out += rest[..<space] + (isHeld ? "\u{A0}" : " ")
      rest = after
    }
    return out + rest
  }

  static func date(_ day: DayNumber) -> String { CivilDate(day).text }

  /// A p-value in two or three significant digits.
  static func pValue(_ p: Double) -> String {
    guard p > 0 else { return "below 1e-300" }
    return p >= 0.001 ? fixed(p, 3) : scientific(p, from: 1)
  }
}
