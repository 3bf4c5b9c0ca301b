// `permlog sums show`: the job, rows and questions of sums.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

struct SumsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the shards, rows and questions of sums.",
    usage: "permlog sums show [<options>] <file> ...",
    discussion: """
      Several files are added up first, as by permlog sums merge. Shards that are missing are listed.

      Example:
        permlog sums show april.sums
        permlog sums show shards/*.sums --format json
      """)

  @Argument("Files of sums, or - for standard input.", value: "file")
  var files: [String]

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: SummaryFormat?

  @OptionGroup var result: PlainResultOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let format = try FileFormat.choose(format, result.output, else: .text)
    let paths = RawArguments.paths(files)
    var protected = ProtectedFiles()
    for path in paths { protected.add(path, "one of the files to show") }
    try Output.checkFile(result.output, besides: protected)
    let sums = try CommandFailure.wrap { try SumsBundle(paths: paths) }
    let style = appearance.style(toFile: result.output != nil)
    let bytes = format == .json ? sums.json : Array(SumsOverview(sums: sums, style: style).text.utf8)
    try Output.result(bytes, to: result.output, besides: protected)
  }
}

// MARK: The overview of sums as text

struct SumsOverview {
  var sums: SumsBundle
  var style: TextStyle

  /// Reasons that are shown; JSON has all.
  private static let shownReasons = 12

  var text: String {
    let (job, totals) = (sums.job, sums.totals)
    var lines: [String] = []
    lines.append("job         \(job.name.map { style.legible($0) } ?? "none: all users at once")")
    if job.name != nil {
      let missing = job.missing
      lines.append(
        "shards      has \(job.claimed.phrase) of \(grouped(job.shards)); "
          + (missing.isEmpty ? "no shard is missing" : "\(missing.phrase) \(missing.count == 1 ? "is" : "are") missing")
      )
    }
    lines.append(
      "read        \(job.reading == SumsJob.ofLog ? "from a log" : "from exports (checksum of the options: \(style.legible(job.reading)))")"
    )
    lines.append("events      \(grouped(Int(totals.events))) of \(counted(Int(totals.users), "user", "users"))")
    if let without = job.without {
      lines.append(
        "without     \(counted(Int(totals.leftOutUsers ?? 0), "user", "users")) of the list \(style.legible(without))")
    }
    if let newest = totals.newest { lines.append("newest      \(Timestamp.text(newest))") }
    if let count = totals.lines { lines.append("lines       \(grouped(Int(count)))") }
    lines.append(
      totals.duplicates.map {
        let conflicts = Int(totals.conflicts ?? 0)
        return "duplicate   \(counted(Int($0), "event", "events"))"
          + (conflicts > 0 ? ", of which \(grouped(conflicts)) differ from the one kept" : "")
      } ?? "duplicate   unknown")
    // Unknown for a log: its ingests keep no such counts.
    if let erased = totals.erased, erased > 0 { lines.append("left out    \(counted(Int(erased), "event", "events"))") }
    if let unmapped = totals.unmapped, unmapped > 0 {
      lines.append("unmapped    \(counted(Int(unmapped), "event", "events")), not counted")
    }
    lines.append("rejected    \(totals.rejected.map { counted(Int($0), "line", "lines") } ?? "unknown")")
    let reasons = totals.orderedReasons
    for (reason, count) in reasons.prefix(Self.shownReasons) {
      lines.append("  \(grouped(Int(count))): \(style.legible(reason))")
    }
    if reasons.count > Self.shownReasons {
      lines.append("  and \(counted(reasons.count - Self.shownReasons, "more reason", "more reasons"))")
    }
    lines.append("questions   \(grouped(sums.answers.count))")
    for (question, sums) in sums.answers {
      lines.append("  \(question.checksum)  \(question.kind.rawValue), version \(version(of: sums)) of its sums")
      for (name, value) in question.shownFacts {
        lines.append("    \(name.replacing("_", with: " ")): \(style.legible(value))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func version(of sums: AnySums) -> Substring { sums.name.split(separator: " ").last ?? "" }
}
