// What is known of the terminal.

import ReportRendering

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension TextStyle {
  /// The style for standard output: its terminal's width, at most 120, and colour unless NO_COLOR is set. Without a
  /// terminal 80 columns, or `COLUMNS`, and no colour.
  static func current(toFile: Bool) -> TextStyle {
    let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
    guard Output.isTerminal, !toFile else { return TextStyle(width: clamp(columns ?? 80), hints: DocumentWords.text) }
    var size = winsize()
    let known = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let noColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    return TextStyle(
      width: clamp(known ? Int(size.ws_col) : columns ?? 80), hasColor: !noColor && !isDumb, hints: DocumentWords.text)
  }

  private static func clamp(_ width: Int) -> Int { min(120, max(60, width)) }
}
