// Cells of CSV (RFC 4180).

package enum CSVText {
  /// Appends a cell: quoted if it has a comma, a quote or a line break.
  package static func write(_ value: [UInt8], into out: inout [UInt8]) {
    guard value.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
      out += value
      return
    }
    out.append(0x22)
    for byte in value {
      if byte == 0x22 { out.append(0x22) }
      out.append(byte)
    }
    out.append(0x22)
  }

  /// Text from outside as a spreadsheet may open it: never a formula, and with what is hidden as `\u{9B}`, so that two names stay two.
  ///
  /// Spreadsheets calculate cells that begin with one of these signs, quoted or not; an apostrophe before it makes them
  /// text. An apostrophe that is there gets one too, so that taking one away always gives the name back.
  static func harmless(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return guarded(text, text) }
    var shown = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if TextStyle.isHidden(scalar, after: before) {
        shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
      before = scalar
    }
    return guarded(text, shown)
  }

  /// Appends a cell that is harmless.
  package static func writeHarmless(_ value: [UInt8], into out: inout [UInt8]) {
    write(Array(harmless(String(decoding: value, as: UTF8.self)).utf8), into: &out)
  }

  /// Spreadsheets may leave out blanks before they look.
  private static func guarded(_ text: String, _ shown: String) -> String {
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !TextStyle.isHidden($0, after: " ") }
    let isFormula = first.map { formulaSigns.contains($0) } ?? false
    return isFormula || text.utf8.first == 0x09 || text.utf8.first == 0x0D ? "'" + shown : shown
  }

  private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "'", "＝", "＋", "－", "＠"]
}
