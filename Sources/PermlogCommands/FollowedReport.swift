// `permlog report --follow`: the report on a terminal, drawn anew whenever the log changes.

import ArgumentParser
import Permlog
import ReportRendering
import SystemCalls

extension ReportCommand {
  /// Between two looks at the log's manifest. Commits are rare, and a look reads some kilobytes.
  private static let look: UInt32 = 50_000
  /// Of the time, the share that answers may take while one commit follows the other.
  private static let share = 0.2
  /// A log that a server feeds is asked as of now: the report then changes without events, too.
  private static let longest = 60.0

  func checkFollowing() throws {
    guard follow else { return }
    let others = [
      (question.isSaved, "--save-question"), (question.isAnswer, "--from-sums"), (result.output != nil, "--output"),
      (format ?? .text != .text, "--format \(format?.rawValue ?? "")"), (failOnDrop, "--fail-on-drop"),
      (title != nil, "--title"),
    ]
    if let other = others.first(where: { $0.0 }) {
      throw ValidationError("--follow draws the report on a terminal until ctrl-C ends it: leave out \(other.1)")
    }
  }

  /// Draws until the user ends it.
  func followLog() throws {
    guard Output.isTerminal, Terminal.isCapable else {
      throw CommandFailure.usage(
        "--follow needs standard output to be a terminal that can draw ($TERM): leave out --follow")
    }
    let log: PermissionLog = try CommandFailure.wrap { try self.log.open() }
    var drawn: (fingerprint: String, window: Window, next: Double, end: Double)?
    while true {
      let (window, begin) = (Window.now, SystemClock.steadySeconds)
      if let drawn, begin < drawn.end, drawn.window == window {
        // While one commit follows the other, answers take a part of the time.
        let isEarly = begin < drawn.next
        let fingerprint =
          isEarly ? drawn.fingerprint : try CommandFailure.wrap { () throws -> String in try log.fingerprint() }
        if fingerprint == drawn.fingerprint {
          usleep(Self.look)
          continue
        }
      }
      let read = try CommandFailure.wrap { try followed(log) }
      try Output.result(window.screen(read.text, note: read.unknown?.note, path: log.path, style: result.style))
      let end = SystemClock.steadySeconds
      drawn = (read.fingerprint, window, end + (end - begin) * (1 / Self.share - 1), end + Self.longest)
    }
  }

  private func followed(
    _ log: PermissionLog
  ) throws -> (fingerprint: String, text: [UInt8], unknown: UnknownVocabulary?) {
    var request = ReportRequest()
    try fields.apply(to: &request)
    try fields.checkCompany(in: request)
    try prepare(&request, .text)
    try request.checkFields()
    let now = try log.snapshot()
    var unknown: UnknownVocabulary?
    let report = try now.report(request) { unknown = $0 }
    var text: [UInt8] = []
    try write(report, as: .text) { text += $0 }
    return (try now.fingerprint(), text, unknown)
  }
}

/// The size of the terminal.
private struct Window: Equatable {
  var rows: Int
  var columns: Int

  static var now: Window {
    var size = winsize()
    let isKnown = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    return Window(rows: isKnown ? Int(size.ws_row) : 24, columns: isKnown ? Int(size.ws_col) : 80)
  }

  /// What draws a text over the one before, without a moment in which there is none: as many of its lines as there is room for. A line that
  /// is longer than the terminal is wide ends at its edge.
  func screen(_ text: [UInt8], note: String?, path: String, style: TextStyle) -> [UInt8] {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    var last = [style.legible(note ?? ""), "following \(style.legible(path)); ctrl-C ends"].filter { !$0.isEmpty }
    if style.hasColor { last = last.map { "\u{1B}[2m\($0)\u{1B}[0m" } }
    // The cursor stands in a row of its own.
    let room = max(1, rows - last.count - 1)
    if lines.count > room {
      let more = "\(style.isASCII ? "..." : "…") \(lines.count - room + 1) more lines"
      lines = lines.prefix(room - 1) + [Array(more.utf8)]
    }
    let end = Array("\u{1B}[K\r\n".utf8)
    return Array("\u{1B}[?7l\u{1B}[H".utf8) + (lines + last.map { Array($0.utf8) }).flatMap { $0 + end }
      + Array("\u{1B}[J\u{1B}[?7h".utf8)
  }
}
