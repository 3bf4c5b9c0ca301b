// Files that are there whole: where links lead, with which mode, and what is beside them meanwhile.

import Foundation
import Testing

@testable import Permlog

@Suite struct WholeFileTests {
  private let directory: TemporaryDirectory
  private let files = FileManager.default

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ path: String, replaces: Bool = true, isPrivate: Bool = false) throws -> Bool {
    let file = try WholeFile(path, besides: ProtectedFiles(), replaces: replaces, isPrivate: isPrivate)
    try [UInt8]("whole".utf8).withUnsafeBytes { try file.write($0) }
    return try file.close()
  }

  private func mode(_ name: String) throws -> Int? {
    try files.attributesOfItem(atPath: directory.file(name))[.posixPermissions] as? Int
  }

  private func names() throws -> [String] { try files.contentsOfDirectory(atPath: directory.path).sorted() }

  @Test func aDanglingLinkStaysAndItsTargetIsMade() throws {
    try files.createDirectory(atPath: directory.file("d"), withIntermediateDirectories: true)
    for (number, target) in ["d/target", "../\((directory.path as NSString).lastPathComponent)/d/other"].enumerated() {
      for replaces in [true, false] {
        let link = directory.file("link\(number)\(replaces)")
        try files.createSymbolicLink(atPath: link, withDestinationPath: target + "\(replaces)")
        #expect(try write(link, replaces: replaces))
        #expect(try files.destinationOfSymbolicLink(atPath: link) == target + "\(replaces)")
        #expect(try Sample.bytes(link) == Array("whole".utf8))
      }
    }
    #expect(try files.contentsOfDirectory(atPath: directory.file("d")).count == 4)
    // One that leads nowhere is refused and stays.
    let nowhere = directory.file("nowhere")
    try files.createSymbolicLink(atPath: nowhere, withDestinationPath: "no/such/place")
    #expect(throws: SystemError(operation: "write", path: nowhere, number: ENOENT)) { try write(nowhere) }
    let circle = directory.file("circle")
    try files.createSymbolicLink(atPath: circle, withDestinationPath: "circle")
    #expect(throws: SystemError(operation: "write", path: circle, number: ELOOP)) { try write(circle) }
    #expect(try files.destinationOfSymbolicLink(atPath: nowhere) == "no/such/place")
  }

  @Test func directoriesAreNoFiles() throws {
    try files.createDirectory(atPath: directory.file("d"), withIntermediateDirectories: true)
    for path in ["d", "d/", "d/.", "d/..", "new/"] {
      let path = directory.file(path)
      let error = #expect(throws: SystemError.self, "\(path)") { try write(path) }
      #expect(error?.number == EISDIR, "\(path)")
    }
    #expect(try names() == ["d"])
  }

  @Test func modesAreKeptAndPrivateFilesArePrivate() throws {
    let path = try directory.write("a", "old")
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(try write(path))
    #expect(try mode("a") == 0o640)
    #expect(try write(path, isPrivate: true))
    #expect(try mode("a") == 0o600)
    #expect(try write(directory.file("b"), isPrivate: true))
    #expect(try mode("b") == 0o600)
  }

  @Test func whatIsUnfinishedSaysSoAndGoes() throws {
    let long = String(repeating: "ü", count: 125)
    for name in ["report.html", long] {
      let path = try directory.write(name, "old")
      var file: WholeFile? = try WholeFile(path, besides: ProtectedFiles())
      // Hidden, so that an ingest of the directory leaves it out.
      let beside = try names().filter { $0 != name && $0 != "report.html" }
      #expect(beside.count == 1 && beside[0].hasPrefix("." + name.prefix(90)), "\(beside)")
      #expect(beside.first?.contains(".permlog-unfinished-") == true)
      try [UInt8]("new".utf8).withUnsafeBytes { try file?.write($0) }
      file = nil
      #expect(try Sample.bytes(path) == Array("old".utf8))
      #expect(try names().allSatisfy { !$0.hasPrefix(".") })
    }
  }

  @Test func aFileThatIsThereIsNotReplacedIfItIsNotTo() throws {
    let path = try directory.write("a", "old")
    #expect(try !write(path, replaces: false))
    #expect(try Sample.bytes(path) == Array("old".utf8) && names() == ["a"])
  }
}
