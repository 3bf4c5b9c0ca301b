// What sentences of an audit are made of: text from exports and property lists, and numbers.

import PermissionAnalysis

/// On one line, harmless, and not too long.
enum AuditQuote {
  private static let longestName = 60
  private static let longestText = 160

  /// A text in quotation marks.
  static func text(_ text: String) -> String { "\"" + DisplayWidth.cut(line(text), to: longestText, mark: "…") + "\"" }

  /// The name of a permission, a file or a key; its middle goes if it is long.
  static func name(_ name: String) -> String {
    DisplayWidth.cutMiddle(line(name), to: longestName, mark: "…")
  }

  /// The id of a user, whole: people copy it to look the user up.
  static func id(_ id: String) -> String { TextStyle.plain.legible(id) }

  /// Names in their order, the first of them if they are many.
  static func names(_ names: [String], most: Int = 8) -> String {
    let shown = names.prefix(most).map(name).joined(separator: ", ")
    return names.count > most ? shown + " and \(NumberText.count(names.count - most)) more" : shown
  }

  /// No name has more characters that count.
  private static func line(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(4 * longestText)
    var line = ""
    for scalar in start {
      let isBlank = scalar.properties.isWhitespace
      // Blanks together are one.
      if isBlank, line.last == " " { continue }
      line.unicodeScalars.append(isBlank ? " " : scalar)
    }
    if start.endIndex < text.unicodeScalars.endIndex { line += "…" }
    return TextStyle.plain.legible(line)
  }
}

/// Numbers of findings. What is not known is a dash.
enum AuditNumbers {
  /// `62.0 % (59.9–64.1)`; two decimals below one per cent.
  static func rate(_ estimate: Estimate?) -> String {
    guard let estimate, estimate.value.isFinite else { return "–" }
    let decimals = estimate.value > 0 && estimate.value < 0.01 ? 2 : 1
    let ends = [estimate.low, estimate.high].compactMap { $0.map { fixed($0 * 100, decimals) } }
    return fixed(estimate.value * 100, decimals) + "\u{A0}%"
      + (ends.count == 2 ? "\u{A0}(\(ends.joined(separator: "–")))" : "")
  }

  static func count(_ n: Int64?) -> String { n.map { NumberText.count(Int(clamping: $0)) } ?? "–" }

  /// `1 event`, `2 events`.
  static func counted(_ n: Int64, _ noun: String) -> String { NumberText.counted(Int(clamping: n), noun) }

  /// `5 %`, `0.1 %`: exactly.
  static func threshold(_ threshold: AuditThreshold) -> String { threshold.percent + "\u{A0}%" }
}

extension AuditFinding {
  var shareText: String { AuditNumbers.rate(share) }

  /// `1 240 of 2 000`.
  var countsText: String { "\(AuditNumbers.count(users))\u{A0}of\u{A0}\(AuditNumbers.count(of))" }
}
