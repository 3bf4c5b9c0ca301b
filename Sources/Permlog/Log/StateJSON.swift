// The content of a log and its verification as JSON: every key is always present, in this order.

import EventImport
import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents
import ReportRendering

extension LogInformation {
  static let schema = "permlog.info/1"

  /// The content of the log as JSON, schema `permlog.info/1`.
  /// - Parameter path: the log's directory.
  public func json(path: String) -> [UInt8] {
    func list(_ field: StringField) -> [String] { values[field] ?? [] }
    return JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "events": events, "oldest": times.map { Timestamp.text($0.lowerBound) },
        "newest": times.map { Timestamp.text($0.upperBound) }, "bytes": bytes, "commits": Int(clamping: generation),
        "fingerprint": fingerprint, "erased_users": erasedUsers, "excluded_users": excludedUsers,
        "erasure_key": erasureKey?.rawValue,
        "user_ids": userNames?.rawValue,
        "linked": ["users": linkedUsers, "ids": linkedIDs] as JSONMembers,
        "event_ids": eventIDs.areKeyed ? "hashed" : "plain", "event_id_rule": eventIDs.version,
        "keys_needed": keysNeeded.map(\.rawValue), "expired_before": expiredBefore.map { Timestamp.text($0) },
        "keep": retention?.description,
        "ingested": ingested.map { tally in
          [
            "read": Int(tally.read), "new": Int(tally.new), "duplicates": Int(tally.duplicates),
            "conflicts": Int(tally.conflicts), "ahead": Int(tally.ahead),
          ] as JSONMembers
        },
        "not_understood": ingested?.notUnderstoodShare.map {
          ["lines": Int($0.lines), "of": Int($0.of)] as JSONMembers
        },
        "ingests": areIngestsDamaged ? nil as Int? : ingests.count,
        "newest_ingest": newestIngest.map { Timestamp.text($0.time) },
        "undo": undoableIngest.map { ["ingest": $0, "bytes": undoBytes] as JSONMembers },
        "health": health.map(\.json),
        "live": live.map { live in
          [
            "received": Timestamp.text(live.received), "read": Timestamp.text(live.read),
            "waiting_bytes": live.waitingBytes, "quarantined": live.quarantined,
          ] as JSONMembers
        },
        "parts": parts.map { part in
          [
            "name": part.name, "events": part.events, "bytes": part.bytes, "blocks": part.blocks,
            "oldest": Timestamp.text(part.times.lowerBound), "newest": Timestamp.text(part.times.upperBound),
          ] as JSONMembers
        },
        "permissions": list(.permission), "experiments": list(.experiment), "variants": list(.variant),
        "unknown": [
          "kinds": unknown.kinds, "permissions": unknown.permissions, "columns": unknown.columns,
        ] as JSONMembers,
      ] as JSONMembers)
  }
}

extension LogInformation {
  static let schemaOfIngests = "permlog.ingests/1"

  /// The ingests that the log remembers as JSON, schema `permlog.ingests/1`.
  /// - Parameter path: the log's directory.
  public func jsonOfIngests(path: String) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": Self.schemaOfIngests, "log": path,
        "ingests": ingests.map { ingest in
          [
            "ingest": ingest.number, "time": Timestamp.text(ingest.time), "files": ingest.files, "names": ingest.names,
            "new": ingest.new, "duplicates": ingest.duplicates,
            "measures": ingest.measures.sorted { $0.key < $1.key }.map { name, count in
              ["name": name, "count": count] as JSONMembers
            },
            "health": ingest.findings.map(\.json), "undone": ingest.undone.map { Timestamp.text($0) },
            "can_undo": ingest.number == undoableIngest,
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension Erasure {
  static let schema = "permlog.erase/1"

  /// What an erasure did as JSON, schema `permlog.erase/1`.
  /// - Parameters:
  ///   - path: the log's directory.
  ///   - isDryRun: nothing was changed.
  public func json(path: String, isDryRun: Bool) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "dry_run": isDryRun, "fulfilled": notFound.isEmpty, "events": events,
        "users": found, "linked": linked, "parts": parts, "kept_out": keptOut, "mixed": isMixed,
        "users_are_installs": areUsersInstalls,
        "ids": requests.map { request in
          [
            "id": String(bounded: request.id), "outcome": request.outcome.rawValue, "events": request.events,
            "linked": request.linked, "requested_before": request.requestedBefore.map { Timestamp.text($0) },
            "spellings": request.spellings.map { String(bounded: $0) },
            "also_erased": request.alsoErased.map { String(bounded: $0) },
            "installs": request.installs, "installs_found": request.installsFound,
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension PermissionLog {
  static let schemaOfErasures = "permlog.erasures/1"

  /// The requests by which users were erased, as far as they are still kept out, as JSON, schema `permlog.erasures/1`.
  public func jsonOfErasures() throws(PermlogError) -> [UInt8] {
    let requests = try erasureRequests()
    return JSONWriter.document(
      [
        "schema": Self.schemaOfErasures, "log": path,
        "requests": requests.map { request in
          [
            "time": request.time == 0 ? nil : Timestamp.text(request.time), "ids": request.ids, "found": request.found,
            "not_found": request.found.map { request.ids - $0 }, "events": request.events,
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension ReceiptVerification {
  static let schema = "permlog.receipt-check/1"

  /// The comparison of a receipt with a log as JSON, schema `permlog.receipt-check/1`.
  /// - Parameter path: the log's directory.
  public func json(path: String) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "erased_at": Timestamp.text(receipt.time),
        "requests": receipt.requests.count, "not_found_then": receipt.requests.count { !$0.outcome.isFulfilled },
        "compared": compared, "found": found, "readmitted": readmitted,
      ] as JSONMembers)
  }
}

extension Verification {
  static let schema = "permlog.verify/1"

  /// The verification as JSON, schema `permlog.verify/1`.
  /// - Parameter path: the log's directory.
  public func json(path: String) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "whole": damage.isEmpty, "events": events, "blocks": blocks, "parts": parts,
        "bytes": bytes,
        // Without a manifest the missing events are not known.
        "lost_events": hasManifest ? lostEvents : nil as Int?, "damage": damage, "notes": notes,
      ] as JSONMembers)
  }
}

// MARK: The time of the newest event that is not ahead of the clock: the age of a log is measured by it. One phone with a clock ahead would otherwise hide for a day that no events arrive

extension PermissionLog {
  /// The age of the log at a moment; nil if it has no events.
  package func age(at clock: Milliseconds) throws(PermlogError) -> DataAge? {
    try translating { try LogSnapshot(directory).age(at: clock, threads: threads) }
  }
}

extension LogSnapshot {
  /// The manifest has the newest time of all events. Only if that is ahead of the clock are the events read.
  func age(at clock: Milliseconds, threads: Int) throws -> DataAge? {
    guard let newest = timeRange?.upperBound else { return nil }
    guard newest > clock else { return DataAge(newest: newest, clock: clock) }
    let latest = try fold(HistorySelection(), threads: threads) { _ in NewestFold(clock: clock) }.latest
    return DataAge(newest: newest, latest: latest, clock: clock)
  }
}

/// The newest time up to a clock's, of all users.
private struct NewestFold: Fold, ~Copyable {
  let clock: Milliseconds

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Newest) {
    var i = user.eventCount
    while i > 0, user.unsafeTimes[i - 1] > clock { i -= 1 }
    if i > 0 { sums.see(user.unsafeTimes[i - 1]) }
    var j = user.engagementCount
    while j > 0, Milliseconds(user.unsafeEngagement[j - 1] >> 1) > clock { j -= 1 }
    if j > 0 { sums.see(Milliseconds(user.unsafeEngagement[j - 1] >> 1)) }
  }
}

/// Not a real sum, but it can be added all the same. It is never written to a file.
private struct Newest: FoldSums {
  static let name = "newest 1"
  static var layout: SumsLayout<Self> { [] }
  private(set) var latest: Milliseconds?

  mutating func see(_ time: Milliseconds) { latest = max(latest ?? time, time) }
  mutating func add(_ other: Newest) { if let time = other.latest { see(time) } }
}

// MARK: The reader of JSON. The command line uses it too, to read its own description

package typealias TreeOfJSON = JSONTree
