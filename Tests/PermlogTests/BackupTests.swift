// A copy of a log: complete, renewed by its new files only, and never over another log.

import Foundation
import LogTestSupport
import Testing

@testable import EventLog
@testable import Permlog

@Suite struct BackupTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
  }

  private func exported(_ path: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try PermissionLog(path).export { bytes += $0 }
    return bytes
  }

  private func ingest(_ users: Range<Int>) throws {
    try log.ingest(bytes: Array(users.map { Sample.line("u\($0)", "granted") }.joined().utf8))
  }

  private var copy: String { directory.file("a/b/copy") }

  @Test func theCopyIsTheLog() throws {
    try ingest(0..<50)
    try log.erase(users: [Array("u3".utf8)])
    let first = try log.backUp(to: copy)
    #expect(first.newFiles == first.files && first.bytes > 0)
    #expect(try exported(copy) == exported(log.path))
    #expect(try PermissionLog(copy).information().fingerprint == log.information().fingerprint)
    #expect(try PermissionLog(copy).verify().damage.isEmpty && PermissionLog(copy).verify().notes.isEmpty)
    let again = try log.backUp(to: copy)
    #expect(again.newFiles == 0 && again.removedFiles == 0 && again.files == first.files)
    // It keeps the erased user out, and can be ingested into.
    #expect(try PermissionLog(copy).ingest(bytes: Array(Sample.line("u3", "granted").utf8)).stored.erased == 1)
  }

  @Test func onlyNewFilesAreCopiedAndOldOnesGo() throws {
    try ingest(0..<50)
    try log.backUp(to: copy)
    try ingest(50..<60)
    let second = try log.backUp(to: copy)
    #expect(second.newFiles < second.files && second.newFiles > 0)
    #expect(try exported(copy) == exported(log.path))
    // An erasure reaches the copy, and no file of it has the user.
    try log.erase(users: [Array("u7".utf8)])
    #expect(try log.backUp(to: copy).removedFiles > 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: copy) where name.hasPrefix("part-") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: copy + "/" + name))
      #expect(bytes == (try Data(contentsOf: URL(fileURLWithPath: log.path + "/" + name))))
    }
    #expect(try exported(copy) == exported(log.path))
  }

  @Test func anUndoStillWorksInARestoredCopy() throws {
    try ingest(0..<20)
    let before = try exported(log.path)
    try ingest(20..<40)
    try log.backUp(to: copy)
    #expect(try PermissionLog(copy).undo() != nil)
    #expect(try exported(copy) == before)
  }

  @Test func nothingIsCopiedOverAnotherLog() throws {
    try ingest(0..<20)
    let other = try PermissionLog(directory.file("other"))
    try other.ingest(bytes: Array(Sample.line("x", "denied").utf8))
    let kept = try exported(other.path)
    // Neither another log, nor a newer state of this one, nor a directory with other things, nor the log itself.
    try log.backUp(to: copy)
    try ingest(20..<30)
    #expect(failure { try PermissionLog(copy).backUp(to: log.path) }?.code == .notFound)
    #expect(failure { try log.backUp(to: other.path) } != nil)
    #expect(try exported(other.path) == kept)
    try directory.write("full", "")
    try FileManager.default.createDirectory(atPath: directory.file("mine"), withIntermediateDirectories: true)
    try directory.write("mine/notes.txt", "mine")
    #expect(failure { try log.backUp(to: directory.file("mine")) }?.message.contains("notes.txt") == true)
    #expect(failure { try log.backUp(to: log.path) }?.code == .usage)
    #expect(failure { try log.backUp(to: log.path + "/.") }?.code == .usage)
    #expect(failure { try log.backUp(to: log.path + "/sub/copy") }?.code == .usage)
    #expect(failure { try log.backUp(to: "") }?.code == .usage)
    #expect(try log.information().events == 30)
  }

  @Test func aMissingLogMakesNoCopy() throws {
    #expect(failure { try log.backUp(to: copy) }?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: directory.file("a")))
  }

  @Test func aCopyIsWholeBesideAWriter() async throws {
    try ingest(0..<20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [log] in
        for round in 1..<25 {
          try log.ingest(bytes: Array((0..<20).map { Sample.line("r\(round)-\($0)", "granted") }.joined().utf8))
        }
      }
      for _ in 0..<25 {
        try log.backUp(to: copy)
        let found = try PermissionLog(copy).verify()
        #expect(found.damage.isEmpty && found.notes.isEmpty, "\(found)")
        #expect(try PermissionLog(copy).information().events % 20 == 0)
      }
      try await group.waitForAll()
    }
  }

  // MARK: The list of erased users

  @Test func aLogOfAnExportKeepsOutWhoWasErased() throws {
    try ingest(0..<20)
    try log.erase(users: [Array("u3".utf8), Array("u4".utf8)])
    let list = try #require(try log.exportErasures())
    #expect(list.users == 2)
    let file = directory.file("erased.list")
    try Data(list.bytes).write(to: URL(fileURLWithPath: file))
    let second = try PermissionLog(directory.file("second"))
    // An old export, in which they still are.
    try second.ingest(bytes: Array((0..<20).map { Sample.line("u\($0)", "granted") }.joined().utf8))
    let adopted = try second.adoptErasures(from: file)
    #expect(adopted.keptOut == 2 && adopted.found == 2 && adopted.events == 2)
    #expect(try second.information().events == 18 && second.information().erasedUsers == 2)
    #expect(try second.ingest(bytes: Array(Sample.line("u3", "denied").utf8)).stored.erased == 1)
    // The same list again changes nothing; another one cannot be joined.
    #expect(try second.adoptErasures(from: file).keptOut == 0)
    let third = try PermissionLog(directory.file("third"))
    try third.ingest(bytes: Array(Sample.line("u9", "denied").utf8))
    try third.erase(users: [Array("u9".utf8)])
    #expect(failure { try third.adoptErasures(from: file) }?.code == .key)
  }

  /// Machines that share a key exchange their lists, and a person whose ids are linked here goes whole.
  @Test func listsWithOneKeyAreJoined() throws {
    let key = ErasureKeySource.key(try #require(ErasureKey(Array(1...32))))
    func list(_ name: String, erasing user: String) throws -> (PermissionLog, String) {
      let log = try PermissionLog(directory.file(name))
      try log.ingest(bytes: Array((0..<6).map { Sample.line("u\($0)", "granted") }.joined().utf8))
      try log.erase(users: [Array(user.utf8)], erasureKey: key)
      let file = directory.file(name + ".list")
      try Data(#require(try log.exportErasures()).bytes).write(to: URL(fileURLWithPath: file))
      return (log, file)
    }
    let (a, fileA) = try list("a", erasing: "u1")
    let (b, fileB) = try list("b", erasing: "u2")
    #expect(try a.adoptErasures(from: fileB, erasureKey: key).events == 1)
    #expect(try b.adoptErasures(from: fileA, erasureKey: key).events == 1)
    for log in [a, b] {
      #expect(try log.information().events == 4 && log.information().erasedUsers == 2)
      #expect(try log.erasureRequests().reduce(0) { $0 + $1.ids } == 2)
      #expect(try log.verify().damage.isEmpty)
    }
    #expect(try a.adoptErasures(from: fileB, erasureKey: key).keptOut == 0)
  }

  /// A list has hashes of ids as its log has them: in a log with other ids nobody would be recognised, in silence.
  @Test func aListOfOtherIDsIsRefused() throws {
    let keys = try (1...2).map { try #require(UserKey([UInt8](repeating: UInt8($0), count: 32))) }
    let listKey = ErasureKeySource.key(try #require(ErasureKey(Array(1...32))))
    func make(_ name: String, _ key: UserKey?, erasing user: String? = "u1") throws -> (
      log: PermissionLog, list: String
    ) {
      let log = try PermissionLog(directory.file(name))
      var options = IngestOptions()
      options.userKey = key
      try log.ingest(bytes: Array((0..<6).map { Sample.line("u\($0)", "granted") }.joined().utf8), options: options)
      guard let user else { return (log, "") }
      try log.erase(users: [Array(user.utf8)], key: key, erasureKey: listKey)
      return (log, try write(log, name))
    }
    func write(_ log: PermissionLog, _ name: String) throws -> String {
      let file = directory.file(name + ".list")
      let list = try #require(try log.exportErasures())
      try Data(list.bytes).write(to: URL(fileURLWithPath: file))
      return file
    }
    func code(_ log: PermissionLog, _ list: String) -> PermlogError.Code? {
      failure { try log.adoptErasures(from: list, erasureKey: listKey) }?.code
    }
    let (plain, one, two) = (try make("plain", nil), try make("one", keys[0]), try make("two", keys[1]))
    for (log, list) in [(plain, one), (one, plain), (one, two), (two, one)] {
      #expect(code(log.log, list.list) == .key)
    }
    let other = try make("other", keys[0], erasing: "u2")
    #expect(try other.log.adoptErasures(from: one.list, erasureKey: listKey).events == 1)
    // After a change of keys the users of the list have ids that cannot be computed from those of a log.
    try other.log.rekey(from: keys[0], to: keys[1])
    let rekeyed = try write(other.log, "rekeyed")
    try one.log.rekey(from: keys[0], to: keys[1])
    let both = keys[0].renewed(by: keys[1])
    let chained = try make("chained", both, erasing: "u3")
    for (log, list) in [(other.log, one.list), (one.log, rekeyed), (chained.log, rekeyed)] {
      #expect(code(log, list) == .key)
    }
    #expect(try one.log.adoptErasures(from: chained.list, erasureKey: listKey).events == 1)
    // A log that is made of an export of pseudonyms does not know their key, and an erased user is not in the export.
    let copy = try PermissionLog(directory.file("copy"))
    try copy.ingest(bytes: try exported(directory.file("chained")))
    #expect(code(copy, chained.list) == .key)
    var withKeys = IngestOptions()
    withKeys.userKey = both
    let later = Array(["u1", "u3"].map { Sample.line($0, "granted") }.joined().utf8)
    #expect(try copy.ingest(bytes: later, options: withKeys).stored.new == 1)
    #expect(try copy.adoptErasures(from: chained.list, erasureKey: listKey).events == 1)
    let before = try PermissionLog(directory.file("before"))
    try before.ingest(bytes: try exported(directory.file("two")))
    #expect(code(before, chained.list) == .key)
    // A new log takes the names with the list.
    let new = try PermissionLog(directory.file("new"))
    try new.ingest(bytes: [])
    try new.adoptErasures(from: write(one.log, "of one"), erasureKey: listKey)
    var options = IngestOptions()
    options.erasureKey = listKey
    #expect(failure { try new.ingest(bytes: Array(Sample.line("u1", "granted").utf8), options: options) }?.code == .key)
    options.userKey = keys[0].renewed(by: keys[1])
    let stored = try new.ingest(
      bytes: Array((0..<6).map { Sample.line("u\($0)", "granted") }.joined().utf8), options: options
    ).stored
    #expect(stored.erased == 2 && stored.new == 4)
  }

  @Test func aFileThatIsNoListIsRefused() throws {
    try ingest(0..<2)
    for text in ["", "nonsense", String(repeating: "x", count: 100)] {
      let file = try directory.write("list", text)
      #expect(failure { try log.adoptErasures(from: file) }?.code == .damaged)
    }
    #expect(failure { try log.adoptErasures(from: directory.file("missing")) } != nil)
    #expect(try log.exportErasures() == nil)
  }

  @Test func everyByteOfTheListCounts() throws {
    try ingest(0..<3)
    try log.erase(users: [Array("u1".utf8)])
    let list = try #require(try log.exportErasures()).bytes
    for i in list.indices {
      var changed = list
      changed[i] ^= 4
      #expect(throws: LogError.self) { try ErasureList.read(file: changed, name: "list") }
    }
  }
}
