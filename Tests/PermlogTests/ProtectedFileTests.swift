// What is read is never written over, by whatever name it is reached.

import Foundation
import Testing

@testable import Permlog

@Suite struct ProtectedFileTests {
  private let directory: TemporaryDirectory
  private let log: String
  private let input: String

  init() throws {
    directory = try TemporaryDirectory()
    input = try directory.write("input.ndjson", Sample.line("u", "granted"))
    log = directory.file("log")
    try PermissionLog(log).ingest([input])
    try FileManager.default.createDirectory(atPath: log + "/below/deeper", withIntermediateDirectories: true)
  }

  private func link(_ name: String, to target: String) throws -> String {
    try FileManager.default.createSymbolicLink(atPath: directory.file(name), withDestinationPath: target)
    return directory.file(name)
  }

  private func hardLink(_ name: String, to target: String) throws -> String {
    try FileManager.default.linkItem(atPath: target, toPath: directory.file(name))
    return directory.file(name)
  }

  /// What is said of a file that is to be written; nil if it was.
  private func refusal(_ path: String, _ protected: ProtectedFiles) -> String? {
    failure { _ = try WholeFile.write([1], to: path, besides: protected, replaces: true) }?.message
  }

  @Test func nothingIsWrittenIntoALog() throws {
    let linked = try link("linked", to: log)
    let inside = try link("inside", to: "log/new")
    _ = try link("outside", to: "elsewhere")
    let before = try FileManager.default.subpathsOfDirectory(atPath: log).sorted()
    for path in [
      log + "/x", log + "//x", log + "/manifest", log + "/below/x", log + "/below/deeper/x", log + "/below/../x",
      linked + "/x",
      linked + "/below/deeper/x", inside, directory.file("linked/../log/x"), directory.file("./log/./x"),
    ] {
      // Also if nobody says which log there is.
      for protected in [ProtectedFiles(log: log), ProtectedFiles()] {
        let said = try #require(refusal(path, protected), "\(path)")
        #expect(
          said.hasPrefix(path + ": it is in the directory of a log") && said.hasSuffix("Name another file."), "\(said)")
      }
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: log).sorted() == before)
    // Beside it, and out of it again, is not in it.
    for path in ["beside", "log-of-today", "outside", "log/../also"] {
      #expect(refusal(directory.file(path), ProtectedFiles(log: log)) == nil, "\(path)")
    }
    #expect(FileManager.default.fileExists(atPath: directory.file("elsewhere")))
  }

  @Test func aLogWithoutAManifestIsALogIfItIsNamed() throws {
    try FileManager.default.removeItem(atPath: log + "/manifest")
    #expect(refusal(log + "/x", ProtectedFiles(log: log + "/"))?.contains("directory of a log") == true)
    #expect(refusal(directory.file("log/below/x"), ProtectedFiles(log: log))?.contains("directory of a log") == true)
    let part = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first { $0.hasPrefix("part-") })
    let name = try hardLink("hard", to: log + "/" + part)
    #expect(refusal(name, ProtectedFiles(log: log))?.contains("another name of the log's file \(part)") == true)
  }

  @Test func whatIsReadIsKeptByAnyName() throws {
    var protected = ProtectedFiles(log: log)
    protected.add(input, "one of the files to ingest")
    protected.add("-", "standard input, which has no name")
    protected.add(nil, "no file at all")
    let links = [
      input, try link("soft", to: "input.ndjson"), try link("twice", to: directory.file("soft")),
      try hardLink("hard", to: input),
      directory.file("log/../input.ndjson"), directory.file(".//input.ndjson"),
    ]
    for path in links {
      #expect(refusal(path, protected)?.contains(": it is one of the files to ingest. Name another") == true, "\(path)")
    }
    // Another file, also one whose name differs in case alone where that is another name.
    if !FileManager.default.fileExists(atPath: directory.file("INPUT.ndjson")) {
      #expect(refusal(directory.file("INPUT.ndjson"), protected) == nil)
    }
    #expect(try Sample.bytes(input) == Array(Sample.line("u", "granted").utf8))
  }

  @Test func twoOutputsAreTwoFiles() throws {
    var protected = ProtectedFiles()
    protected.add(output: directory.file("new.json"), "also the plan's file")
    let soft = try link("soft", to: "new.json")
    for path in [directory.file("new.json"), directory.file("log/../new.json"), soft] {
      #expect(refusal(path, protected)?.contains(": it is also the plan's file") == true, "\(path)")
    }
    #expect(refusal(directory.file("New.json"), protected) == nil)
  }

  @Test func whatBecameOfThePathIsAskedAgainBeforeItIsReplaced() throws {
    let place = directory.file("place")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    var protected = ProtectedFiles()
    protected.add(input, "one of the files to ingest")
    let file = try WholeFile(place + "/x", besides: protected)
    try FileManager.default.linkItem(atPath: input, toPath: place + "/x")
    #expect(failure { _ = try file.close() }?.message.contains("one of the files to ingest") == true)
    let other = try WholeFile(place + "/y", besides: protected)
    try FileManager.default.copyItem(atPath: log + "/manifest", toPath: place + "/manifest")
    #expect(failure { _ = try other.close() }?.message.contains("directory of a log") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place).sorted() == ["manifest", "x"])
    #expect(try Sample.bytes(place + "/x") == Sample.bytes(input))
  }

  @Test func plansAndTheirRecordsStayOutOfLogs() throws {
    let plan = LookRecordTests.samplePlan
    let error = try #require(failure { _ = try PlanFile(saving: plan, to: log + "/plan.json") })
    #expect(error.code == .usage && error.argument == .save && error.message.contains("directory of a log"))
    let file = try PlanFile(saving: plan, to: directory.file("plan.json"))
    try FileManager.default.moveItem(atPath: file.path, toPath: log + "/plan.json")
    try PermissionLog(log).ingest(Sample.files)
    let recorded = failure {
      _ = try PermissionLog(log).compare(
        ComparisonRequest(plan), as: try PlanFile(log + "/plan.json"), isRecorded: true)
    }
    #expect(
      recorded?.message.contains("plan.looks.json: it is in the directory of a log") == true, "\(recorded as Any)")
  }
}
