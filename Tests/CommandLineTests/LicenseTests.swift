// The licences of what is in the tool: all of it is named, and the tool prints the texts.

import Foundation
import Testing

@Suite("Licences") struct LicenseTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("the tool prints the notice, its own licence and every other text, in 80 columns")
  func printed() throws {
    let result = try Tool.run(["--licenses"])
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.text.hasPrefix(try text("NOTICE")))
    let others = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("Licenses").path)
    #expect(others.count >= 6)
    for path in ["LICENSE"] + others.map({ "Licenses/" + $0 }) {
      #expect(result.text.contains(try text(path)), "\(path)")
    }
    #expect(result.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("a command beside it is refused, and not run")
  func alone() throws {
    for arguments in [["--licenses", "report"], ["report", "--licenses"], ["info", "--log", "none", "--licenses"]] {
      let result = try Tool.run(arguments)
      #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("permlog --licenses"))
    }
  }

  @Test("what Swift brings and no manifest names is in the notice")
  func broughtBySwift() throws {
    let notice = try text("NOTICE")
    for name in ["Swift's runtime", "swift-foundation", "swift-collections", "libdispatch"] {
      #expect(notice.contains("  \(name)"), "\(name) is not in NOTICE")
    }
  }

  @Test("every library that the package names is in the notice")
  func named() throws {
    let notice = try text("NOTICE").lowercased()
    let package = try text("Package.swift")
    let libraries = package.matches(of: /\.systemLibrary\(\s*name: "C(?:System)?(\w+)"/).map { String($0.1) }
    let packages = package.matches(of: /\.package\(url: "[^"]*\/([^"\/]+)"/).map { String($0.1) }
    #expect(libraries.count >= 7 && packages.count >= 2)
    for name in libraries + packages { #expect(notice.contains(name.lowercased()), "\(name) is not in NOTICE") }
  }
}
