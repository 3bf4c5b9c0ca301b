// A report as a mail and as a message of Slack: their form, and that they say what the page says.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import ReportRendering

@Suite struct MailTests {
  private static let end = SampleHistories.sampleEnd

  /// A part of a mail: its headers, and its content decoded.
  private struct Part {
    var type: String
    var headers: String
    var content: [UInt8]
    var text: String { String(decoding: content, as: UTF8.self) }
  }

  private func parts(_ mail: [UInt8]) throws -> (head: String, parts: [Part]) {
    let text = String(decoding: mail, as: UTF8.self)
    #expect(mail.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 0x0A) }, "ASCII alone")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.utf8.count <= 998 })
    let head = try #require(text.components(separatedBy: "\n\n").first)
    var parts: [Part] = []
    for boundary in ["=_permlog_alternative", "=_permlog_related"] {
      #expect(text.contains("boundary=\"\(boundary)\""))
      #expect(text.components(separatedBy: "\n--\(boundary)--\n").count == 2, "it ends once")
      let inside = try #require(text.components(separatedBy: "--\(boundary)--").first)
      for part in inside.components(separatedBy: "--\(boundary)\n").dropFirst() {
        let pieces = part.components(separatedBy: "\n\n")
        guard !pieces[0].contains("multipart/") else { continue }
        #expect(pieces[0].contains("Content-Transfer-Encoding: base64"))
        let encoded = pieces[1].replacing("\n", with: "")
        let content = [UInt8](try #require(Data(base64Encoded: encoded)))
        let type = try #require(pieces[0].firstMatch(of: #/Content-Type: ([a-z\/]+)/#)?.1)
        parts.append(Part(type: String(type), headers: pieces[0], content: content))
      }
    }
    return (head, parts)
  }

  @Test func aMailHasTextAndAPageWithItsPictures() throws {
    let report = SampleHistories.app().report(asOf: Self.end)
    let (head, parts) = try parts(MailDocument.render(report))
    #expect(head.hasPrefix("Subject: Permissions, week of 2 to 8 March 2026 (2026-W10): Notifications lower\n"))
    #expect(head.contains("\nMIME-Version: 1.0\n") && !head.contains("\nTo:") && !head.contains("\nFrom:"))
    #expect(parts.prefix(2).map(\.type) == ["text/plain", "text/html"])
    let pictures = parts.dropFirst(2)
    let page = parts[1].text
    #expect(pictures.count > 1 && pictures.count == page.components(separatedBy: "<img ").count - 1)
    #expect(pictures.allSatisfy { $0.type == "image/png" })
    for (number, picture) in pictures.enumerated() {
      #expect(picture.headers.contains("Content-ID: <weeks-\(number + 1)@permlog>"))
      #expect(page.contains("src=\"cid:weeks-\(number + 1)@permlog\""))
      #expect(picture.content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
      #expect(picture.content[16..<24].elementsEqual([0, 0, 0, 240, 0, 0, 0, 72]), "width and height")
    }
    // Nothing comes from a network, and nothing depends on a picture.
    #expect(!page.contains("http") && !page.contains("<script") && !page.contains("url("))
    #expect(page.components(separatedBy: "<img ").count - 1 == page.components(separatedBy: " alt=\"2026-W").count - 1)
    #expect(XMLParser(data: Data(page.utf8)).parse(), "well-formed")
  }

  @Test func mailPageAndScreenSayTheSame() throws {
    let report = SampleHistories.app().report(asOf: Self.end)
    let parts = try parts(MailDocument.render(report)).parts
    let screen = String(
      decoding: ReportDocument.render(report, .text, TextStyle(width: 78), part: .summary), as: UTF8.self)
    #expect(parts[0].text == screen)
    let page = String(decoding: ReportDocument.render(report, .html), as: UTF8.self)
    let slack = try JSONSerialization.jsonObject(with: Data(SlackDocument.render(report))) as? [String: Any]
    let blocks = try #require(slack?["blocks"] as? [[String: Any]])
    let said = blocks.compactMap { ($0["text"] as? [String: Any])?["text"] as? String }.joined(separator: "\n")
    let rows = ReportScope(report).leadRows
    #expect(rows.count == 5)
    for row in rows {
      let rate = ReportPage.large(row)
      let detail = ReportPage.beside(row)
      for text in [parts[1].text, page, said] { #expect(text.contains(rate) && text.contains(detail), "\(detail)") }
    }
    let news =
      "Outside the usual range: Notifications lower (26.4\u{A0}%, usual 30.5 to 57.7\u{A0}%), about 24 fewer grants."
    #expect(said.contains(news) && parts[1].text.contains(news))
    #expect(slack?["text"] as? String == "Permissions, week of 2 to 8 March 2026 (2026-W10): Notifications lower")
    #expect(blocks.map { $0["type"] as? String } == ["header", "section", "section", "section", "context"])
  }

  @Test func namesFromExportsCannotBecomeMarkup() throws {
    let report = HostileText.report()
    let parts = try parts(MailDocument.render(report)).parts
    #expect(XMLParser(data: Data(parts[1].text.utf8)).parse(), "well-formed")
    let slack = String(decoding: SlackDocument.render(report), as: UTF8.self)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(slack.utf8)) }
    #expect(!slack.contains("<") && !slack.contains("\u{202E}"), "no mark of Slack, in its plain text either")
  }

  @Test func anEmptyLogSaysSo() throws {
    let report = Report.empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)
    let (head, parts) = try parts(MailDocument.render(report))
    #expect(head.hasPrefix("Subject: Permissions report: the log is empty\n") && parts.count == 2)
    #expect(parts[1].text.contains("The log is empty"))
    let slack = try JSONSerialization.jsonObject(with: Data(SlackDocument.render(report))) as? [String: Any]
    #expect((slack?["blocks"] as? [Any])?.count == 2)
  }

  @Test func longAndForeignSubjectsAreEncodedByLetters() throws {
    var histories = SampleHistories.app()
    histories.users = histories.users.map { $0.filter { $0.permission != 1 } }
    let report = histories.report(asOf: Self.end)
    let subject = ReportBrief(report).subject
    #expect(subject.hasPrefix("Permissions, week of"))
    // Text of sample permissions has letters beyond ASCII.
    var changed = report
    for i in changed.rows.indices {
      changed.rows[i].usual = UsualWeek(weeks: 4, low: 0, high: 0.1, outside: .higher, moreGrants: 3)
    }
    let mail = String(decoding: MailDocument.render(changed), as: UTF8.self)
    let line = try #require(mail.components(separatedBy: "\nMIME").first)
    let words = line.components(separatedBy: "=?utf-8?B?").dropFirst().compactMap {
      $0.components(separatedBy: "?=").first
    }
    let text = words.compactMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) }.joined()
    let expected = ReportBrief(changed).subject
    #expect(text == expected || line == "Subject: " + expected)
    #expect(line.components(separatedBy: "\n").allSatisfy { $0.utf8.count <= 100 || !$0.contains("=?") })
  }
}
