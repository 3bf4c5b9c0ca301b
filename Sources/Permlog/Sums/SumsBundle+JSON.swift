// What sums are of, as JSON.

public import Folding
import PermissionEvents
import ReportRendering

extension SumsBundle {
  /// What these sums are of, as JSON (docs/schemas/sums-1.json); not the sums themselves.
  public var json: [UInt8] {
    JSONWriter.document(
      [
        "schema": "permlog.sums/1", "job": job.name, "shards": job.shards, "claimed": SumsJSON.ranges(job.claimed),
        "missing": SumsJSON.ranges(job.missing), "read": job.reading, "totals": SumsJSON.totals(totals),
        "reasons": totals.orderedReasons.map {
          ["reason": $0.reason, "count": Int($0.count)] as JSONMembers
        },
        "questions": answers.map { answer in
          [
            "checksum": answer.question.checksum, "kind": answer.question.kind.rawValue, "fold": answer.sums.name,
            "question": String(decoding: answer.question.encoded, as: UTF8.self),
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension SumsTotals {
  /// Rejected lines by reason, the most frequent first.
  public var orderedReasons: [(reason: String, count: Int64)] {
    reasons.map { (reason: $0.key, count: $0.value) }.sorted { a, b in
      a.count == b.count ? a.reason.utf8.lexicographicallyPrecedes(b.reason.utf8) : a.count > b.count
    }
  }
}

private enum SumsJSON {
  static func ranges(_ shards: ShardSet) -> [JSONMembers] {
    shards.ranges.map { ["first": $0.lowerBound, "last": $0.upperBound] as JSONMembers }
  }

  static func totals(_ totals: SumsTotals) -> JSONMembers {
    [
      "lines": totals.lines.map { Int($0) }, "events": Int(totals.events), "users": Int(totals.users),
      "newest": totals.newest.map { Timestamp.text($0) }, "rejected": totals.rejected.map { Int($0) },
      "duplicates": totals.duplicates.map { Int($0) }, "conflicts": totals.conflicts.map { Int($0) },
      "erased": totals.erased.map { Int($0) }, "unmapped": totals.unmapped.map { Int($0) },
    ]
  }
}
