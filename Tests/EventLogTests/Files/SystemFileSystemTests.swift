// The machine's own file system keeps the protocol's promises.

import Foundation
import LogTestSupport
import Testing

@testable import EventLog

@Suite struct SystemFileSystemTests {
  private let files = SystemFileSystem()

  private func errorNumber(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FileError)?.errorNumber
    }
  }

  @Test func bytesComeBackFromWhereTheyWerePut() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/file"
    let descriptor = try files.open(path, .create)
    defer { try? files.close(descriptor) }
    try [UInt8]([4, 5, 6]).withUnsafeBytes { try files.write(descriptor, $0, at: 3, path: path) }
    try [UInt8]([1, 2]).withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
    #expect(try files.size(descriptor, path: path) == 6)
    var buffer = [UInt8](repeating: 9, count: 8)
    let n = try buffer.withUnsafeMutableBytes { try files.read(descriptor, into: $0, at: 0, path: path) }
    #expect(n == 6 && buffer == [1, 2, 0, 4, 5, 6, 9, 9])
    try files.truncate(descriptor, to: 1, path: path)
    #expect(try files.size(descriptor, path: path) == 1)
    try files.synchronize(descriptor, path: path)
    #expect(try buffer.withUnsafeMutableBytes { try files.read(descriptor, into: $0, at: 5, path: path) } == 0)
    #expect(errorNumber { _ = try files.open(path, .create) } == EEXIST)
  }

  @Test func namesComeAndGo() throws {
    let directory = try TemporaryDirectory()
    let inner = directory.path + "/log"
    try files.makeDirectory(inner)
    try files.makeDirectory(inner)
    for n in 0..<300 {
      try files.close(try files.open(inner + "/" + String(repeating: "n", count: 200) + "\(n)", .create))
    }
    #expect(Set(try files.list(inner)).count == 300)
    #expect(try files.list(inner).allSatisfy { $0.hasPrefix(String(repeating: "n", count: 200)) })
    let names = try files.list(inner)
    try files.rename(inner + "/" + names[0], to: inner + "/" + names[1])
    try files.remove(inner + "/" + names[2])
    try files.synchronizeDirectory(inner)
    #expect(Set(try files.list(inner)) == Set(names.filter { $0 != names[0] && $0 != names[2] }))
    #expect(errorNumber { try files.remove(inner + "/" + names[2]) } == ENOENT)
    #expect(errorNumber { _ = try files.list(inner + "/none") } == ENOENT)
    #expect(errorNumber { _ = try files.open(inner + "/none", .read) } == ENOENT)
  }

  @Test func aScratchFileHasNoName() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/scratch"
    let descriptor = try files.open(path, .scratch)
    defer { try? files.close(descriptor) }
    #expect(try files.list(directory.path).isEmpty)
    try [UInt8]([7]).withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
    #expect(try files.size(descriptor, path: path) == 1)
  }

  @Test func aLockIsHeldByOne() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lock"
    let first = try files.open(path, .readWrite)
    let second = try files.open(path, .readWrite)
    #expect(try files.lock(first, path: path))
    #expect(try !files.lock(second, path: path))
    try files.close(first)
    #expect(try files.lock(second, path: path))
    try files.close(second)
  }

  #if os(Linux)
    /// A process that this one is just starting has copies of its descriptors for a moment.
    @Test func aCopyOfTheDescriptorHoldsNoLock() throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/lock"
      let first = try OpenFile(path, .readWrite, files)
      #expect(try first.lock())
      let copies = (try files.list("/proc/self/fd")).compactMap(Int32.init).filter { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
      }.map { dup($0) }
      #expect(!copies.isEmpty)
      defer { for copy in copies { try? files.close(copy) } }
      try first.close()
      let second = try OpenFile(path, .readWrite, files)
      #expect(try second.lock())
    }
  #endif

  @Test func othersCannotReadWhatIsWritten() throws {
    let directory = try TemporaryDirectory()
    let log = LogDirectory(path: directory.path + "/log")
    try log.ingest([TestEvent(user: "u", id: "e", time: 1_700_000_000_000)])
    for path in try [log.path] + files.list(log.path).map({ log.file($0) }) {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
    }
  }

  @Test func anErrorSaysWhatWhereAndWhatToDo() {
    let error = FileError(operation: "write", path: "/log/part", errorNumber: ENOSPC)
    #expect(error.sentence.hasPrefix("cannot write /log/part: "))
    #expect(error.sentence.hasSuffix("The disk is full: free some space and try again."))
  }
}
