// Names that are not text, pipes, sockets and loops among the files, and what unpacks without end.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

private func event(_ user: String) -> String {
  #"{"user_id":"\#(user)","timestamp":1740830400000,"event":"app_active"}"# + "\n"
}

@Suite struct OddFileTests {
  #if os(Linux)
    /// macOS keeps names as UTF-8.
    @Test func namesThatAreNotTextAreFound() throws {
      let directory = try TemporaryDirectory()
      let inside = FilePath(directory.path).appending("d\u{E9}".unicodeScalars.map { UInt8($0.value) })
      #expect(inside.withCString { mkdir($0, 0o700) } == 0)
      let names: [[UInt8]] = [[0x61, 0xE9], [0x61, 0xE8], [0xF0, 0x9F, 0x98], [0xC3, 0xA9, 0xFF, 0x7A]]
      for (number, name) in names.enumerated() {
        let file = try #require(inside.appending(name).withCString { fopen($0, "w") })
        fputs(event("u\(number)") + "x\n", file)
        fclose(file)
      }
      let shown = directory.path + "/d\\xE9"
      let expected = ["a\\xE8", "a\\xE9", "é\\xFFz", "\\xF0\\x9F\\x98"].map { shown + "/" + $0 }
      for source in [ImportSource.paths([directory.path]), .files(names.map { inside.appending($0) })] {
        let rejects = RejectCounter()
        let session = try ImportSession(source, options: testOptions(), onReject: rejects.take)
        let sink = CollectingSink()
        while !(try session.run(into: sink)) {}
        #expect(sink.events.map(\.user) == ["u1", "u0", "u3", "u2"])
        #expect(session.files.map(\.shown) == expected)
      }
      let error = #expect(throws: ImportError.self) {
        try ImportSession(.files([inside.appending([0xEA])]), options: testOptions())
      }
      #expect(error?.code == .notFound && error?.message.hasPrefix(shown + "/\\xEA: ") == true)
    }
  #endif

  @Test func namesOfMembersThatAreNotTextAreShown() throws {
    var bytes = tar([("a@.ndjson", event("a") + "x\n")])
    bytes[1] = 0xE9
    // The header's checksum adds up its bytes.
    let sum = bytes[0..<512].enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element)) }
    bytes.replaceSubrange(
      148..<154, with: Array((String(repeating: "0", count: 6) + String(sum, radix: 8)).utf8.suffix(6)))
    let rejects = RejectCounter()
    let session = try ImportSession(.bytes(bytes, name: "t"), options: testOptions(), onReject: rejects.take)
    let sink = CollectingSink()
    while !(try session.run(into: sink)) {}
    #expect(sink.events.map(\.user) == ["a"])
    #expect(rejects.files == ["t!a\\xE9.ndjson"])
  }

  @Test func whatIsNoFileInADirectoryIsPassedOver() throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", event("a"))
    try directory.write("below/b", event("b"))
    for (link, target) in [("below/up", ".."), ("self", "self/.."), ("below/here", ".")] {
      _ = symlink(target, directory.path + "/" + link)
    }
    try FileManager.default.removeItem(atPath: directory.path + "/self")
    #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
    // A directory is looked into for a log of this tool.
    #expect(mkfifo(directory.path + "/below/manifest", 0o600) == 0)
    let outcome = try importPaths([directory.path])
    #expect(outcome.events.map(\.user) == ["a", "b"])
    // Nobody has to find out why a directory was not read.
    #expect(outcome.counts.skippedFiles == 4 && outcome.counts.files == 2)
  }

  @Test func socketsAreRefused() throws {
    // A socket's path may have no more than some hundred bytes.
    let path = "/tmp/permlog-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    defer {
      close(descriptor)
      unlink(path)
    }
    let error = #expect(throws: ImportError.self) { try importPaths([path]) }
    #expect(error?.message == path + ": is a socket, not a file; name a file, a directory or a pipe")
  }

  @Test func disksAreRefused() throws {
    let directory = try TemporaryDirectory()
    // Only root may make one; nothing is read of it.
    guard mknod(directory.path + "/disk", S_IFBLK | 0o600, 7 << 8) == 0 else { return }
    let error = #expect(throws: ImportError.self) { try importPaths([directory.path + "/disk"]) }
    #expect(error?.message.contains("is a disk or another block device") == true)
    try directory.write("a", event("a"))
    #expect(try importPaths([directory.path]).events.map(\.user) == ["a"])
  }

  @Test(arguments: ["/dev/zero", "/dev/urandom"]) func endlessDevicesAreRefused(path: String) {
    let error = #expect(throws: ImportError.self) { try importPaths([path]) }
    #expect(error?.code == .unknownFormat)
  }

  /// Half a gigabyte of zeros in one line, in half a megabyte.
  @Test func aLineWithoutEndIsRefusedInLittleMemory() throws {
    let piece = [UInt8](repeating: 0x30, count: 1 << 20)
    guard let first = try packed(Array((event("a") + "{\"user_id\":\"").utf8), by: "gzip"),
      let zeros = try packed(piece, by: "gzip"), let last = try packed(Array(("\"}\n" + event("b")).utf8), by: "gzip")
    else { return }
    let bytes = first + (0..<512).flatMap { _ in zeros } + last
    let before = peakMemory()
    let rejects = RejectCounter()
    let session = try ImportSession(.bytes(bytes, name: "bomb"), options: testOptions(), onReject: rejects.take)
    let sink = CollectingSink()
    while !(try session.run(into: sink)) {}
    #expect(sink.events.map(\.user) == ["a", "b"])
    #expect(rejects.lines == [2])
    #expect(peakMemory() - before < 300 << 20)
  }

  /// The most memory that this process had, in bytes.
  private func peakMemory() -> Int {
    var usage = rusage()
    // RUSAGE_SELF, whose type differs between systems.
    getrusage(0, &usage)
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss << 10
    #endif
  }
}
