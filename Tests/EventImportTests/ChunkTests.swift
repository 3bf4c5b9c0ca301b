// Where chunks meet: every line arrives once, in order, with its number, whatever the lengths and the number
// of threads.

import Threads
import PermissionEvents
import Foundation
import Testing

@testable import EventImport

/// Collects the numbers of refused lines.
final class RejectCounter: Sendable {
  private let kept = Mutex<[RejectedLine]>([])
  var lines: [Int] { kept.withLock { $0.map(\.line) } }
  var files: [String] { kept.withLock { $0.map(\.file) } }
  var take: @Sendable (RejectedLine) -> Void { { line in self.kept.withLock { $0.append(line) } } }
}

@Suite struct ChunkTests {
  /// A file of several chunks: good lines of all lengths, blank and bad ones. Returns the users and the numbers of
  /// the bad lines.
  private func mixed(seed: UInt64, csv: Bool) -> (text: String, users: [String], bad: [Int]) {
    var random = SeededGenerator(seed: seed)
    var text = csv ? "user_id,timestamp,event,note\n" : ""
    var users: [String] = []
    var bad: [Int] = []
    var line = csv ? 1 : 0
    while text.utf8.count < 3_500_000 {
      line += 1
      let length = Int.random(in: 0...1, using: &random) == 0 ? 40 : Int.random(in: 0...40_000, using: &random)
      let filler = String(repeating: "x", count: length)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: text += Bool.random(using: &random) ? "\n" : " \t\r\n"
      case 1:
        bad.append(line)
        text += csv ? "bad,\(filler)\n" : "{\"bad\":\"\(filler)\"}\n"
      default:
        let user = "user\(line)"
        users.append(user)
        if csv {
          let inner = Bool.random(using: &random) ? "\"\(filler)\n\"\"\n\(filler)\"" : filler
          if inner.hasPrefix("\"") { line += 2 }
          text += "\(user),1740830400000,app_active,\(inner)\n"
        } else {
          let extra = Bool.random(using: &random) ? "" : ",\"note\":\"\(filler)\""
          text += #"{"user_id":"\#(user)","timestamp":1740830400000,"event":"app_active"\#(extra)}"# + "\n"
        }
      }
    }
    // A bad record without its line end would be one that is cut off.
    if Bool.random(using: &random), bad.last != line { text.removeLast() }
    return (text, users, bad)
  }

  @Test(arguments: [false, true])
  func everyLineOnceInOrder(csv: Bool) throws {
    let directory = try TemporaryDirectory()
    for seed in 1...4 as ClosedRange<UInt64> {
      let (text, users, bad) = mixed(seed: seed, csv: csv)
      let path = try directory.write("file", text)
      let single = try importPaths([path])
      #expect(single.events.map(\.user) == users, "seed \(seed)")
      #expect(single.rejects.map(\.line) == bad, "seed \(seed)")
      #expect(single.counts.lines == users.count + bad.count, "seed \(seed)")
      for (threads, path) in [(2, path), (3, path)] {
        let several = try importPaths([path], testOptions(threads: threads))
        #expect(several.events == single.events, "seed \(seed), \(threads) threads")
        #expect(several.rejects == single.rejects, "seed \(seed), \(threads) threads")
        #expect(several.counts == single.counts, "seed \(seed), \(threads) threads")
      }
      // The same bytes through a pipe are cut elsewhere.
      let file = try #require(FileHandle(forReadingAtPath: path))
      let piped = try importPaths(["/dev/fd/\(file.fileDescriptor)"])
      #expect(piped.events.map(\.user) == users, "seed \(seed)")
    }
  }

  @Test func everyPlaceOfALineEndAroundABorder() throws {
    let directory = try TemporaryDirectory()
    let chunk = ImportLimit.chunk
    func line(_ user: String, count: Int) -> String {
      let head = #"{"user_id":"\#(user)","timestamp":1740830400000,"event":"app_active","x":""#
      return head + String(repeating: "x", count: count - head.utf8.count - 3) + "\"}\n"
    }
    for shift in -3...3 {
      for mark in [false, true] {
        // The first line ends at the border and `shift` bytes further.
        let first = line("a", count: chunk / 2) + line("b", count: chunk / 2 + shift - (mark ? 3 : 0))
        let text =
          (mark ? "\u{FEFF}" : "") + first + line("c", count: chunk / 2 - shift) + "{}\n" + line("d", count: 99)
        #expect(text.utf8.count == chunk * 3 / 2 + 3 + 99)
        let outcome = try importPaths([directory.write("file", text)], testOptions(threads: 2))
        #expect(outcome.events.map(\.user) == ["a", "b", "c", "d"], "shift \(shift)")
        #expect(outcome.rejects.map(\.line) == [4], "shift \(shift)")
      }
    }
  }

  @Test func linesOfMoreThanOneMebibyteAreSkipped() throws {
    let directory = try TemporaryDirectory()
    let limit = ImportLimit.line
    func line(_ user: String, count: Int) -> String {
      let head = #"{"user_id":"\#(user)","timestamp":1740830400000,"event":"app_active","x":""#
      return head + String(repeating: "x", count: count - head.utf8.count - 2) + "\"}\n"
    }
    for long in [limit + 1, limit + 4096, 2 * limit, 3_000_000, 9_000_001] {
      for lead in long > 3_000_000 ? [1] : [0, 1, limit - 1, limit, limit + 1] {
        let before = lead == 0 ? "" : String(repeating: " ", count: max(0, lead - 1)) + "\n"
        let text =
          before + line("a", count: limit) + line("b", count: long) + "{}\n" + line("c", count: 100)
          + line("d", count: long)
        let first = lead == 0 ? 1 : 2
        let plain = try directory.write("file", text)
        for path in [plain, "/dev/fd/\(try open(plain))"] {
          let outcome = try importPaths([path], testOptions(format: .ndjson, threads: 2))
          #expect(outcome.events.map(\.user) == ["a", "c"], "\(long) behind \(lead)")
          #expect(
            outcome.rejects.map(\.line) == [first + 1, first + 2, first + 4], "\(long) behind \(lead) in \(path)")
          #expect(outcome.rejects.first?.reason == "the line is longer than 1 MiB")
          #expect(outcome.rejects.first?.text.count == 4096)
        }
      }
    }
  }

  private func open(_ path: String) throws -> Int32 {
    let descriptor = Foundation.open(path, O_RDONLY)
    try #require(descriptor >= 0)
    return descriptor
  }

  @Test func theBeginningOfALongLineIsNoLine() throws {
    let short = #"{"user_id":"a","timestamp":1740830400000,"event":"app_active"}"#
    let text =
      short + String(repeating: " ", count: 3_000_000) + "\n" + String(repeating: " ", count: ImportLimit.line + 1)
      + "\n" + short
    let outcome = try importText(text)
    #expect(outcome.events.count == 1)
    #expect(outcome.rejects.map(\.line) == [1, 2])
    #expect(outcome.rejects.allSatisfy { $0.reason == "the line is longer than 1 MiB" })
  }
}
