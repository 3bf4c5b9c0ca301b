// A report as a message of Slack (Block Kit), for an incoming webhook.

import PermissionAnalysis
import PermissionEvents

package enum SlackDocument {
  /// Letters that Slack takes in a header, and in any other text.
  private static let mostOfHeader = 150
  private static let mostOfText = 3000

  package static func render(_ report: Report, _ words: @escaping RemedyWords = TextStyle.plain.words) -> [UInt8] {
    let brief = ReportBrief(report, words)
    var json = JSONWriter()
    json.object { json in
      json.member("text", escaped(brief.subject))
      json.array("blocks") { json in
        block(&json, "header", "plain_text", cut(brief.headline, mostOfHeader))
        section(&json, escaped(brief.news))
        if !brief.lines.isEmpty {
          var lines = brief.lines.map { "*\(escaped($0.name))*  \(escaped($0.rate))  (\(escaped($0.detail)))" }
          if let more = brief.more { lines.append(more) }
          section(&json, lines.joined(separator: "\n"))
        }
        if !brief.attention.isEmpty {
          section(&json, "*What to look at*\n" + brief.attention.map { "• " + escaped($0) }.joined(separator: "\n"))
        }
        if !brief.source.isEmpty {
          json.element { json in
            json.member("type", "context")
            json.array("elements") { json in
              json.element { text(&$0, "mrkdwn", cut(escaped(brief.source), mostOfText)) }
            }
          }
        }
      }
    }
    json.endLine()
    return json.take()
  }

  private static func section(_ json: inout JSONWriter, _ words: String) {
    block(&json, "section", "mrkdwn", cut(words, mostOfText))
  }

  private static func block(_ json: inout JSONWriter, _ type: String, _ kind: String, _ words: String) {
    json.element { json in
      json.member("type", type)
      json.object("text") { text(&$0, kind, words) }
    }
  }

  private static func text(_ json: inout JSONWriter, _ kind: String, _ words: String) {
    json.member("type", kind)
    json.member("text", words)
  }

  private static func cut(_ text: String, _ most: Int) -> String {
    text.count <= most ? text : String(text.prefix(most - 1)) + "…"
  }

  /// Slack's own signs, and those of its marks, which a name from an export may have. A mark begins or ends a word.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    let letters = Array(TextStyle.plain.legible(text))
    func isInside(_ index: Int) -> Bool {
      letters.indices.contains(index) && (letters[index].isLetter || letters[index].isNumber)
    }
    for (index, letter) in letters.enumerated() {
      switch letter {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // A space without width keeps them from being marks.
      case "*", "_", "~", "`":
        escaped += isInside(index - 1) && isInside(index + 1) ? "\(letter)" : "\u{200B}\(letter)\u{200B}"
      default: escaped.append(letter)
      }
    }
    return escaped
  }
}
