// Audits for people and programs: every check has its words, pages stand alone, and no name does harm.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct AuditDocumentTests {
  private static let hostile = HostileText.values.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }

  private static func reports() -> [(name: String, report: AuditReport)] {
    [
      ("all", SampleAudit.all), ("clean", SampleAudit.clean), ("many", SampleAudit.many(400)),
      (
        "filtered",
        SampleAudit.report(SampleAudit.practice) { question in
          question.from = SampleHistories.monday
          question.thresholds = [
            .coldAsk: AuditThreshold(perMillion: 255_000), .clockAhead: AuditThreshold(perMillion: 1),
          ]
          question.permission = "camera"
        }
      ),
      (
        "only some",
        SampleAudit.report(SampleAudit.practice + SampleAudit.leftOut) { $0.only = [.coldAsk, .feedStopped] }
      ),
      ("empty", SampleAudit.report([], users: 0, infoPlists: [], isOfEmptyLog: true)),
      ("only an Info.plist", SampleAudit.report(SampleAudit.purposes, users: 0, isOfEmptyLog: true)),
    ] + hostile.enumerated().map { ("hostile \($0)", SampleAudit.hostile($1)) }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func theSampleHasEveryCheckAndEveryDetail() {
    #expect(Set(SampleAudit.all.findings.map(\.check)) == Set(AuditCheck.allCases))
    #expect(Set(SampleAudit.all.findings.map(\.severity)) == Set(AuditSeverity.allCases))
    #expect(Set(SampleAudit.all.others.compactMap(\.leftOut)).count == 4)
  }

  @Test func textIsAsItWas() throws {
    try Snapshots.check(AuditDocument.render(SampleAudit.all, .text, listsAll: true), "audit-80.txt")
    try Snapshots.check(AuditDocument.render(SampleAudit.clean, .text, TextStyle(width: 120)), "audit-clean-120.txt")
    try Snapshots.check(AuditDocument.render(SampleAudit.all, .markdown), "audit.md")
    try Snapshots.check(AuditDocument.render(SampleAudit.all, .html, listsAll: true), "audit.html")
    try Snapshots.check(AuditJSON.render(SampleAudit.all, listsAll: true), "audit.json")
    try Snapshots.check(AuditSARIF.render(SampleAudit.all, version: "1.2.3"), "audit.sarif")
    try Snapshots.check(AuditAnnotations.render(SampleAudit.all), "audit.github.txt")
  }

  @Test func whatWasNotLookedAtIsCounted() {
    let all = Set(AuditCheck.allCases)
    for (only, line) in [
      ([.feedStopped], "Only feed_stopped was looked at; 35 other checks were not."),
      (all.subtracting([.coldAsk]), "were looked at; 1 other check was not."),
    ] as [(Set<AuditCheck>, String)] {
      let report = SampleAudit.report(SampleAudit.practice + SampleAudit.data) { $0.only = only }
      #expect(Set((report.findings + report.others).map(\.check)).isSubset(of: only))
      #expect(report.only.map { Set($0) } == only)
      for form in [Document.Form.text, .markdown, .html] {
        let text = text(AuditDocument.render(report, form, TextStyle(width: 10_000))).replacing("\\", with: "")
          .replacing("\u{A0}", with: " ")
        #expect(text.contains(line), "\(form): \(text.prefix(600))")
      }
    }
    let whole = SampleAudit.report(SampleAudit.practice) { $0.only = all }
    #expect(!text(AuditDocument.render(whole, .text)).contains("looked at"))
  }

  @Test func noLineIsTooLong() {
    for (name, report) in Self.reports() {
      for width in [60, 80, 120] {
        for isASCII in [false, true] {
          let style = TextStyle(width: width, isASCII: isASCII)
          let text = text(AuditDocument.render(report, .text, style, listsAll: true))
          for line in text.split(separator: "\n") {
            // Addresses are copied, and never broken.
            let isAddress = line.hasPrefix("  See ")
            #expect(isAddress || DisplayWidth.of(String(line)) <= width, "\(name), \(width): \(line)")
          }
          if isASCII { #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(name)") }
          #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\r" }, "\(name)")
        }
      }
    }
  }

  @Test func pagesAreWellFormedAndStandAlone() throws {
    for (name, report) in Self.reports() {
      let page = try PageTree(AuditDocument.render(report, .html, listsAll: true))
      #expect(page.scripts.isEmpty, "\(name)")
      let own = page.addresses.filter { !$0.hasPrefix("#") && $0 != "data:," }
      #expect(own.allSatisfy { $0.hasPrefix("https://developer.apple.com/") }, "\(name): \(own)")
      #expect(page.attributes.allSatisfy { !$0.lowercased().hasPrefix("on") }, "\(name)")
      #expect(page.elements.isSubset(of: PageTree.known), "\(name): \(page.elements.subtracting(PageTree.known))")
      #expect(Set(page.ids).count == page.ids.count, "\(name)")
      for id in page.references { #expect(page.ids.contains(id), "\(name): \(id)") }
      #expect(page.headings.first == 1)
      for (a, b) in zip(page.headings, page.headings.dropFirst()) { #expect(b <= a + 1, "\(name)") }
      for value in page.coordinates { #expect(value.allSatisfy { "0123456789.- MLZ".contains($0) }, "\(value)") }
    }
  }

  @Test func markdownFormatsNothingThatIsData() {
    for name in ["[x](http://evil)", "`code`", "**bold**", "@octocat #12", "|pipe|"] {
      let text = text(AuditDocument.render(SampleAudit.hostile(name), .markdown, listsAll: true))
      #expect(!text.contains(name), "\(name)")
      #expect(text.contains("<https://developer.apple.com/"))
    }
    #expect(AuditDocument.render(SampleAudit.many(3000), .markdown, listsAll: true).count <= MarkdownPage.mostBytes)
  }

  /// JSON has names as they are; sentences are for people.
  @Test func jsonKeepsNamesAndItsSentencesAreHarmless() throws {
    for name in Self.hostile where !name.hasPrefix("\u{FEFF}") {
      let data = Data(AuditJSON.render(SampleAudit.hostile(name), listsAll: true))
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let findings = try #require(object["findings"] as? [[String: Any]])
      #expect(findings.contains { ($0["permission"] as? String) == name }, "\(name)")
      for finding in findings {
        let sentence = try #require(finding["sentence"] as? String)
        #expect(TextStyle.plain.legible(sentence) == sentence && !sentence.contains("\n"), "\(name)")
        #expect(sentence.count < 1200)
      }
    }
  }

  @Test func everyNumberOfASentenceIsTheFindings() {
    let camera = SampleAudit.practice[0]
    #expect(
      AuditSentences.text(camera).replacing("\u{A0}", with: " ")
        == "camera: 62.0 % (59.9–64.1) of the users asked saw the system's prompt without an explanation first (1240 of 2000). "
        + "Grant rate 31.0 % (29.0–34.0) without an explanation, 52.0 % (49.0–55.0) with one: 21.0 points more with one "
        + "(17.0 to 25.0). An observation, not an effect: users asked one way differ from users asked the other way."
    )
    for finding in SampleAudit.all.findings {
      let sentence = AuditSentences.text(finding)
      #expect(sentence.hasSuffix(".") || sentence.hasSuffix(".\""), "\(sentence)")
      if finding.check.group == .practice, let users = finding.users {
        #expect(sentence.contains(NumberText.count(Int(users))), "\(sentence)")
      }
      if case .notLogged = finding.detail {
        #expect(sentence.contains("Either there are none, or the app does not log them"))
      }
      #expect(
        !sentence.contains("–\u{A0}of") && !finding.check.words.advice.isEmpty && !finding.check.words.title.isEmpty)
    }
  }

  @Test func aKeyThatReplacedAnotherSaysWhatOlderSystemsRead() throws {
    let calendars = try #require(SampleAudit.purposes.first { $0.permission == "calendars" })
    #expect(
      AuditSentences.text(calendars).hasSuffix(
        "the app would crash when it asks (from iOS 17 on; older systems read NSCalendarsUsageDescription)."))
    let tracking = SampleAudit.purpose(
      .missingPurpose, "tracking", "NSUserTrackingUsageDescription", .isMissing(since: "iOS 14"))
    #expect(AuditSentences.text(tracking).hasSuffix("the app would crash when it asks, from iOS 14 on."))
  }

  @Test func anEmptyLogDoesNotHideTheInfoPlist() {
    let clean = text(AuditDocument.render(SampleAudit.report([], users: 0, isOfEmptyLog: true), .text))
    #expect(clean.contains("No finding in the events of") && clean.contains("Info.plist: App/Info.plist"), "\(clean)")
    #expect(clean.contains("the log is empty"))
    let none = SampleAudit.report([], users: 0, infoPlists: [], isOfEmptyLog: true)
    #expect(text(AuditDocument.render(none, .text)).contains("The log is empty: no events to audit yet."))
  }

  @Test func idsOfUsersAreWhole() {
    let id = String(repeating: "user-0123456789-", count: 10) + "end"
    let finding = AuditFinding(.coldAsk, permission: "camera", users: 40, of: 50, examples: [id, "a\u{1B}[2J\nb"])
    #expect(AuditTables.words(finding).hasSuffix("Examples: \(id), a\\u{1B}[2J\\u{A}b"))
    let lines = text(AuditDocument.render(SampleAudit.report([finding]), .text, TextStyle(width: 80))).split(
      separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  ") } && lines.map { $0.drop { $0 == " " } }.joined().contains(id))
  }

  @Test func aCheckIsToldOnceForAllItsPermissions() {
    let text = text(AuditDocument.render(SampleAudit.many(400), .text))
    #expect(text.components(separatedBy: AuditCheck.coldAsk.words.title).count == 2)
    #expect(text.components(separatedBy: "What to do:").count == 2)
    #expect(text.contains("and 370 more") && text.contains("400 warnings"))
  }

  @Test func aCleanLogSaysHowMuchWasLookedAt() {
    let text = text(AuditDocument.render(SampleAudit.clean, .text)).replacing("\u{A0}", with: " ")
    #expect(text.contains("No finding in the events of 12 345 users."))
    #expect(text.contains("12 further checks") && text.contains("Not checked: the app's Info.plist"))
  }

  @Test func whatIsNoFindingHasItsReason() throws {
    func plain(_ text: String) -> String { text.replacing("\u{A0}", with: " ") }
    let others = SampleAudit.all.others
    let few = others.filter { $0.leftOut == .tooFew && $0.check == .oneSidedAnswers }.map(AuditSentences.body)
    #expect(few == ["Too few answers to judge: fewer than 50."])
    let many = others.filter { $0.leftOut == .tooMany }.map { plain(AuditSentences.body($0)) }
    #expect(
      many == [
        "Versions were not checked: the log has more than 524 288 pairs of a version and a day.",
        "36 000 more platforms and versions stopped sending events; only the latest to stop are listed.",
      ])
    let document = plain(text(AuditDocument.render(SampleAudit.all, .text, TextStyle(width: 120), listsAll: true)))
    let line = document.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in ["under 50", "under 30", "all versions", "2 with too much data"] {
      #expect(line.contains(words), "\(words)")
    }
    let json = text(AuditJSON.render(SampleAudit.all, listsAll: true))
    #expect(json.contains("\"too_many\"") && plain(json).contains("Versions were not checked"))
  }

  @Test func aMomentBeforeAllEventsIsNamed() {
    let before = text(AuditDocument.render(SampleAudit.report([], users: 0), .text))
    #expect(before.contains("The log has no events up to then that an audit of users counts."))
    #expect(!text(AuditDocument.render(SampleAudit.all, .text)).contains("no events up to then"))
  }

  /// `Scripts/check-schemas` holds what the tool prints to the schema; here the two have the same keys, ids and reasons.
  @Test func theSchemaHasTheKeysOfTheJSON() throws {
    func object(_ value: Any?) throws -> [String: Any] { try #require(value as? [String: Any]) }
    let schema = try object(JSONSerialization.jsonObject(with: Data(document("docs/schemas/audit-1.json").utf8)))
    let json = try object(JSONSerialization.jsonObject(with: Data(AuditJSON.render(SampleAudit.all, listsAll: true))))
    let definitions = try object(schema["$defs"])
    func expectDeclared(_ found: [String: Any], _ declared: [String: Any]) throws {
      #expect(Set(found.keys) == Set(try #require(declared["required"] as? [String])))
    }
    try expectDeclared(json, schema)
    for (list, name) in [("findings", "finding"), ("others", "other")] {
      for entry in try #require(json[list] as? [[String: Any]]) { try expectDeclared(entry, object(definitions[name])) }
    }
    let ids = try object(definitions["id"])["enum"] as? [String]
    #expect(ids == AuditCheck.allCases.map(\.rawValue))
    let reference = try #require(try object(definitions["reference"])["pattern"] as? String)
    let pattern = try Regex(reference)
    for finding in SampleAudit.all.findings { #expect(finding.reference.contains(pattern)) }
  }

  // MARK: The catalogue

  private func document(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
  }

  private func headings(_ name: String) throws -> Set<String> {
    Set(
      try document(name).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        // As GitHub makes addresses of headings.
        line.drop { $0 == "#" || $0 == " " }.lowercased().filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }
          .replacing(" ", with: "-")
      })
  }

  @Test func everyCheckHasASectionOfTheCatalogue() throws {
    let headings = try headings("docs/audit.md")
    for check in AuditCheck.allCases { #expect(headings.contains(check.rawValue), "\(check.rawValue)") }
    // And nothing else looks like one.
    let ids = headings.filter { $0.contains("_") || $0 == "pestering" }
    #expect(ids.isSubset(of: Set(AuditCheck.allCases.map(\.rawValue))))
  }

  @Test func everyReferenceIntoTheDocumentsIsThere() throws {
    for finding in SampleAudit.all.findings {
      let reference = finding.reference
      if reference.hasPrefix("https://developer.apple.com/") { continue }
      let parts = reference.split(separator: "#").map(String.init)
      let headings = try headings(parts[0])
      #expect(parts.count == 2 && headings.contains(parts[1]), "\(reference)")
    }
  }

  /// The catalogue says from which share on a check is reported, and the advice that people get.
  @Test func theCatalogueHasTheThresholdsAndSeverities() throws {
    let sections = try document("docs/audit.md").components(separatedBy: "\n### ").dropFirst()
    for check in AuditCheck.allCases {
      let section = try #require(sections.first { $0.hasPrefix(check.rawValue + "\n") }, "\(check.rawValue)")
      #expect(section.contains("**\(check.severity.name)**"), "\(check.rawValue)")
      let share = check.threshold.map { AuditNumbers.threshold($0).replacing("\u{A0}", with: " ") }
      if let share { #expect(section.contains("from \(share) on"), "\(check.rawValue): \(share)") }
      // An example, as the tool would say it.
      let sentences = SampleAudit.all.findings.filter { $0.check == check }.map { finding in
        "> " + (finding.permission.map { $0 + ": " } ?? "")
          + AuditSentences.body(finding).replacing("\u{A0}", with: " ")
      }
      #expect(sentences.contains { section.contains($0) }, "\(sentences.first ?? check.rawValue)")
    }
  }
}
