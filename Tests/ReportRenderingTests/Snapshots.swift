// Expected texts in files. A missing one is recorded, and the run that records it fails.

import Foundation
import Testing

enum Snapshots {
  /// Compares bytes with the snapshot of that name.
  static func check(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let stored = Bundle.module.resourceURL?.appendingPathComponent("Snapshots").appendingPathComponent(name)
    if let stored, let expected = try? String(contentsOf: stored, encoding: .utf8) {
      guard text != expected else { return }
      Issue.record("\(name): \(firstDifference(text, expected))", sourceLocation: sourceLocation)
      return
    }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
    try Data(bytes).write(to: source.appendingPathComponent(name))
    Issue.record("\(name) was missing and is recorded now: read it, and commit it.", sourceLocation: sourceLocation)
  }

  private static func firstDifference(_ text: String, _ expected: String) -> String {
    let a = text.components(separatedBy: "\n")
    let b = expected.components(separatedBy: "\n")
    let line = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    func get(_ lines: [String]) -> String { line < lines.count ? lines[line] : "(no line)" }
    return "line \(line + 1) is\n\(get(a))\nnot\n\(get(b))\nDelete the file to record it anew."
  }
}
