// One line on the terminal that says how far an ingest has come.

import Threads
import PermissionEvents
import Permlog
import ReportRendering

/// Shows progress at most ten times a second; only made use of on a terminal.
final class ProgressLine: Sendable {
  private let last = Mutex<Double>(0)

  func show(_ progress: IngestProgress) {
    guard case .reading(let lines, let share) = progress else { return write("sorting and writing") }
    let now = SystemClock.steadySeconds
    let isDue = last.withLock { last in
      guard now - last >= 0.1 else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let percent = share.map { " \(Int($0 * 100)) %" } ?? ""
    write("reading\(percent): \(grouped(lines)) lines")
  }

  func clear() {
    if Output.isErrorTerminal { Output.raw("\r\u{1B}[K") }
  }

  private func write(_ text: String) { Output.raw("\r\u{1B}[K" + text) }
}
