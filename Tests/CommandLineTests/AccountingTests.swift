// Nothing vanishes: in mangled files every line is new, a copy, of an erased user, not mapped, rejected or blank, counted here
// independently of the tool.

import Foundation
import Testing

@Suite struct AccountingTests {
  private struct Summary: Decodable {
    var lines: Int
    var events: Int
    var new: Int
    var duplicates: Int
    var erased: Int
    var rejected: Int
    var unmapped_events: Int
  }

  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }

  private static func canonical(_ n: Int) -> String {
    let kinds = ["prompt_shown", "granted", "denied", "Granted", "push_denied", "app_active"]
    return
      #"{"event_id":"e\#(n % 40)","user_id":"u\#(n % 11)","timestamp":"2026-03-02T10:00:\#(10 + n % 40)Z","event":"\#(kinds[n % 6])","permission":"camera"}"#
  }

  private static func segment(_ n: Int) -> String {
    let names = [
      "Permission Granted", "Permission Denied", "Purchase", "Permission Not Granted Yet", "Camera Permission Odd",
    ]
    return VendorLine.make(
      "segment", id: n % 40, user: "u\(n % 11)", seconds: 1_772_445_600 + n, name: names[n % 5],
      properties: [("permission", "camera"), ("result", n % 7 == 0 ? "Don’t Allow" : "")])
  }

  /// Quotes, cuts, bytes that are no UTF-8, joined and repeated and blank lines.
  private static func mangled(_ lines: [String], _ numbers: inout Numbers) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      var row = Array(line.utf8)
      switch Int.random(in: 0..<14, using: &numbers) {
      case 0: row.insert(0x22, at: Int.random(in: 0..<row.count, using: &numbers))
      case 1: row.removeLast(Int.random(in: 1..<row.count, using: &numbers))
      case 2: row[Int.random(in: 0..<row.count, using: &numbers)] = 0xFF
      case 3: row.remove(at: Int.random(in: 0..<row.count, using: &numbers))
      case 4: bytes += row + [0x0A]
      case 5: bytes += [0x20, 0x09, 0x0D, 0x0A]
      default: break
      }
      bytes += row
      if Int.random(in: 0..<20, using: &numbers) > 0 { bytes += [0x0A] }
    }
    // A last line that is cut off refuses the file.
    if bytes.last != 0x0A { bytes += [0x0A] }
    return bytes
  }

  @Test(arguments: 0..<12) func everyLineIsAccountedFor(seed: Int) throws {
    var numbers = Numbers(state: UInt64(seed))
    let workspace = try Workspace()
    let isCanonical = seed % 2 == 0
    let lines = (0..<60).map { isCanonical ? Self.canonical($0) : Self.segment($0) }
    let bytes = Self.mangled(lines, &numbers)
    let log = workspace.path("log")
    try workspace.write("first", lines.prefix(3).joined(separator: "\n") + "\n")
    #expect(try Tool.run(["ingest", workspace.path("first"), "--log", log]).status == 0)
    #expect(try Tool.run(["erase", "--user", "u2", "--allow-missing", "--log", log]).status == 0)
    let given = bytes.split(separator: 0x0A, omittingEmptySubsequences: true).count { line in
      !line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
    var exports: Set<Data> = []
    for threads in ["1", "2"] {
      let copy = workspace.path("log-\(threads)")
      try FileManager.default.copyItem(atPath: log, toPath: copy)
      let result = try Tool.run(
        ["ingest", "-", "--log", copy, "--summary", "json", "--threads", threads], input: Data(bytes))
      #expect(result.status == 0, "seed \(seed): \(result.errors)")
      let summary = try JSONDecoder().decode(Summary.self, from: result.output)
      #expect(
        summary.new + summary.duplicates + summary.erased + summary.unmapped_events + summary.rejected == given,
        "seed \(seed): \(summary) of \(given)")
      #expect(summary.lines == given && summary.events == summary.new + summary.duplicates, "seed \(seed)")
      #expect(
        summary.erased > 0 && summary.rejected > 0 && (isCanonical || summary.unmapped_events > 0), "seed \(seed)")
      exports.insert(try Tool.run(["export", "--log", copy]).output)
    }
    #expect(exports.count == 1, "seed \(seed)")
  }
}
