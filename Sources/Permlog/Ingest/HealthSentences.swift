// What the health of ingests says, in words and as JSON.

import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering

extension LogSnapshot {
  /// What was unusual in the ingests of the five weeks before a moment: of each measure the newest.
  func unusualIngests(upTo asOf: Milliseconds?, threads: Int) throws -> [UnusualIngest] {
    let live =
      (liveStatus().flatMap { $0.note(upTo: asOf) }.map { [$0] } ?? [])
      + [UnusualIngest(lost: try lostEvents(upTo: asOf, threads: threads))].compactMap { $0 }
    guard manifest.history != nil else { return live }
    // An ingest is a little later than its newest event.
    let end = asOf.map { $0 + 2 * millisecondsPerDay } ?? .max
    guard let history = try directory.readHistoryIfWhole(manifest) else { return [Self.damaged] }
    return live
      + Self.newest(
        history.ingests.filter {
          $0.undone == nil && $0.time < end && $0.time >= end - 37 * millisecondsPerDay
        })
  }

  private static let damaged = UnusualIngest(
    time: nil, measure: "list_of_ingests",
    sentence:
      "The log's list of ingests is damaged, so it is not known whether one was unusual. The next ingest begins a new list."
  )
}

extension LogSnapshot {
  /// What was unusual in all ingests, of each measure the newest; nil if there were too few to judge any.
  func judgedIngests(threads: Int) throws -> [UnusualIngest]? {
    let losses = [UnusualIngest(lost: try lostEvents(threads: threads))].compactMap { $0 }
    guard let ingests = try judgedHistory() else { return losses.isEmpty ? nil : losses }
    return ingests + losses
  }

  private func judgedHistory() throws -> [UnusualIngest]? {
    guard let history = try directory.readHistoryIfWhole(manifest) else { return [Self.damaged] }
    let ingests = history.ingests.filter { $0.undone == nil && $0.files > 0 }
    guard ingests.count > IngestHealth.leastReference else { return nil }
    return Self.newest(ingests)
  }

  private static func newest(_ ingests: [IngestRecord]) -> [UnusualIngest] {
    var seen: Set<String> = []
    return ingests.reversed().flatMap { ingest in ingest.findings.map { (ingest.time, $0) } }
      .filter { seen.insert($0.1.measure).inserted }
      .map { UnusualIngest(time: $0, measure: $1.measure, sentence: $1.sentence) }
  }
}

extension UnusualIngest {
  /// What apps say that they could not keep; nil of nothing.
  init?(lost: [LostEvents]) {
    let all = lost.reduce(0) { $0 + $1.count }
    guard all > 0 else { return nil }
    var kinds: [String: Int] = [:]
    for one in lost { kinds[one.kind, default: 0] += one.count }
    let named = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\(grouped($0.value)) \($0.key)" }
    // What was sent without an answer may have arrived.
    let perhaps = lost.filter { $0.reason == "full_after_sending" }.reduce(0) { $0 + $1.count }
    let some = perhaps == 0 ? "" : "; \(grouped(perhaps)) of them may have arrived"
    self.init(
      time: nil, measure: "lost",
      sentence:
        "Apps could not keep \(counted(all, "event", "events")), which the figures lack (\(named.prefix(6).joined(separator: ", "))\(some)). "
        + "docs/recorder.md says why.")
  }
}

extension LiveStatus {
  /// An hour without a reading is no longer a delay.
  private static let longestDelay: Milliseconds = 3_600_000

  /// What a report says of live events that it lacks; nil if it lacks none, and for a past day, which has all that it will have.
  func note(upTo asOf: Milliseconds?) -> UnusualIngest? {
    if let asOf, asOf < received - millisecondsPerDay { return nil }
    var parts: [String] = []
    if received - read > Self.longestDelay {
      parts.append("events that came after \(Timestamp.text(read)) are not in the log yet")
    }
    if quarantined > 0 {
      parts.append(
        "\(counted(quarantined, "live event or piece of a request was", "live events or pieces of requests were")) not understood, and \(quarantined == 1 ? "waits" : "wait") in the server's quarantine"
      )
    }
    guard !parts.isEmpty else { return nil }
    let text = parts.joined(separator: "; ")
    return UnusualIngest(
      // The hour: it changes with each event otherwise, and with it every answer.
      time: received - received % Self.longestDelay, measure: "live",
      sentence: text.prefix(1).uppercased() + text.dropFirst() + ". docs/server.md says how to read them again.")
  }
}

extension HealthFinding {
  /// As a member of `ingest --summary json`, `info`, the report and the audit.
  package var json: JSONMembers {
    [
      "measure": measure, "count": count, "of": of, "usual": usual, "ingests": ingests, "reference": reference,
      "sentence": sentence,
    ]
  }

  private var isHigh: Bool { Double(count) > usual }
  /// `denied` of `denied notifications`.
  private var word: Substring { measure.prefix { $0 != " " } }
  private var permission: Substring { measure.dropFirst(word.count + 1) }

  /// What is unusual, how usual it is, and what to check: one line.
  public var sentence: String {
    let when = ingests > 1 ? " in the last \(ingests) days with ingests" : ""
    let from = counted(reference, "day", "days")
    if word == "users" {
      return
        "this day has \(counted(count, "user", "users")); the same weekdays before had \(grouped(Int(usual.rounded()))). "
        + "Check that the export is complete."
    }
    let share = of > 0 ? Double(count) / Double(of) : 0
    let usualShare = of > 0 ? usual / Double(of) : 0
    return
      "\(grouped(count)) of \(grouped(of)) \(subject)\(when) (\(Self.percent(share))); \(Self.percent(usualShare)) are usual, "
      + "by \(from) before. \(advice)"
  }

  private static func percent(_ share: Double) -> String { "\(fixed(share * 100, 1)) %" }

  private var subject: String {
    switch word {
    case "rejected": "lines were rejected"
    case "not_understood": "rows with names of permission events are not understood"
    case "new_users": "users are new to the log"
    case "late_users": "users with events of days that the log had already have new events of these days"
    case "lowercase_ids": "users have ids in lower case"
    case "uppercase_ids": "users have ids in upper case"
    case "activity": "events are use of the app or installs"
    case "denied": "answers of \(permission) are denials"
    case "screens": "screens and answers of \(permission) are screens"
    case "variants": "screens of \(permission) name a variant"
    default: "(\(measure))"
    }
  }

  private var advice: String {
    switch word {
    case "rejected", "not_understood": "permlog mapping check lists every name and reason."
    case "new_users", "lowercase_ids", "uppercase_ids":
      "Check whether ids have changed: an id in another spelling is another user."
    case "late_users": "Check whether event ids have changed: then the same events count twice."
    case "activity":
      isHigh ? "Check that permission events are still exported." : "Check that use of the app is still exported."
    case "denied": "Check that \(isHigh ? "grants" : "denials") are still exported."
    case "screens": "Check that \(isHigh ? "answers" : "screens") are still exported."
    case "variants": "Check that the variant is still exported."
    default: "Compare the export with earlier ones."
    }
  }
}
