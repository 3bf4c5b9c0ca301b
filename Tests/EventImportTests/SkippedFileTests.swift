// What lies beside exports in a directory or an archive: left out and named, unless it may hold events.

import Foundation
import Testing

@testable import EventImport

private let good = #"{"user_id":"u1","timestamp":"2025-11-24T18:03:25Z","event":"app_active"}"# + "\n"

@Suite struct SkippedFileTests {
  /// An import of a directory with a good file and these.
  private func read(
    _ files: [(String, String)], format: ImportFormat = .auto
  ) throws -> (counts: ImportCounts, message: String?) {
    let directory = try TemporaryDirectory()
    try directory.write("events.ndjson", good)
    for (name, text) in files { try directory.write(name, text) }
    let session = try ImportSession(.paths([directory.path]), options: testOptions(format: format))
    while !(try session.run(into: CollectingSink())) {}
    return (session.counts, session.skippedFiles.message?.replacingOccurrences(of: directory.path + "/", with: ""))
  }

  private static let beside: [(String, String)] = [
    ("README", "Exports, made daily.\n"), ("README.md", "| a | b |\n|---|---|\n| 1 | 2 |\n"),
    ("LICENSE", "Apache\n"), ("notes.txt", "Ask Ann, please.\nShe knows, I think, all of it.\n"),
    ("package.json", "{\n  \"name\": \"x\",\n  \"files\": {\"a\": 1}\n}\n"), ("state.json", "{\"cursor\":12}\n"),
    ("schema.json", #"[{"name":"uid","type":"STRING"},{"name":"ts","type":"DATE"}]"#), ("list.json", "[1, 2, 3]"),
    ("_SUCCESS", "\n-\n"), ("events.ndjson.crc", "crc\0\u{1}\u{2}"), ("a.md5", "00ff  events.ndjson\n"),
    ("load.sql", "insert a, b\nvalues 1, 2\n"), ("run.sh", "#!/bin/sh\necho a,b\necho c,d\n"),
    ("page.html", "<html>\n"), ("feed.xml", "<a>\n"), ("mine.yaml", "extends: mixpanel\n"),
    ("settings.ini", "[a]\nb=c\n[d]\n"), ("app.log", "[2025-11-24 10:00] {start\n"), ("blob", "ab\0\0c"),
    ("doc", "%PDF-1.7\n"), ("heading.csv", "a,b\n"),
  ]

  @Test(arguments: beside.map { [$0.0, $0.1] })
  func whatHoldsNoEventsIsLeftOutAndNamed(_ file: [String]) throws {
    let outcome = try read([(file[0], file[1])])
    #expect(outcome.counts.files == 1 && outcome.counts.skippedFiles == 1 && outcome.counts.events == 1)
    #expect(outcome.message == "1 file: \(file[0]) (not a file that permlog reads)")
  }

  @Test func theFirstFiveAreNamed() throws {
    let outcome = try read(Self.beside)
    #expect(outcome.counts.skippedFiles == Self.beside.count && outcome.counts.rejected == 0)
    #expect(outcome.message?.hasSuffix(", and \(Self.beside.count - 5) more") == true)
    #expect(
      outcome.message?.hasPrefix("\(Self.beside.count) files: LICENSE (not a file that permlog reads), README (")
        == true)
  }

  @Test func aNamedFileIsRefused() throws {
    for (name, text) in Self.beside where name != "_SUCCESS" {
      let directory = try TemporaryDirectory()
      let path = try directory.write(name, text)
      let error = #expect(throws: ImportError.self) { try importPaths([path]) }
      #expect(error?.code == .unknownFormat, "\(name)")
    }
  }

  @Test(arguments: [
    ["lines.json", "{\"uid\":1,\"what\":\"a\"}\n{\"uid\":2,\"what\":\"b\"}\n"],
    ["list.json", #"[{"uid":1},{"uid":2}]"#], ["page.json", #"{"events":[{"uid":1},{"uid":2}]}"#],
    ["other.json", #"{"payload":[{"uid":1},{"uid":2}]}"#], ["table.csv", "uid,what\n1,a\n2,b\n"],
    ["table.txt", "uid\twhat\n1\ta\n2\tb\n"], ["part-0", "PAR1\0\0"],
    ["preamble.csv", "Report of March, by Ann\n\nuid;what;when\n1;a;2\n"],
  ])
  func whatLooksLikeRecordsIsRefused(_ file: [String]) throws {
    let error = #expect(throws: ImportError.self) { try read([(file[0], file[1])]) }
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.hasSuffix("It was found in a directory; move it elsewhere to leave it out.") == true)
  }

  @Test func emptyFilesAreRead() throws {
    let outcome = try read([("empty", ""), ("blank.md", "\n")])
    #expect(outcome.counts.files == 3 && outcome.counts.skippedFiles == 0)
  }

  @Test func aFormThatWasAskedForIsNotThatOfAReadme() throws {
    let outcome = try read([("README.md", "Exports\n"), ("a.png", "\u{89}PNG\0")], format: .ndjson)
    #expect(outcome.counts.skippedFiles == 2 && outcome.counts.rejected == 0)
  }

  @Test func companionsAreNamedWithTheirOwnReason() throws {
    let outcome = try read([("manifest.json", "{\"files\": [\"a.jsonl\"]}\n")])
    #expect(outcome.message == "1 file: manifest.json (comes with exports)")
  }

  /// A tar archive of these files.
  private func archive(_ files: [(String, String)], in directory: TemporaryDirectory) throws -> String {
    for (name, text) in files { try directory.write("in/" + name, text) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "cd '\(directory.path)/in' && tar cf ../all.tar *"]
    try process.run()
    process.waitUntilExit()
    return directory.path + "/all.tar"
  }

  @Test func membersOfArchivesAreLikeFilesOfDirectories() throws {
    let directory = try TemporaryDirectory()
    let path = try archive([("README.md", "x\n"), ("e.ndjson", good)], in: directory)
    let session = try ImportSession(.paths([path]), options: testOptions())
    while !(try session.run(into: CollectingSink())) {}
    #expect(session.counts.files == 1 && session.counts.skippedFiles == 1 && session.counts.events == 1)
    #expect(session.skippedFiles.message == "1 file: \(path)!README.md (not a file that permlog reads)")
    let table = try archive([("t.csv", "uid,what\n1,a\n2,b\n")], in: directory)
    let error = #expect(throws: ImportError.self) { try importPaths([table]) }
    #expect(error?.explanation.remedy == .draftMapping(path: table))
    #expect(error?.message.hasSuffix("It was found in an archive; take it out of there to leave it out.") == true)
  }

  @Test func anArchiveWithNothingInItIsRefusedWhereItIsNamed() throws {
    let directory = try TemporaryDirectory()
    let path = try archive([("README.md", "x\n"), ("b.txt", "y\n")], in: directory)
    let error = #expect(throws: ImportError.self) { try importPaths([path]) }
    #expect(error?.message == "\(path): no file in it has events; name an archive of exports")
    #expect(try importPaths([directory.path]).counts.skippedFiles == 4)
  }
}
