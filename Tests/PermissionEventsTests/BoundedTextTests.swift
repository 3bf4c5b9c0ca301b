// Text from outside: what is ordinary stays byte for byte, and no run of combining marks is long enough to cost its square.

import Foundation
import Testing

@testable import PermissionEvents

struct BoundedTextTests {
  /// The name of a text's longest run of marks, by another list of marks than the code's.
  private func longestRun(_ text: String) -> Int {
    var (run, longest) = (0, 0)
    for scalar in text.unicodeScalars {
      run = CharacterSet.nonBaseCharacters.contains(scalar) ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }

  @Test(arguments: ["\u{301}\u{316}", "\u{F73}", "\u{344}", "\u{5B0}\u{94D}", "\u{1D165}\u{1D16D}", "\u{20DD}\u{301}"])
  func longRunsAreBroken(_ marks: String) {
    let text = "a" + String(repeating: marks, count: 1_000) + "b"
    #expect(!text.isBounded)
    let bounded = String(bounded: Array(text.utf8))
    #expect(bounded.isBounded && longestRun(bounded) == BoundedText.mostMarks)
    // Nothing is lost, and to break a text again changes nothing.
    #expect(bounded.unicodeScalars.filter { $0 != "\u{FFFD}" }.elementsEqual(text.unicodeScalars))
    #expect(bounded.bounded.utf8.elementsEqual(bounded.utf8))
    #expect(String(boundedExactly: Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    "", "camera", String(repeating: "x", count: 100_000), String(repeating: "日本語の名前", count: 1_000),
    // Names of the longest length that a log has, of marks alone.
    String(repeating: "\u{301}\u{316}", count: 64), String(repeating: "\u{301}", count: 128),
    // Written languages with many marks.
    String(repeating: "หนี้สิ้น", count: 500), String(repeating: "שָׁלוֹם", count: 500), String(repeating: "ད྄ཱིུ", count: 500),
    String(repeating: "e" + String(repeating: "\u{301}\u{316}", count: 15), count: 500),
  ])
  func ordinaryTextStays(_ text: String) {
    #expect(text.isBounded)
    #expect(String(bounded: Array(text.utf8)).utf8.elementsEqual(text.utf8))
    #expect(String(boundedExactly: Array(text.utf8))?.utf8.elementsEqual(text.utf8) == true)
  }

  @Test func bytesThatAreNotTextAreRepaired() {
    #expect(String(bounded: [0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(String(boundedExactly: [0x61, 0xFF] as [UInt8]) == nil)
  }

  /// Every String of bytes in the sources is made by this file, or says why it need not be.
  @Test func noSourceMakesStringsOtherwise() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    let makers = try Regex(#"String\((decoding|validating|cString)|String\.init\(|decodeCString"#)
    // Checks of bytes, and texts of the system and of libraries.
    let harmless = try Regex(
      #"[!=]= nil|\.bounded|strerror|ZSTD_getErrorName|error_string|pointee\.(msg|problem)|cgz_damage|carchive_load_error|cv_vendor|ctf_parse"#
    )
    var found: [String] = []
    for case let file as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init()
    where file.pathExtension == "swift" && file.lastPathComponent != "BoundedText.swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where line.contains(makers) && !line.contains(harmless) {
        let reason = lines[max(0, number - 3)..<number].contains { $0.contains("// As it is: ") }
        let text = line.drop(while: \.isWhitespace)
        if !reason, !text.hasPrefix("//") { found.append("\(file.lastPathComponent):\(number + 1): \(text)") }
      }
    }
    #expect(found.isEmpty, "make it by String(bounded:), or say // As it is: and the reason")
  }
}
