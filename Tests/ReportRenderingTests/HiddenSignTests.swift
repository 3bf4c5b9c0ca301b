// Signs that a terminal takes for commands, that reorder a line or cannot be seen: shown in text, escaped in JSON, harmless in CSV.

import Foundation
import Testing

@testable import ReportRendering

@Suite struct HiddenSignTests {
  @Test func noHiddenSignReachesAScreen() {
    let ranges: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x180E...0x180E,
      0x200B...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xE0001...0xE007F,
    ]
    for code in ranges.joined() {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let shown = "a\\u{" + String(code, radix: 16, uppercase: true) + "}b"
      #expect(TextStyle().legible("a\(scalar)b") == shown)
      #expect(TextStyle(isASCII: true).legible("a\(scalar)b") == shown)
    }
    #expect(TextStyle().legible(String(decoding: [0x61, 0xFF, 0x9B], as: UTF8.self)) == "a\u{FFFD}\u{FFFD}")
  }

  /// What joins or chooses nothing is there only to make two names look alike.
  @Test(arguments: ["camera\u{FE01}", "é\u{200D}", "α\u{200C}", "1\u{FE01}", "x\u{FE0F}"])
  func whatHasNothingToJoinIsShown(text: String) {
    let last = text.unicodeScalars.last.map { TextStyle.codePoint($0) } ?? ""
    #expect(TextStyle().legible(text) == text.unicodeScalars.dropLast().map(String.init).joined() + last)
  }

  @Test func wordsAndPicturesStayWhole() {
    for text in ["می\u{200C}خواهم", "👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "e\u{301}", "Grün", "日本"] {
      #expect(TextStyle().legible(text) == text)
    }
  }

  @Test func jsonEscapesControlsAndStaysTheSameValue() throws {
    let text = "a\u{7F}\u{80}\u{9B}31m\u{9F}\u{A0}\u{2027}\u{2028}\u{2029}\u{202A}é€\u{C2}"
    let json = JSONWriter.document(text)
    #expect(
      String(decoding: json, as: UTF8.self)
        == "\"a\\u007f\\u0080\\u009b31m\\u009f\u{A0}\u{2027}\\u2028\\u2029\u{202A}é€\u{C2}\"\n")
    #expect(try JSONDecoder().decode([String].self, from: Data("[".utf8 + json + "]".utf8)) == [text])
    // A text that was cut within a character stays as it was.
    for cut in [[0x61, 0xC2], [0x61, 0xE2], [0x61, 0xE2, 0x80]] as [[UInt8]] {
      var writer = JSONWriter()
      writer.object { $0.member(named: "a", utf8: cut) }
      #expect(writer.take() == Array(#"{"a": ""#.utf8) + cut + Array("\"}".utf8))
    }
  }

  @Test func aCellForASpreadsheetIsNoFormula() {
    func cell(_ text: String) -> String {
      var out: [UInt8] = []
      CSVText.writeHarmless(Array(text.utf8), into: &out)
      return String(decoding: out, as: UTF8.self)
    }
    let cells = [
      ("plain", "plain"), ("a=1", "a=1"), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"),
      ("@SUM(A1)", "'@SUM(A1)"),
      ("  =1", "'  =1"), ("\u{A0}=1", "'\u{A0}=1"), ("\u{200B}=1", "'\\u{200B}=1"), ("\t=1", "'\\u{9}=1"),
      ("\tx", "'\\u{9}x"),
      ("\rx", "'\\u{D}x"), ("\n=1", "'\\u{A}=1"), ("＝1", "'＝1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠1", "'＠1"),
      ("'x", "''x"),
      ("a,b", "\"a,b\""), ("=\"a\"", "\"'=\"\"a\"\"\""), ("a\u{9B}b\u{202E}", "a\\u{9B}b\\u{202E}"),
      ("a\nb", "a\\u{A}b"),
    ]
    for (text, expected) in cells { #expect(cell(text) == expected, "\(text)") }
    #expect(CSVText.harmless(" =1") == "' =1" && CSVText.harmless("\t=1") == "'\\u{9}=1")
    // Two names stay two.
    #expect(CSVText.harmless("\u{202E}abc") == "\\u{202E}abc" && CSVText.harmless("\u{2069}abc") == "\\u{2069}abc")
  }
}
