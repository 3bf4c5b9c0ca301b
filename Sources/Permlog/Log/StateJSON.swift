// What is in a log and whether it is whole, as JSON: every key always there, in this order.

import EventLog
import PermissionEvents
import ReportRendering

extension LogInformation {
  static let schema = "permlog.info/1"

  /// What is in the log as JSON, schema `permlog.info/1`.
  /// - Parameter path: the log's directory.
  public func json(path: String) -> [UInt8] {
    func list(_ field: StringField) -> [String] { values[field] ?? [] }
    return JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "events": events, "oldest": times.map { Timestamp.text($0.lowerBound) },
        "newest": times.map { Timestamp.text($0.upperBound) }, "bytes": bytes, "commits": Int(clamping: generation),
        "fingerprint": fingerprint, "erased_users": erasedUsers, "erasure_key": erasureKey?.rawValue,
        "user_ids": userNames?.rawValue,
        "linked": ["users": linkedUsers, "ids": linkedIDs] as JSONMembers,
        "event_ids": eventIDs.areKeyed ? "hashed" : "plain", "event_id_rule": eventIDs.version,
        "keys_needed": keysNeeded.map(\.rawValue), "expired_before": expiredBefore.map { Timestamp.text($0) },
        "ingested": ingested.map { tally in
          [
            "read": Int(tally.read), "new": Int(tally.new), "duplicates": Int(tally.duplicates),
            "conflicts": Int(tally.conflicts), "ahead": Int(tally.ahead),
          ] as JSONMembers
        },
        "not_understood": ingested?.notUnderstoodShare.map {
          ["lines": Int($0.lines), "of": Int($0.of)] as JSONMembers
        },
        "parts": parts.map(PartMembers.init), "permissions": list(.permission), "experiments": list(.experiment),
        "variants": list(.variant),
        "unknown": [
          "kinds": unknown.kinds, "permissions": unknown.permissions, "columns": unknown.columns,
        ] as JSONMembers,
      ] as JSONMembers)
  }

  private struct PartMembers: JSONWritable {
    var part: LogInformation.Part

    func write(to json: inout JSONWriter) {
      let members: JSONMembers = [
        "name": part.name, "events": part.events, "bytes": part.bytes, "blocks": part.blocks,
        "oldest": Timestamp.text(part.times.lowerBound), "newest": Timestamp.text(part.times.upperBound),
      ]
      members.write(to: &json)
    }
  }
}

extension Verification {
  static let schema = "permlog.verify/1"

  /// What was found as JSON, schema `permlog.verify/1`.
  /// - Parameter path: the log's directory.
  public func json(path: String) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": Self.schema, "log": path, "whole": damage.isEmpty, "events": events, "blocks": blocks, "parts": parts,
        "bytes": bytes,
        // Without a manifest nothing tells what is missing.
        "lost_events": hasManifest ? lostEvents : nil as Int?, "damage": damage, "notes": notes,
      ] as JSONMembers)
  }
}
