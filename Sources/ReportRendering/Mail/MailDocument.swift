// A report as a mail: text, and HTML with its pictures inside, for `sendmail -t` and for programs that open .eml files.
//
// RFC 5322 and 2045 to 2047; pictures by RFC 2387 and 2392. Everything is in base64, so no line is too long and no byte is
// not ASCII. Lines end with LF, as sendmail takes them.

import CSodium
import PermissionAnalysis
import PermissionEvents

package enum MailDocument {
  private static let related = "=_permlog_related"
  private static let alternative = "=_permlog_alternative"

  /// The mail has no From and no To: the mailer, or a line before it, has them.
  package static func render(_ report: Report, _ words: @escaping RemedyWords = TextStyle.plain.words) -> [UInt8] {
    let brief = ReportBrief(report, words)
    var page = MailPage()
    let html = page.write(brief)
    var mail = Mail()
    mail.line("Subject: " + Mail.encoded(brief.subject))
    mail.line("MIME-Version: 1.0")
    mail.line("Auto-Submitted: auto-generated")
    mail.begin("multipart/related", related, more: "; type=\"multipart/alternative\"")
    mail.next(related)
    mail.begin("multipart/alternative", alternative)
    mail.next(alternative)
    mail.part("text/plain; charset=utf-8", brief.text)
    mail.next(alternative)
    mail.part("text/html; charset=utf-8", html)
    mail.end(alternative)
    for (number, picture) in page.pictures.enumerated() {
      mail.next(related)
      mail.line("Content-ID: <\(MailPage.id(number))>")
      mail.line("Content-Disposition: inline; filename=\"weeks-\(number + 1).png\"")
      mail.part("image/png", picture)
    }
    mail.end(related)
    return mail.bytes
  }
}

private struct Mail {
  private(set) var bytes: [UInt8] = []
  private static let lineLength = 76

  mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(0x0A)
  }

  mutating func begin(_ type: String, _ boundary: String, more: String = "") {
    line("Content-Type: \(type); boundary=\"\(boundary)\"\(more)")
    line("")
  }

  mutating func next(_ boundary: String) { line("--" + boundary) }
  mutating func end(_ boundary: String) { line("--" + boundary + "--") }

  mutating func part(_ type: String, _ content: [UInt8]) {
    line("Content-Type: " + type)
    line("Content-Transfer-Encoding: base64")
    line("")
    let encoded = Self.base64(content)
    for start in stride(from: 0, to: encoded.count, by: Self.lineLength) {
      bytes += encoded[start..<min(start + Self.lineLength, encoded.count)]
      bytes.append(0x0A)
    }
  }

  /// A header's text: as it is if it is ASCII, else in encoded words, which hold whole letters.
  static func encoded(_ text: String) -> String {
    let text = TextStyle.plain.legible(text)
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), text.utf8.count <= 900 { return text }
    var words: [[UInt8]] = [[]]
    for letter in text.unicodeScalars {
      // 45 bytes are 60 letters of base64, and an encoded word has at most 75.
      if words[words.count - 1].count + UTF8.width(letter) > 45 { words.append([]) }
      words[words.count - 1] += Array(UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
    }
    return words.map { "=?utf-8?B?" + String(bounded: base64($0)) + "?=" }.joined(separator: "\n ")
  }

  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let variant = sodium_base64_VARIANT_ORIGINAL
    var encoded = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&encoded, encoded.count, bytes, bytes.count, variant)
    return encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }
}

/// The HTML of a mail: tables and styles of elements, because mailers drop the rest. Everything is said without its pictures,
/// and colours are legible on black, too.
private struct MailPage {
  private(set) var pictures: [[UInt8]] = []

  static func id(_ picture: Int) -> String { "weeks-\(picture + 1)@permlog" }

  private static let body =
    "margin:0;padding:16px;font:16px/1.45 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
  private static let column = "max-width:600px;margin:0 auto;border-collapse:collapse"
  private static let quiet = "font-size:13px;opacity:.75"

  mutating func write(_ brief: ReportBrief) -> [UInt8] {
    var html = Markup()
    html.raw("<!DOCTYPE html>\n")
    html.element("html", ["lang": "en"]) { html in
      html.element("head") { html in
        html.empty("meta", ["charset": "utf-8"])
        html.empty("meta", ["name": "viewport", "content": "width=device-width"])
        html.empty("meta", ["name": "color-scheme", "content": "light dark"])
        html.element("title", text: brief.subject)
        html.element("style", text: ":root{color-scheme:light dark}")
      }
      html.element("body", ["style": Self.body]) { html in
        html.element("table", ["role": "presentation", "width": "100%", "style": Self.column]) { html in
          row(&html, brief.headline, "font-size:20px;font-weight:600;padding:0 0 8px")
          row(&html, brief.news, "padding:0 0 12px")
          for line in brief.lines { write(line, &html) }
          if let more = brief.more { row(&html, more, "padding:8px 0;" + Self.quiet) }
          if !brief.attention.isEmpty {
            row(&html, "What to look at", "font-weight:600;padding:20px 0 4px")
            for line in brief.attention { row(&html, line, "padding:2px 0;font-size:14px") }
          }
          row(&html, brief.source, "padding:20px 0 0;" + Self.quiet)
        }
      }
    }
    html.newLine()
    return html.bytes
  }

  private func row(_ html: inout Markup, _ text: String, _ style: String) {
    guard !text.isEmpty else { return }
    html.newLine()
    html.element("tr") { $0.element("td", ["colspan": "2", "style": style]) { $0.held(text) } }
  }

  private mutating func write(_ line: ReportBrief.Line, _ html: inout Markup) {
    let chart = WeeksPicture(line.weeks)
    let id = chart.map { chart in
      pictures.append(chart.png)
      return "cid:" + Self.id(pictures.count - 1)
    }
    html.newLine()
    html.element("tr") { html in
      html.element("td", ["style": "padding:10px 0;border-top:1px solid rgba(128,128,128,.35)"]) { html in
        html.element("div", ["style": "font-size:14px"]) { $0.name(line.name) }
        html.element("div", ["style": "font-size:22px;font-weight:600"]) { $0.text(line.rate) }
        html.element("div", ["style": Self.quiet]) { $0.text(line.detail) }
      }
      let cell = "padding:10px 0 10px 12px;text-align:right;border-top:1px solid rgba(128,128,128,.35)"
      html.element("td", ["width": "\(WeeksPicture.width / 2)", "style": cell]) { html in
        guard let chart, let id else { return }
        html.empty(
          "img",
          [
            "src": id, "width": "\(WeeksPicture.width / 2)", "height": "\(WeeksPicture.height / 2)",
            "alt": chart.words, "style": "display:block;font-size:12px",
          ])
      }
    }
  }
}
