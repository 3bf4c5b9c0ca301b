// A page of docs whose commands are run as a reader would.

import Foundation
import Testing

struct DocumentPage {
  struct Block {
    var language: String
    var text: String
    /// For messages.
    var line: Int
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The blocks between lines of three backquotes.
  let blocks: [Block]

  /// - Parameter path: from the root of the project.
  init(_ path: String) throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    var blocks: [Block] = []
    var open: Block?
    for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        open = open == nil ? Block(language: String(line.dropFirst(3)), text: "", line: number + 1) : nil
      } else {
        open?.text += line + "\n"
      }
    }
    try #require(open == nil, "a block has no end")
    self.blocks = blocks
  }

  /// Runs a block in a directory, with its `bin` first on the path.
  static func run(
    _ text: String, in workspace: Workspace, environment: [String: String] = [:]
  ) throws -> ToolResult {
    let script = try workspace.write("block.sh", text)
    let path = workspace.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    return try Tool.run(
      ["-euo", "pipefail", "-c", #"cd "$0"; . "$1""#, workspace.url.path, script], program: "/bin/bash",
      environment: environment.merging(["PATH": path]) { $1 })
  }
}
