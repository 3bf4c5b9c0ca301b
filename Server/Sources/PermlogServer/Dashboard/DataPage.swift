// Where the numbers come from: the log, its sources, what was not understood, and how to mend it.

import Foundation
import Permlog

struct DataPage: Sendable {
  var log: LogInformation
  var path: String
  /// An event is a person's: only days are shown, and no numbers of events.
  var isCoarse = false
  /// Entries of the quarantine, the most frequent first; nil if it cannot be read.
  var quarantine: [(reason: String, detail: String, count: Int)]?
  /// Entries that the quarantine had no room for since the server began.
  var dropped: Int
  /// What the audit finds about the data; nil if it could not be asked.
  var audit: Markup?
  var now: Milliseconds

  private static let mostIngests = 30
  private static let mostReasons = 40
  private static let mostRules = 20

  func write(_ asked: Asked, on page: inout Markup) {
    page.section("log", "The log") { $0.facts(facts) }
    if !isCoarse, !log.health.isEmpty || log.ingested?.notUnderstoodShare?.isWarned == true {
      page.section("unusual", "What is unusual") { page in
        for finding in log.health { page.prose(finding.sentence, ["class": "caution"]) }
        if let share = log.ingested?.notUnderstoodShare, share.isWarned {
          let (lines, all) = (Self.grouped(Int(clamping: share.lines)), Self.grouped(Int(clamping: share.of)))
          page.prose(
            "\(lines) of \(all) lines were not read, because a name was not understood. The figures lack them.",
            ["class": "caution"])
        }
      }
    }
    page.section("ingests", "Sources") { sources(on: &$0) }
    page.section("quarantine", "Not understood") { notUnderstood(on: &$0) }
    guard !isCoarse else { return }
    page.section("completeness", "Completeness") { page in
      if let audit { page.append(audit) }
      page.element("p") { page in
        page.text("How the app asks is in the ")
        page.element("a", ["href": asked.address(.audit, query: "")], text: "audit")
        page.text(".")
      }
    }
  }

  /// What is missing from the data, or unusual in it: the checks of the audit that are about data.
  static func audit(_ log: PermissionLog, style: TextStyle) throws -> Markup {
    var request = AuditRequest()
    request.only = AuditCheck.allCases.filter { $0.group == .data }
    var page = Markup(idPrefix: "d")
    try log.audit(request).writeFindings(style: style, on: &page)
    return page
  }

  // MARK: The log

  private var facts: [(name: String, text: String)] {
    var facts: [(name: String, text: String)] = [("directory", path)]
    if !isCoarse { facts.append(("events", Self.grouped(log.events))) }
    if let times = log.times {
      facts.append(("from", time(times.lowerBound)))
      facts.append(("to", time(times.upperBound) + (isCoarse ? "" : ", " + Self.ago(times.upperBound, now))))
    }
    if let live = log.live, !isCoarse {
      facts.append(("live", "received up to \(Timestamp.text(live.received)), read up to \(Timestamp.text(live.read))"))
    }
    for field in [StringField.permission, .experiment, .variant] {
      let values = log.values[field] ?? []
      let more = values.count > 40 ? " and \(Self.grouped(values.count - 40)) more" : ""
      facts.append((field.name + "s", values.isEmpty ? "none" : values.prefix(40).joined(separator: ", ") + more))
    }
    if log.excludedUsers > 0 { facts.append(("left out", "\(Self.grouped(log.excludedUsers)) ids of every answer")) }
    if log.erasedUsers > 0 { facts.append(("erased", "\(Self.grouped(log.erasedUsers)) ids kept out")) }
    if log.retention != nil { facts.append(("keeps", "not all events: a rule drops old ones")) }
    let unknown = [
      ("kinds", log.unknown.kinds), ("permissions", log.unknown.permissions), ("columns", log.unknown.columns),
    ]
    for (name, values) in unknown where !values.isEmpty {
      facts.append(
        ("unknown " + name, values.prefix(40).joined(separator: ", ") + ": kept, exported, left out of the figures"))
    }
    return facts
  }

  private func time(_ time: Milliseconds) -> String {
    isCoarse ? String(Timestamp.text(time).prefix(10)) : Timestamp.text(time)
  }

  private func sources(on page: inout Markup) {
    if log.areIngestsDamaged { page.prose("The list of ingests is damaged, and not known.", ["class": "caution"]) }
    let shown = log.ingests.suffix(Self.mostIngests).reversed()
    guard !shown.isEmpty else { return page.prose("The log remembers no ingest.") }
    page.table(
      "Sources", ["what", "time", "new events", "copies", ""],
      shown.map { ingest in
        let names = ingest.names.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        let more = ingest.files > names.count ? " and \(Self.grouped(ingest.files - names.count)) more" : ""
        let state = ingest.undone != nil ? "taken back" : ingest.findings.isEmpty ? "" : "unusual"
        return [
          names.joined(separator: ", ") + more, time(ingest.time), isCoarse ? "–" : Self.grouped(ingest.new),
          isCoarse ? "–" : Self.grouped(ingest.duplicates), state,
        ]
      })
    if log.ingests.count > Self.mostIngests {
      page.prose("The newest \(Self.mostIngests) of \(Self.grouped(log.ingests.count)).", ["class": "note"])
    }
  }

  // MARK: What was not understood

  private func notUnderstood(on page: inout Markup) {
    if dropped > 0 {
      page.prose(
        "\(Self.grouped(dropped)) older entries are gone since the server began: the quarantine was full (quarantine_limit).",
        ["class": "caution"])
    }
    guard let quarantine else {
      return page.prose(
        "The quarantine cannot be read, so it is not known what waits. The server's messages say why.",
        ["class": "caution"])
    }
    guard !quarantine.isEmpty else { return page.prose("Nothing waits in this server's quarantine.") }
    let all = quarantine.reduce(0) { $0 + $1.count }
    let what =
      all == 1 ? "1 event or piece of a request waits" : "\(Self.grouped(all)) events or pieces of requests wait"
    page.prose("\(what) in this server's quarantine. With a mended mapping it is read again.")
    page.table(
      "Not understood", ["reason", "detail", "entries"],
      quarantine.prefix(Self.mostReasons).map {
        [$0.reason, Self.withoutValues($0.reason, $0.detail), Self.grouped($0.count)]
      })
    let names = quarantine.compactMap { Self.eventName($0.reason, $0.detail) }
    guard !names.isEmpty else { return }
    page.element("h3", text: "A rule for each name, to be read and mended")
    let rules = VendorMappings.rules(for: Array(names.prefix(Self.mostRules)))
    page.element("pre") { page in
      page.element("code") { page in
        for line in rules.split(separator: "\n") {
          page.text(String(line))
          page.newLine()
        }
      }
    }
    page.prose(
      "Put them into the mapping that the settings name for the key, and then have the quarantine read again. That needs the admin token:"
    )
    page.element("pre") { page in
      page.element(
        "code", text: "curl -X POST -H \"Authorization: Bearer $(cat ADMIN_TOKEN_FILE)\" http://ADDRESS/v1/requeue")
    }
  }

  /// The name of an event that was not understood, from an entry's detail; nil if that is not what is wrong.
  static func eventName(_ reason: String, _ detail: String) -> String? {
    if reason == "not_mapped" { return detail }
    return detail.firstMatch(of: /^event "(.*)" is not understood/).map { String($0.1) }
  }

  /// A detail without the values that it quotes: they may name a user.
  static func withoutValues(_ reason: String, _ detail: String) -> String {
    guard eventName(reason, detail) == nil else { return detail }
    return detail.replacing(/"(?:[^"\\]|\\.)*"/, with: "“…”").replacing(/[0-9]{5,}/, with: "…")
  }

  // MARK: Words

  static func grouped(_ number: Int) -> String {
    var text = String(abs(number))
    var parts: [String] = []
    while text.count > 3 {
      parts.insert(String(text.suffix(3)), at: 0)
      text.removeLast(3)
    }
    return (number < 0 ? "−" : "") + ([text] + parts).joined(separator: ",")
  }

  /// `3 minutes ago`; a phone may be ahead.
  static func ago(_ time: Milliseconds, _ now: Milliseconds) -> String {
    let seconds = (now - time) / 1000
    if seconds < 0 { return "ahead of the clock" }
    for (size, name) in [(86_400, "day"), (3600, "hour"), (60, "minute")]
    where seconds >= size * 2 || name == "minute" && seconds >= 60 {
      let count = seconds / Int64(size)
      return "\(count) \(name)\(count == 1 ? "" : "s") ago"
    }
    return "\(seconds) second\(seconds == 1 ? "" : "s") ago"
  }
}
