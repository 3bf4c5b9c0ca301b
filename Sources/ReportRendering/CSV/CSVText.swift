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

  /// Text from outside as a spreadsheet may open it: without hidden characters, and never a formula.
  ///
  /// Spreadsheets calculate cells that begin with one of these signs, quoted or not; an apostrophe before it makes them
  /// text. An apostrophe that is there gets one too, so that taking one away always gives the name back.
  static func harmless(_ text: String) -> String {
    let text = TextStyle.plain.legible(text)
    return text.unicodeScalars.first.map { formulaSigns.contains($0) } == true ? "'" + text : text
  }

  private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "'", "＝", "＋", "－", "＠"]
}
