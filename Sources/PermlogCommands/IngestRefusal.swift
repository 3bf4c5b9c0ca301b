// When an ingest stores nothing although it could read its files: the limits on rejected lines, and a run that understood no line.

import ArgumentParser
import EventImport
import ReportRendering

/// `--max-rejected`: a share of all lines, or a number of them.
struct RejectionLimit: ExpressibleByArgument {
  let text: String
  /// Lines in a million of all; nil for a number of lines.
  private let share: Int?
  private let number: Int

  init?(argument: String) {
    text = argument
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else { return nil }
      share = Int((percent * 10_000).rounded())
      number = 0
    } else {
      guard let lines = Int(argument), lines >= 0 else { return nil }
      share = nil
      number = lines
    }
  }

  func isExceeded(_ rejected: Int, of lines: Int) -> Bool {
    guard let share else { return rejected > number }
    // Exact: lines fit in 43 bits.
    return rejected.multipliedFullWidth(by: 1_000_000) > lines.multipliedFullWidth(by: share)
  }
}

private func > (a: (high: Int, low: UInt), b: (high: Int, low: UInt)) -> Bool {
  a.high != b.high ? a.high > b.high : a.low > b.low
}

enum IngestRefusal {
  case strict(Int)
  case tooMany(Int, limit: String)
  case nothingUnderstood(ImportCounts)

  var sentence: String {
    switch self {
    case .strict(let count):
      "\(counted(count, "line was", "lines were")) rejected and --strict was given: nothing was stored. Mend the lines, or "
        + "leave --strict out."
    case .tooMany(let count, let limit):
      "\(counted(count, "line was", "lines were")) rejected, more than --max-rejected \(limit): nothing was stored. Mend "
        + "the lines, or allow more."
    case .nothingUnderstood(let counts):
      "\(counted(counts.lines, "line was", "lines were")) read and none was understood (\(Self.parts(counts))): nothing was "
        + "stored. permlog mapping check FILE shows what became of each, permlog mapping draft FILE writes a mapping to "
        + "begin with."
    }
  }

  private static func parts(_ counts: ImportCounts) -> String {
    var parts: [String] = []
    if counts.rejected > 0 { parts.append("\(grouped(counts.rejected)) rejected") }
    if counts.unmapped > 0 { parts.append("\(grouped(counts.unmapped)) with names that are not mapped") }
    return parts.joined(separator: ", ")
  }
}
