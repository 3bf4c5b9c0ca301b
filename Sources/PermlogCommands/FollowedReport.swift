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
    ]
    if let other = others.first(where: { $0.0 }) {
      throw ValidationError("--follow draws the report on a terminal until ctrl-C ends it: leave out \(other.1)")
    }
  }

  /// Draws until the user ends it.
  func followLog() throws {
    guard Output.isTerminal else {
      throw CommandFailure.usage("--follow needs a terminal, and standard output goes elsewhere: leave out --follow")
    }
    let log: PermissionLog = try CommandFailure.wrap { try self.log.open() }
    var drawn: (fingerprint: String, window: Window, end: Double)?
    while true {
      let window = Window.now
      if let drawn, SystemClock.steadySeconds < drawn.end, drawn.window == window {
        let fingerprint = try CommandFailure.wrap { try log.fingerprint() }
        if fingerprint == drawn.fingerprint {
          usleep(Self.look)
          continue
        }
      }
      let begin = SystemClock.steadySeconds
      let read = try CommandFailure.wrap { try followed(log) }
      try Output.result(window.screen(read.text, Self.line(log.path, hasColor: result.style.hasColor)))
      // Under the report, where the next one does not take it away before it was read.
      if let unknown = read.unknown { Output.tell(unknown) }
      let cost = SystemClock.steadySeconds - begin
      drawn = (read.fingerprint, window, SystemClock.steadySeconds + Self.longest)
      usleep(max(Self.look, UInt32(min(10, cost * (1 / Self.share - 1)) * 1e6)))
    }
  }

  private func followed(
    _ log: PermissionLog
  ) throws -> (fingerprint: String, text: [UInt8], unknown: UnknownVocabulary?) {
    var request = ReportRequest()
    try fields.apply(to: &request)
    try fields.checkCompany(in: request)
    try prepare(&request, .text)
    let now = try log.snapshot()
    var unknown: UnknownVocabulary?
    let report = try now.report(request) { unknown = $0 }
    var text: [UInt8] = []
    try write(report, as: .text) { text += $0 }
    return (try now.fingerprint(), text, unknown)
  }

  private static func line(_ path: String, hasColor: Bool) -> String {
    let words = "following \(TextStyle(isASCII: !Terminal.isUTF8).legible(path)); ctrl-C ends"
    return hasColor ? "\u{1B}[2m\(words)\u{1B}[0m" : words
  }
}

/// The size of the terminal.
private struct Window: Equatable {
  var rows: Int
  var columns: Int

  static var now: Window {
    var size = winsize()
    let isKnown = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 4
    return Window(rows: isKnown ? Int(size.ws_row) : 24, columns: isKnown ? Int(size.ws_col) : 80)
  }

  /// What draws a text over the one before, without a moment in which there is none: as many of its lines as there is room for.
  func screen(_ text: [UInt8], _ last: String) -> [UInt8] {
    let end = Array("\u{1B}[K\r\n".utf8)
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    let room = rows - 2
    var screen = Array("\u{1B}[H".utf8)
    let shown = lines.count <= room ? lines[...] : lines.prefix(room - 1)
    for line in shown { screen += line + end }
    if shown.count < lines.count { screen += Array("… \(lines.count - shown.count) more lines".utf8) + end }
    return screen + Array(last.utf8) + end + Array("\u{1B}[J".utf8)
  }
}
