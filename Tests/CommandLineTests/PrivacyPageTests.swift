// docs/privacy.md is quoted in assessments: its commands are run, the tests that it names exist, and its list of files is the log's.

import Foundation
import Testing

@Suite struct PrivacyPageTests {
  private func page() throws -> String {
    try String(contentsOf: DocumentPage.root.appendingPathComponent("docs/privacy.md"), encoding: .utf8)
  }

  @Test func everyCommandWorks() throws {
    let workspace = try Workspace()
    try FileManager.default.createDirectory(
      at: workspace.url.appendingPathComponent("bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: workspace.path("bin/permlog"), withDestinationPath: Tool.path)
    let sample = DocumentPage.root.appendingPathComponent("data/export-1.ndjson").path
    #expect(try Tool.run(["ingest", sample, "--log", workspace.path("permlog-data")]).status == 0)
    try workspace.write("requests.txt", "059BD130-0425-41E4-8621-0716164FE734\nsomeone@example.com\n")
    let commands = try DocumentPage("docs/privacy.md").blocks.filter { $0.language == "sh" }
    #expect(commands.count == 4)
    for block in commands {
      let result = try DocumentPage.run(block.text, in: workspace)
      #expect(result.status == 0, "docs/privacy.md:\(block.line): \(result.errors)")
    }
    #expect(String(decoding: try workspace.read("person.html"), as: UTF8.self).hasPrefix("<!DOCTYPE html>"))
    #expect(!String(decoding: try workspace.read("receipt.json"), as: UTF8.self).contains("059BD130"))
  }

  @Test func theTestsThatItNamesExist() throws {
    let files = try #require(
      FileManager.default.enumerator(
        at: DocumentPage.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /func ([a-zA-Z0-9]+)\(/) { names.insert(String(match.1)) }
    }
    let named = try page().matches(of: /`([a-z][a-z0-9]*[A-Z][A-Za-z0-9]+)`/).map { String($0.1) }
    #expect(named.count > 15)
    for name in named { #expect(names.contains(name), "there is no test \(name)") }
  }

  /// A log with a link, an erasure and several ingests, plain or hashed.
  private func makeLog(_ workspace: Workspace, _ options: [String]) throws -> String {
    let mapping = try workspace.write("mine.yaml", LinkedIDTests.mapping + "\n")
    let rows = [
      #"{"ev":"app_open","u":"anna@example.com","t":1772445600000,"id":"anna@example.com-1"}"#,
      #"{"ev":"app_open","u":"otto@example.com","t":1772445600000,"id":"otto@example.com-1"}"#,
      #"{"ev":"link","u":"anna@example.com","other":"anna-install-1","t":1772445700000,"id":"e4"}"#,
      #"{"ev":"app_open","u":"anna@example.com","t":1772445800000,"id":"0badcafe-1234-8abc-8d00-000000000001"}"#,
    ]
    let file = try workspace.write("anna@example.com.ndjson", rows.map { $0 + "\n" }.joined())
    let log = workspace.path("log")
    let ingest = try Tool.run(["ingest", file, "--mapping", mapping, "--log", log] + options)
    #expect(ingest.status == 0, "\(ingest.errors)")
    #expect(try Tool.run(["erase", "--user", "otto@example.com", "--log", log] + options).status == 0)
    #expect(try Tool.run(["users", "exclude", "--id", "anna-install-1", "--log", log] + options).status == 0)
    // Its answer is kept.
    #expect(try Tool.run(["report", "--as-of", "2026-06-01", "--log", log]).status == 0)
    return log
  }

  @Test func theFilesOfALogAreThose() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, [])
    let kinds = Set(
      try FileManager.default.contentsOfDirectory(atPath: log).map { String($0.prefix { $0 != "-" }) })
    let rows = try page().split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`([a-z]+)/).map { String($0.1) }
    }
    #expect(kinds == Set(rows), "\(kinds)")
    for name in ["manifest", "lock"] {
      let text = String(decoding: try workspace.read("log/" + name), as: UTF8.self)
      #expect(!text.contains("example.com"), "\(name): \(text)")
    }
  }

  @Test func aHashedLogHasNoIDInItsFiles() throws {
    let workspace = try Workspace()
    let key = try workspace.write("key", String(repeating: "k", count: 40))
    let log = try makeLog(workspace, ["--hash-users", key])
    let export = try Tool.run(["export", "--log", log]).text
    let info = try Tool.run(["info", "--ingests", "--format", "json", "--log", log]).text
    for text in [export, info] { #expect(!text.contains("anna") && !text.contains("otto"), "\(text)") }
    for name in try FileManager.default.contentsOfDirectory(atPath: log) {
      let bytes = try workspace.read("log/" + name)
      for id in ["anna", "otto"] { #expect(bytes.range(of: Data(id.utf8)) == nil, "\(id) in \(name)") }
    }
  }
}
