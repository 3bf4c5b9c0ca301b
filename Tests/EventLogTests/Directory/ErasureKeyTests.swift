// A list of erased users whose key is kept elsewhere: nothing in the log can be used to test an id.

import Foundation
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct ErasureKeyTests {
  private let user = Array("someone@example.com".utf8)
  private let key: ErasureKey

  init() throws { key = try #require(ErasureKey(Array(0..<32))) }

  private func code(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  /// Made apart, with Python's hmac, hashlib and ctypes on libxxhash: id 7, key 00 … 1f, three users, and in place of the key
  /// HKDF-SHA-256 of it without salt, for "permlog: check of a key of erased users, 1".
  @Test func isThisFile() throws {
    let text = """
      50524d4c4f474531020000000300000007000000000000007adf8aba2a0099a7490eeab11ea46545\
      ec5ce7db285a6bd508dead6eea880ea9e3e2f847c4d9d9d97cc764b91e1830b1f88dd49fc25e4482e1228a9717c09dc4\
      0ac5bd717274a6ea
      """
    let digits = Array(text.utf8)
    let stored = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    let description = ErasureDescription(id: 7, checksum: 0xeaa6_7472_71bd_c50a, users: 3)
    var list = try ErasureList(stored, id: 7, expected: description, file: "erased")
    #expect(list.keyPlace == .outside && list.count == 3)
    #expect(list.encode(id: 7).bytes == stored)
    #expect(code { _ = try list.contains(user) } == .key, "no guess without the key")
    #expect(code { _ = try list.insert([user]) } == .key)
    #expect(code { _ = try list.remove([user]) } == .key)
    try list.unlock(key, log: "log")
    for id in ["user-1", "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "ü"] { #expect(try list.contains(Array(id.utf8))) }
    #expect(try !list.contains(user))
    #expect(list.encode(id: 7).bytes == stored, "the key that was given is not written")
    for bit in 0..<stored.count * 8 {
      var changed = stored
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(code { _ = try ErasureList(changed, id: 7, expected: description, file: "erased") } == .damaged)
    }
  }

  @Test func theRightKeyInTheRightPlaceIsNeeded() throws {
    var outside = ErasureList(outside: key)
    #expect(code { try outside.unlock(nil, log: "log") } == .key)
    #expect(code { try outside.unlock(ErasureKey(), log: "log") } == .key)
    #expect(code { try outside.unlock(key, log: "log") } == nil)
    var inside = ErasureList()
    #expect(code { try inside.unlock(nil, log: "log") } == nil)
    #expect(code { try inside.unlock(key, log: "log") } == .key)
  }

  @Test func keysThatAnybodyCouldGuessAreNone() {
    #expect(ErasureKey([UInt8](repeating: 0, count: 32)) == nil, "what a loss of power can leave of a file")
    for (count, isKey) in [(15, false), (16, true), (4096, true), (4097, false)] {
      #expect((ErasureKey([UInt8](repeating: 1, count: count)) != nil) == isKey, "\(count) bytes")
    }
  }

  @Test func theFirstErasureMakesAFileForItsKeyAndNoneIsOverwritten() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    try log.ingest([TestEvent(user: "someone@example.com", id: "e", time: 1_700_000_000_000)])
    files["/key"] = Array("notes".utf8)
    #expect(code { try erase(log, .made(path: "/key")) } == .key)
    #expect(files["/key"] == Array("notes".utf8))
    #expect(try log.readManifest().erasures == nil && log.export().count == 1, "nothing was changed")
    files["/key"] = nil
    try erase(log, .made(path: "/key"))
    let made = try #require(files["/key"])
    #expect(made.count == 32)
    for (name, bytes) in files.contents.files where name != "/key" {
      #expect(Data(bytes).range(of: Data(made)) == nil, "\(name)")
    }
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    #expect(code { try writer.unlock(nil) } == .key)
    try writer.unlock(ErasureKey(made))
    try writer.write([TestEvent(user: "someone@example.com", id: "e", time: 1_700_000_000_000)])
    #expect(writer.counts.erased == 1)
  }

  private func erase(_ log: LogDirectory, _ newKey: NewErasureKey) throws {
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    _ = try writer.erase([user], newKey: newKey)
  }

  /// Reports, exports, merging and expiry do not ask for the key; a user who was erased can be asked for by nobody.
  @Test func whatNeedsNoKeyWorksWithoutIt() throws {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    for n in 0..<3 {
      let users = ["someone@example.com", "u\(n)"]
      try log.ingest(users.map { TestEvent(user: $0, id: "\(n)", time: 1_700_000_000_000) })
    }
    try erase(log, .made(path: "/key"))
    #expect(try log.export().count == 3)
    #expect(try log.verify().damage.isEmpty)
    #expect(try log.information().erasureKey == .outside && log.information().keysNeeded == [.erasures])
    try log.perform(.compact)
    try log.perform(.expire(before: 1_600_000_000_000))
    #expect(try log.information().erasedUsers == 1 && log.information().erasureKey == .outside)
    #expect(code { _ = try LogSnapshot(log).preview(erasing: [user]) } == .key)
  }

  /// Parts of before an erasure may be there, and without the key nobody can say whose events must not come out.
  @Test func aSalvageWithoutAManifestNeedsTheKey() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    try log.ingest(["someone@example.com", "u"].map { TestEvent(user: $0, id: "e", time: 1_700_000_000_000) })
    let part = try #require(try log.readManifest().parts.first).name
    let old = files[log.file(part)]
    try erase(log, .outside(key, path: nil))
    files[log.file(part)] = old
    #expect(try Salvage(log).erasedUsers == 1)
    files[log.file("manifest")]?[3] ^= 1
    #expect(code { _ = try Salvage(log) } == .key)
    #expect(code { _ = try Salvage(log, key: ErasureKey()) } == .key)
    var users: Set<[UInt8]> = []
    try Salvage(log, key: key).forEachEvent { users.insert($0.userID) }
    #expect(users == [Array("u".utf8)])
  }
}
