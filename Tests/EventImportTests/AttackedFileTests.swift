// Files that an attack from outside made lose or mix up lines, each held for good.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

@Suite struct AttackedFileTests {
  private let good = #"{"user_id":"u1","timestamp":1740823200000,"event":"granted","permission":"camera"}"#

  @Test func aWrapperOverSeveralLinesIsReadWhole() throws {
    for key in ["items", "records", "data", "batch", "results", "events", "rows"] {
      for count in [1, 2, 5, 60] {
        let records = (0..<count).map { good.replacing("u1", with: "u\($0)") }.joined(separator: ",\n")
        #expect(try importText("{\"\(key)\":[\n\(records)\n]}\n").events.count == count, "\(key) \(count)")
        #expect(try importText("{\"total\":5,\"\(key)\":[\n\(records)\n]}\n").events.count == count, "\(key) \(count)")
      }
    }
  }

  @Test func anUnknownListOverSeveralLinesIsRefused() {
    for text in ["{\"total\":3,\n\"hits\":[\n\(good),\n\(good)\n]}\n", "{\"hits\":[\n\(good),\n\(good)\n]}\n"] {
      let error = #expect(throws: ImportError.self) { try importText(text) }
      #expect(error?.code == .unknownFormat)
    }
  }

  @Test func aQuoteAstrayInTheHeadingTakesNoLines() {
    let text =
      "user_id,timestamp,event,permission,\"note\nu1,1740823200,granted,camera,x\nu2,1740823200,granted,camera,b\"\nu3,1740823200,granted,camera,c\n"
    #expect(throws: ImportError.self) { try importText(text) }
  }

  @Test func anOpenQuoteAtTheEndOfALongChunkTakesItsOwnLineAlone() throws {
    let header = "user_id,timestamp,event,permission,variant\n"
    let line = "u1,1740823200,granted,camera,aaaaaaaaaaaaaaaa\n"
    // So that exactly a line's limit and one byte more are in memory after the quote.
    for extra in 0..<3 {
      var text = header + "u0,1740823200,granted,camera,\"x\n"
      let count = (ImportLimit.line + 40) / line.utf8.count
      text += String(repeating: line, count: count) + String(repeating: "y", count: extra)
      let outcome = try importText(text + "\n")
      #expect(outcome.counts.lines == count + (extra > 0 ? 2 : 1), "\(extra)")
      #expect(outcome.events.count == count, "\(extra)")
    }
  }

  @Test func valuesThatCannotBeReadAreOneAndTheSame() throws {
    func line(_ n: Int, _ feature: String) -> String {
      #"{"type":"track","messageId":"m\#(n)","anonymousId":"a","timestamp":"2025-03-01T10:00:00Z","event":"feature_used","properties":{"feature":"\#(feature)"}}"#
        + "\n"
    }
    let plain = (0..<9).map { line($0, "shop \($0) " + String(repeating: "x", count: 80)) }
    let odd = line(9, "push_permission_denied_" + String(repeating: "y", count: 80))
    let before = try importText(odd + plain.joined())
    let after = try importText(plain.joined() + odd)
    #expect(before.counts.events == after.counts.events && before.counts.events == 10)
  }

  @Test func aListIsNoPermissionOfItsOwnName() throws {
    var options = testOptions(custom: true)
    options.mappings = []
    let text =
      #"{"type":"track","messageId":"m","anonymousId":"a","timestamp":"2025-03-01T10:00:00Z","event":"Permission Granted","properties":{"permission":["camera","microphone"]}}"#
      + "\n"
    #expect(try importText(text, options).events.isEmpty)
  }

  @Test func aSpellingThatWasForgottenStillMakesTheRightID() throws {
    func read(_ fillers: Int) throws -> [String] {
      func line(_ event: String, _ permission: String, _ status: String) -> String {
        #"{"user_id":"u","timestamp":1740823200,"event":"\#(event)","permission":"\#(permission)","status":"\#(status)"}"#
          + "\n"
      }
      var text = line("granted", "Camera", "denied")
      for n in 0..<fillers { text += line("X\(n)", "camera", "denied") }
      return try importText(text + line("granted", "Camera", "Authorized"), testOptions(format: .ndjson)).events.map(
        \.event)
    }
    let expected = try read(0)
    for fillers in [997, 998, 999, 1000, 1001] { #expect(try read(fillers) == expected, "\(fillers)") }
  }

  @Test func textThatTurnsIntoUTF8IsNotReadAsWindows1252() throws {
    let header = "user_id,timestamp,event,permission,surface\n"
    func line(_ user: [UInt8]) -> [UInt8] { user + Array(",1740823200,granted,camera,x\n".utf8) }
    let old = line([0x4A, 0x6F, 0x73, 0xE9])
    let plain = (0..<3000).flatMap { line(Array("u\($0)".utf8)) }
    #expect(plain.count > ImportLimit.head)
    let read = try importText(Data(Array(header.utf8) + old + plain + old))
    #expect(read.events.count == 3002 && read.events.first?.user == "José")
    let mixed = Data(Array(header.utf8) + old + plain + line(Array("José".utf8)))
    let error = #expect(throws: ImportError.self) { try importText(mixed) }
    #expect(error?.message.contains("begins as Windows-1252 and goes on as UTF-8") == true)
  }
}
