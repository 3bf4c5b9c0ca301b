// One line on the terminal that says how far an ingest has come.

import PermissionEvents
import EventImport
import ReportRendering

/// Shows progress at most ten times a second; only made use of on a terminal.
final class ProgressLine: Sendable {
  private let last = Mutex<Double>(0)

  func show(_ progress: ImportProgress) {
    let now = monotonicSeconds()
    let isDue = last.withLock { last in
      guard now - last >= 0.1 else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let share = progress.totalBytes.flatMap { total in
      total > 0 ? " \(min(100, progress.bytesRead * 100 / total)) %" : nil
    }
    write("reading\(share ?? ""): \(grouped(progress.counts.lines)) lines")
  }

  func note(_ text: String) {
    if Output.isErrorTerminal { write(text) }
  }

  func clear() {
    if Output.isErrorTerminal { Output.raw("\r\u{1B}[K") }
  }

  private func write(_ text: String) { Output.raw("\r\u{1B}[K" + text) }
}
