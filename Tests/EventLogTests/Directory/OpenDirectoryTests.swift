// Whoever can write beside a log puts links, pipes and other logs where its files belong: a victim's file stays as it is,
// nobody waits for ever, and no writer breaks another's log.

import Foundation
import LogTestSupport
import PermissionEvents
import Testing
import Threads

@testable import EventLog

@Suite struct OpenDirectoryTests {
  private static func event(_ n: Int) -> TestEvent {
    TestEvent(user: "u\(n)", id: "e\(n)", time: 1_700_000_000_000 + Milliseconds(n))
  }

  private func sentence(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as FileError {
      return error.sentence
    } catch {
      return "\(error)"
    }
  }

  /// A log with two parts and a list of erased users.
  private func makeLog(_ path: String) throws -> LogDirectory {
    let log = LogDirectory(path: path)
    try log.ingest([Self.event(1)])
    try log.ingest([Self.event(2)])
    try log.perform(.erase([Array("nobody".utf8)]))
    return log
  }

  @Test(arguments: [false, true])
  func aLinkedLockLeavesTheOtherFileAlone(isHard: Bool) throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let (victim, lock) = (directory.path + "/victim", log.path + "/lock")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
    #expect(unlink(lock) == 0)
    #expect((isHard ? link(victim, lock) : symlink(victim, lock)) == 0)
    let found = sentence { try log.ingest([Self.event(3)]) }
    #expect(found?.contains(isHard ? "lock: it has 8 bytes and is not a lock" : "lock: it is a symbolic link") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("precious".utf8))
    #expect(try log.export().count == 2)
    // What the sentence says helps.
    #expect(unlink(lock) == 0)
    #expect(try log.ingest([Self.event(3)]).new == 1)
  }

  @Test func whatIsNoLocksTextIsNotEmptied() throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let lock = URL(fileURLWithPath: log.path + "/lock")
    let text = LockText.encode(process: 12)
    let damaged: [UInt8] = text.dropLast() + [UInt8(ascii: "!")]
    for precious in [
      Array(String(repeating: "precious ", count: 10).utf8), Array("precious".utf8), damaged, text + [0],
    ] {
      try Data(precious).write(to: lock)
      #expect(sentence { try log.ingest([Self.event(3)]) }?.contains("bytes and is not a lock") == true)
      #expect(try Data(contentsOf: lock) == Data(precious))
    }
    // What a writer leaves that is killed, or whose power fails.
    for left in [text, Array(text.prefix(5)), Array(text.prefix(9)), Array(text.prefix(20)), [0, 0, 0]] {
      try Data(left).write(to: lock)
      #expect(sentence { try log.ingest([Self.event(3)]) } == nil, "\(left)")
      #expect(try Data(contentsOf: lock).isEmpty)
    }
  }

  /// Backups make copies of links (`cp -al`, rsnapshot): log and copy have each their lock from the next writer on.
  @Test func aCopyOfLinksIsNoneOfTheLogs() throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let copy = LogDirectory(path: directory.path + "/copy")
    #expect(mkdir(copy.path, 0o700) == 0)
    let text = LockText.encode(process: 12)
    try Data(text).write(to: URL(fileURLWithPath: log.file("lock")))
    for name in try log.files.list(log.path) { #expect(link(log.file(name), copy.file(name)) == 0) }
    try Data("left by a writer that was killed here".utf8).write(to: URL(fileURLWithPath: log.file("spill-lock")))
    let before = try copy.export()
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write([Self.event(3)])
    // A writer of the copy is another log's.
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy.file("lock"))) == Data(text))
    #expect(try copy.ingest([Self.event(4)]).new == 1)
    #expect(sentence { _ = try EventLogWriter(log, threads: 1) }?.contains("another permlog writes") == true)
    try writer.commit()
    writer.close()
    #expect(try copy.export() == before + [Self.event(4)] && log.export() == before + [Self.event(3)])
    #expect(try log.verify().notes.isEmpty && copy.verify().notes.isEmpty)
  }

  @Test(arguments: ["manifest", "lock", "part-0000000000000001", "erased-0000000000000003"])
  func whatIsNoPlainFileIsRefusedAtOnce(name: String) throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let path = log.file(name)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for (kind, make) in [
      ("a named pipe", { mkfifo(path, 0o600) }), ("a symbolic link", { symlink("/dev/zero", path) }),
      ("a directory", { mkdir(path, 0o700) }),
    ] as [(String, () -> Int32)] {
      #expect(unlink(path) == 0 && make() == 0, "\(name) as \(kind)")
      let found = sentence { try log.ingest([Self.event(3)]) }
      #expect(found?.contains("\(name): it is \(kind)") == true, "\(name) as \(kind): \(found ?? "no error")")
      if name == "manifest" || name.hasPrefix("part") {
        #expect(sentence { _ = try LogSnapshot(log) }?.contains("it is \(kind)") == true, "\(name) as \(kind)")
      }
      if name != "manifest" {
        #expect(try log.verify().damage.contains { $0.contains(name) && $0.contains("it is \(kind)") })
      }
      #expect((kind == "a directory" ? rmdir(path) : unlink(path)) == 0)
      try whole.write(to: URL(fileURLWithPath: path))
    }
    #expect(try log.ingest([Self.event(3)]).new == 1)
  }

  @Test func theDirectoryItselfMayBeALink() throws {
    let directory = try TemporaryDirectory()
    #expect(mkdir(directory.path + "/real", 0o700) == 0)
    #expect(symlink(directory.path + "/real", directory.path + "/link") == 0)
    let log = try makeLog(directory.path + "/link/log")
    #expect(symlink(log.path, directory.path + "/log") == 0)
    let linked = LogDirectory(path: directory.path + "/log")
    #expect(try linked.ingest([Self.event(3)]).new == 1)
    #expect(try linked.export().count == 3 && linked.verify().damage.isEmpty)
  }

  @Test func aWriterWhoseLogIsMovedDoesNotTouchTheNextOne() throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write([Self.event(3)])
    #expect(rename(log.path, directory.path + "/moved") == 0)
    let next = try EventLogWriter(log, threads: 1)
    try next.write([Self.event(4)])
    let found = sentence { try writer.commit() }
    #expect(found?.contains("moved or replaced") == true && found?.contains("nothing was stored") == true)
    writer.close()
    try next.commit()
    next.close()
    #expect(try log.export() == [Self.event(4)] && log.verify().damage.isEmpty)
    #expect(try LogDirectory(path: directory.path + "/moved").export().count == 2)
  }

  /// A log that was made for an ingest goes again when that fails, and another's, by then at its path, does not.
  @Test func aNewLogThatIsMovedTakesNothingWithIt() throws {
    let directory = try TemporaryDirectory()
    let log = LogDirectory(path: directory.path + "/log")
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write([Self.event(1)])
    #expect(rename(log.path, directory.path + "/moved") == 0)
    #expect(mkdir(log.path, 0o700) == 0)
    #expect(throws: LogError.self) { try writer.commit() }
    writer.close()
    #expect(access(log.path, F_OK) == 0)
  }

  @Test(arguments: [false, true])
  func aWriterWhoseLockIsGoneStoresAndRemovesNothing(isRemoved: Bool) throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let writer = try EventLogWriter(log, threads: 1)
    // One part before there is another writer, and one of an id that the other takes first.
    try writer.write([Self.event(6)])
    #expect((isRemoved ? unlink(log.file("lock")) : rename(log.file("lock"), log.file("other"))) == 0)
    let next = try EventLogWriter(log, threads: 1)
    try next.write([Self.event(4)])
    // Of the same id as the other's.
    _ = sentence { try writer.write([Self.event(3)]) }
    #expect(sentence { _ = try writer.erase([Array("u1".utf8)]) } != nil)
    writer.close()
    try next.commit()
    next.close()
    if !isRemoved { #expect(unlink(log.file("other")) == 0) }
    #expect(try log.verify().damage.isEmpty)
    #expect(try Set(log.export()) == Set([1, 2, 4].map(Self.event)))
    // What the first one wrote goes with the next writer, like all that is left over.
    #expect(try log.ingest([Self.event(5)]).new == 1)
    #expect(try log.verify().notes.isEmpty && log.export().count == 4)
  }

  @Test func aLockThatIsReplacedStopsTheCommit() throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let before = try log.export()
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write([Self.event(3)])
    #expect(unlink(log.file("lock")) == 0)
    try Data().write(to: URL(fileURLWithPath: log.file("lock")))
    let found = sentence { try writer.commit() }
    #expect(found?.contains("removed or replaced") == true && found?.contains("nothing was stored") == true)
    writer.close()
    #expect(try log.export() == before)
    #expect(try log.ingest([Self.event(3)]).new == 1)
  }

  @Test func aReaderWhoseLogIsReplacedReadsTheOneThatItOpened() throws {
    let directory = try TemporaryDirectory()
    let log = try makeLog(directory.path + "/log")
    let before = try log.export()
    let isDone = Mutex(false)
    let (path, moved) = (log.path, directory.path + "/moved")
    let replacing = FailingFileSystem(
      SystemFileSystem(),
      onCall: { _, call in
        guard call.operation == "open", call.path.contains("part-"), !isDone.withLock({ $0 }) else { return }
        isDone.withLock { $0 = true }
        #expect(rename(path, moved) == 0)
        for n in 5..<7 { _ = try? LogDirectory(path: path).ingest([Self.event(n)]) }
      })
    #expect(try LogDirectory(path: path, files: replacing).export() == before)
    #expect(isDone.withLock { $0 })
    #expect(try Set(log.export()) == Set([5, 6].map(Self.event)))
  }
}
