// The scripts that kill the built tool, watch its system calls and let them fail, each for some seconds.

import Foundation
import Testing

@Suite(.serialized) struct StoreScriptTests {
  private func run(_ script: String, _ arguments: [String]) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appendingPathComponent("Scripts/" + script).path
    let result = try Tool.run(
      ["python3", "-B", path, "--tool", Tool.path] + arguments, program: "/usr/bin/env")
    print(result.text, terminator: "")
    #expect(result.status == 0, "\(script): \(result.errors)")
    return result.text
  }

  @Test func killedWritersLeaveTheLogBeforeOrAfter() throws {
    let text = try run("crash-loop", ["12", "--seed", "\(UInt32.random(in: 1...UInt32.max))"])
    #expect(text.contains("writers killed"))
  }

  /// Without strace, or if tracing is not allowed, the script says that it was skipped.
  @Test func systemCallsAreInOrderAndMayFail() throws {
    let text = try run("audit-system-calls", ["--short", "--seed", "\(UInt32.random(in: 1...UInt32.max))"])
    #expect(text.contains("skipped:") || text.contains("limits:"))
  }
}
