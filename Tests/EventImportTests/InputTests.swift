// Files, directories, pipes and everything compressed; what is damaged stops the import and says so.

import Foundation
import Testing

@testable import EventImport

private func event(_ user: String) -> String {
  #"{"user_id":"\#(user)","event_id":"e","timestamp":1740830400000,"event":"app_active"}"# + "\n"
}

private func csv(_ user: String) -> String { "user_id,timestamp,event\n\(user),1740830400000,app_active\n" }

/// Runs a program in a directory; nil if the machine does not have it.
private func run(_ program: String, _ arguments: [String], in directory: TemporaryDirectory) throws -> Bool {
  let candidates = ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
  guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else { return false }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  return process.terminationStatus == 0
}

@Suite struct InputTests {
  @Test func emptyFilesHaveNoLines() throws {
    for text in ["", "\n", " \t\r\n\n", "\u{FEFF}"] {
      let outcome = try importText(text)
      #expect(outcome.counts.lines == 0 && outcome.counts.files == 1)
      #expect(outcome.events.isEmpty && outcome.rejects.isEmpty)
    }
  }

  @Test func byteOrderMarksAndLineEnds() throws {
    #expect(try importText("\u{FEFF}" + event("a")).events.map(\.user) == ["a"])
    #expect(try importText("\u{FEFF}" + csv("a")).events.map(\.user) == ["a"])
    let windows = (event("a") + "\n" + event("b")).replacingOccurrences(of: "\n", with: "\r\n")
    let outcome = try importText("\r\n \n" + windows + "x")
    #expect(outcome.events.map(\.user) == ["a", "b"])
    #expect(outcome.rejects.map(\.line) == [6])
    #expect(outcome.counts.lines == 3)
  }

  @Test func aFileOfNeitherFormIsAnError() throws {
    for text in ["hello\n", "a,b\n1,2\n", "user_id,timestamp\n", #"{"a":1}"# + "\n", #"[{"a":1}]"#] {
      let error = #expect(throws: ImportError.self) { try importText(text) }
      #expect(error?.code == .unknownFormat)
      #expect(error?.message.contains("its format is not known") == true)
    }
  }

  @Test func aMissingFileIsAnErrorAtOnce() throws {
    let error = #expect(throws: ImportError.self) {
      try ImportSession(.paths(["/nowhere/at/all.ndjson"]), options: testOptions())
    }
    #expect(error?.code == .notFound)
    #expect(error?.message == "/nowhere/at/all.ndjson: no such file or directory; check the path")
    let twice = #expect(throws: ImportError.self) { try ImportSession(.paths(["-", "-"]), options: testOptions()) }
    #expect(twice?.code == .usage)
  }

  @Test func directoriesInBytewiseOrderWithoutHiddenFiles() throws {
    let directory = try TemporaryDirectory()
    for name in ["b", "a/z", "a-b", "a/B", "é", "Z", ".hidden", ".git/x", "a/.y"] {
      try directory.write(name, event(name))
    }
    let outcome = try importPaths([directory.path])
    #expect(outcome.events.map(\.user) == ["Z", "a-b", "a/B", "a/z", "b", "é"])
    #expect(outcome.counts.files == 6)
    // Named files are sorted too.
    let named = ["b", "Z"].map { directory.path + "/" + $0 }
    #expect(try importPaths(named).events.map(\.user) == ["Z", "b"])
  }

  @Test func refusedLinesNameTheirFile() throws {
    let directory = try TemporaryDirectory()
    let one = try directory.write("one", event("a") + "{}\n")
    let two = try directory.write("two", "{}\n" + event("b") + "{\n")
    let outcome = try importPaths([two, one], testOptions(threads: 2))
    #expect(outcome.rejects.map(\.file) == [one, two, two])
    #expect(outcome.rejects.map(\.line) == [2, 1, 3])
  }

  @Test func pipesAreRead() throws {
    let directory = try TemporaryDirectory()
    let plain = try directory.write("plain", event("a") + event("b"))
    #expect(try run("mkfifo", ["pipe"], in: directory))
    let pipe = directory.path + "/pipe"
    for packed in [false, true] {
      if packed { guard try run("gzip", ["-k", "plain"], in: directory) else { continue } }
      let writer = Process()
      writer.executableURL = URL(fileURLWithPath: "/bin/sh")
      writer.arguments = ["-c", "cat '\(plain)\(packed ? ".gz" : "")' > '\(pipe)'"]
      try writer.run()
      let outcome = try importPaths([pipe])
      writer.waitUntilExit()
      #expect(outcome.events.map(\.user) == ["a", "b"])
    }
  }

  @Test(arguments: ["gzip", "zstd"])
  func compressedFilesOfSeveralFrames(program: String) throws {
    let directory = try TemporaryDirectory()
    let suffix = program == "gzip" ? "gz" : "zst"
    for (name, text) in [("1", event("a")), ("2", event("b") + "{}"), ("3", ""), ("4", csv("c"))] {
      try directory.write(name, text)
      guard try run(program, ["-k", name], in: directory) else { return }
    }
    func file(_ name: String) throws -> Data {
      try Data(contentsOf: URL(fileURLWithPath: directory.path + "/\(name).\(suffix)"))
    }
    let joined = try directory.write("joined", file("1") + file("2"))
    let outcome = try importPaths([joined])
    #expect(outcome.events.map(\.user) == ["a", "b"])
    #expect(outcome.rejects.map(\.line) == [3])
    #expect(try importPaths([directory.write("empty", file("3"))]).counts.lines == 0)
    #expect(try importPaths([directory.write("csv", file("4"))]).events.map(\.user) == ["c"])
    // A bit of the checksum, or of the data that it covers.
    var wrong = try file("1")
    wrong[wrong.count - (program == "gzip" ? 8 : 2)] ^= 1
    #expect(#expect(throws: ImportError.self) { try importPaths([directory.write("wrong", wrong)]) }?.code == .damaged)
    // Torn in the middle and in the trailer.
    let whole = try file("1")
    for count in [3, 12, whole.count / 2, whole.count - 1] {
      let torn = try directory.write("torn", whole.prefix(count))
      let error = #expect(throws: ImportError.self) { try importPaths([torn]) }
      #expect(error?.code == (count == 3 && suffix == "zst" ? .unknownFormat : .damaged), "\(count) bytes")
      #expect(error?.message.hasPrefix(torn + ": ") == true)
    }
  }

  @Test func zipMembersAreReadOneByOne() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in/b.csv", csv("b") + ",1,\n")
    try directory.write("in/a.ndjson", event("a"))
    try directory.write("in/.hidden", "nothing known")
    try directory.write("in/c.json", event("c") + "{}\n")
    guard try run("gzip", ["in/c.json"], in: directory),
      try run("zip", ["-X", "all.zip", "in/b.csv", "in/a.ndjson", "in/.hidden", "in/c.json.gz"], in: directory)
    else { return }
    let archive = directory.path + "/all.zip"
    let outcome = try importPaths([archive])
    #expect(outcome.events.map(\.user) == ["b", "a", "c"])
    #expect(outcome.rejects.map(\.file) == [archive + "!in/b.csv", archive + "!in/c.json.gz"])
    #expect(outcome.rejects.map(\.line) == [3, 2])
    #expect(outcome.counts.files == 1)
    let copy = try Data(contentsOf: URL(fileURLWithPath: archive))
    // A byte of the first member's data: its checksum does not agree any more.
    var damaged = copy
    let place = try #require(damaged.firstRange(of: Data("in/b.csv".utf8))).upperBound + 4
    damaged[place] ^= 0x55
    let error = #expect(throws: ImportError.self) { try importPaths([directory.write("damaged", damaged)]) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("damaged!in/b.csv: the zip archive is damaged") == true)
    let torn = #expect(throws: ImportError.self) {
      try importPaths([directory.write("torn", copy.prefix(copy.count / 2))])
    }
    #expect(torn?.code == .damaged)
  }

  @Test func aFullSinkIsFollowedByAnother() throws {
    let directory = try TemporaryDirectory()
    var users: [String] = []
    for i in 0..<20 {
      users.append("user\(i)")
      try directory.write(String(format: "%02d", i), event("user\(i)") + "{}\n")
    }
    let rejects = RejectCounter()
    let session = try ImportSession(.paths([directory.path]), options: testOptions(), onReject: rejects.take)
    var seen: [String] = []
    var runs = 0
    var ended = false
    while !ended {
      let sink = CollectingSink(limit: 3)
      ended = try session.run(into: sink)
      runs += 1
      let events = sink.events
      #expect(events.first?.sequence == (events.isEmpty ? nil : 0))
      seen += events.map(\.user)
    }
    #expect(seen == users)
    #expect(runs == 7)
    #expect(session.counts.rejected == 20 && rejects.lines == Array(repeating: 2, count: 20))
  }

  @Test func anErrorOfTheCallerEndsTheRun() throws {
    struct Full: Error {}
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", "{}\n" + event("a"))
    let session = try ImportSession(.paths([path]), options: testOptions(threads: 2)) { _ in throw Full() }
    #expect(throws: Full.self) { try session.run(into: CollectingSink()) }
    #expect(throws: Full.self) { try session.run(into: CollectingSink()) }
  }
}
