// When an ingest stores nothing although it could read its files.

import EventImport
import ReportRendering

/// Why nothing of what was read is stored.
public enum IngestRefusal: Sendable, Equatable {
  /// So many lines were refused, and none may be.
  case strict(rejected: Int)
  /// More lines were refused than may be.
  case tooManyRejected(Int, limit: RejectionLimit)
  /// Lines were read, and none was understood.
  case nothingUnderstood(ImportCounts)

  init?(_ counts: ImportCounts, _ options: IngestOptions) {
    if options.isStrict, counts.rejected > 0 {
      self = .strict(rejected: counts.rejected)
    } else if let limit = options.rejectionLimit, limit.isExceeded(counts.rejected, of: counts.lines) {
      self = .tooManyRejected(counts.rejected, limit: limit)
    } else if counts.lines > 0, counts.events == 0 {
      self = .nothingUnderstood(counts)
    } else {
      return nil
    }
  }

  /// A sentence that says what was found. Nothing was stored.
  public var finding: String {
    switch self {
    case .strict(let count): "\(counted(count, "line was", "lines were")) rejected"
    case .tooManyRejected(let count, let limit):
      "\(counted(count, "line was", "lines were")) rejected, more than \(limit.text)"
    case .nothingUnderstood(let counts):
      "\(counted(counts.lines, "line was", "lines were")) read and none was understood (\(Self.parts(counts)))"
    }
  }

  private static func parts(_ counts: ImportCounts) -> String {
    var parts: [String] = []
    if counts.rejected > 0 { parts.append("\(grouped(counts.rejected)) rejected") }
    if counts.unmapped > 0 { parts.append("\(grouped(counts.unmapped)) with names that are not mapped") }
    return parts.joined(separator: ", ")
  }
}
