// Keys as a program gives them: that of the list of erased users, and that of hashed users.

import Foundation
import Permlog
import Testing

@Suite struct KeyTests {
  private let directory: TemporaryDirectory
  private let log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"))
  }

  private func ingest(_ users: [String], _ change: (inout IngestOptions) -> Void = { _ in }) throws -> IngestResult {
    var options = IngestOptions()
    change(&options)
    return try log.ingest(bytes: Array(users.map { Sample.line($0, "granted") }.joined().utf8), options: options)
  }

  private let ann = [Array("ann".utf8)]

  @Test func theFirstErasureDecidesWhereTheKeyIs() throws {
    _ = try ingest(["ann", "bob"])
    let file = ErasureKeySource.file(directory.file("key"))
    let preview = try log.previewErasure(of: ann, erasureKey: file)
    #expect(preview.newList == .keyMade(path: directory.file("key")))
    #expect(!FileManager.default.fileExists(atPath: directory.file("key")), "a preview makes nothing")
    let erased = try log.erase(users: ann, erasureKey: file)
    #expect(erased.newList == .keyMade(path: directory.file("key")) && erased.events == 1)
    #expect(try Sample.bytes(directory.file("key")).count == 32)
    // From here on every call that asks the list needs it, and no other.
    let calls: [(ErasureKeySource?) throws -> Void] = [
      { key in _ = try ingest(["ann"]) { $0.erasureKey = key } },
      { try log.erase(users: [Array("bob".utf8)], erasureKey: $0) },
      { _ = try log.previewErasure(of: ann, erasureKey: $0) }, { try log.readmit(users: ann, erasureKey: $0) },
    ]
    let wrong = try #require(ErasureKey([UInt8](repeating: 7, count: 32)))
    for call in calls {
      let missing = failure { try call(nil) }
      #expect(missing?.code == .key && missing?.remedy == .giveErasureKey)
      let other = failure { try call(.key(wrong)) }
      #expect(other?.code == .key && other?.remedy == .giveRightErasureKey)
      #expect(failure { try call(.file(directory.file("lost"))) }?.argument == .erasureKey)
    }
    #expect(try log.information().events == 1 && log.verify().damage.isEmpty)
    #expect(!(try log.report().render(as: .text)).isEmpty)
    for call in calls { try call(file) }
    #expect(try log.information().erasedUsers == 1, "bob is out, ann is in again")
    #expect(try log.information().erasureKey == .outside)
  }

  @Test func aKeyThatWasGivenIsTaken() throws {
    _ = try ingest(["ann"])
    let key = try #require(ErasureKey(Array(1...20)))
    #expect(try log.erase(users: ann, erasureKey: .key(key)).newList == .keyGiven)
    #expect(try log.erase(users: ann, erasureKey: .key(key)).newList == nil)
    try directory.write("key", String(decoding: Array(1...20) as [UInt8], as: UTF8.self))
    #expect(try ingest(["ann"]) { $0.erasureKey = .file(directory.file("key")) }.stored.erased == 1)
  }

  @Test func aKeyInsideIsMovedOut() throws {
    _ = try ingest(["ann"])
    #expect(failure { try log.moveErasureKey(to: directory.file("key")) }?.remedy == .eraseWithKey)
    #expect(try log.erase(users: ann).newList == .keyInside)
    #expect(try log.information().erasureKey == .inside && log.information().keysNeeded.isEmpty)
    // A key that was to be elsewhere is not taken for one that is.
    for source in [ErasureKeySource.file(directory.file("none")), .key(try #require(ErasureKey(Array(1...20))))] {
      #expect(failure { try log.erase(users: ann, erasureKey: source) }?.remedy == .moveErasureKey)
    }
    #expect(!FileManager.default.fileExists(atPath: directory.file("none")))
    try directory.write("notes", "not a key")
    #expect(failure { try log.moveErasureKey(to: directory.file("notes")) }?.remedy == .nameNewKeyFile)
    #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
    #expect(failure { try log.moveErasureKey(to: directory.file("pipe")) }?.remedy == .nameNewKeyFile)
    try log.moveErasureKey(to: directory.file("key"))
    // Called again after it was stopped, it says that it is done; to another file it is not.
    try log.moveErasureKey(to: directory.file("key"))
    #expect(failure { try log.moveErasureKey(to: directory.file("other")) }?.code == .key)
    #expect(try ingest(["ann"]) { $0.erasureKey = .file(directory.file("key")) }.stored.erased == 1)
    #expect(try log.information().keysNeeded == [.erasures])
  }

  /// What an attempt that was stopped has left is gone on with: no byte, some, or the zeros of a loss of power.
  @Test(arguments: [0, 5, 32])
  func aKeyThatWasMovedHalfwayIsMoved(bytes: Int) throws {
    _ = try ingest(["ann"])
    _ = try log.erase(users: ann)
    try directory.write("key", String(repeating: "\0", count: bytes))
    try log.moveErasureKey(to: directory.file("key"))
    #expect(try ingest(["ann"]) { $0.erasureKey = .file(directory.file("key")) }.stored.erased == 1)
  }

  /// A log's export of hashed users has their pseudonyms: hashed once more, everybody would be there twice, and who was erased again.
  @Test func pseudonymsAreNotHashed() throws {
    let key = try #require(UserKey(Array(1...20)))
    _ = try ingest(["ann", "bob"]) { $0.userKey = key }
    _ = try log.erase(users: ann, key: key)
    var exported: [UInt8] = []
    try log.export(as: .ndjson) { exported += $0 }
    var options = IngestOptions()
    options.userKey = key
    let again = try log.ingest(bytes: exported, options: options)
    #expect(again.refusal != nil && again.stored.new == 0 && again.rejections.count == 1)
    #expect(again.rejections.groups.first?.first.reason.hasPrefix("user_id is already a pseudonym") == true)
    #expect(try log.information().events == 1)
  }

  @Test func noKeyIsKeptInTheLog() throws {
    _ = try ingest(["ann"])
    try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: "log")
    for path in ["log/key", "link/key", "log/../log/key"] {
      let error = failure { try log.erase(users: ann, erasureKey: .file(directory.file(path))) }
      #expect(error?.code == .usage && error?.message.contains("in the directory of a log") == true, "\(path)")
    }
    _ = try log.erase(users: ann)
    // A link from outside to what lies inside is a file of the log.
    try FileManager.default.createSymbolicLink(atPath: directory.file("outside"), withDestinationPath: "log/key")
    #expect(
      failure { try log.erase(users: ann, erasureKey: .file(directory.file("outside"))) }?.argument == .erasureKey)
    #expect(failure { try log.moveErasureKey(to: log.path + "/key") }?.argument == .newErasureKey)
    #expect(try log.verify().notes.isEmpty)
  }

  @Test func hashedUsersHaveOneKey() throws {
    let (key, other) = (try #require(UserKey(Array(1...20))), try #require(UserKey(Array(2...20))))
    _ = try ingest(["ann"]) { $0.userKey = key }
    #expect(failure { _ = try ingest(["ann"]) }?.remedy == .giveUserKey)
    #expect(failure { _ = try ingest(["ann"]) { $0.userKey = other } }?.code == .key)
    #expect(failure { try log.erase(users: ann) }?.remedy == .eraseWithUserKey)
    #expect(failure { try log.readmit(users: ann, key: other) }?.remedy == .eraseWithUserKey)
    #expect(failure { _ = try log.previewErasure(of: ann, key: other) }?.code == .key)
    #expect(try log.information().events == 1 && log.information().userNames == .hashed)
    _ = try ingest(["ann"]) {
      $0.userKey = other
      $0.allowsMixedUsers = true
    }
    #expect(try log.information().events == 2 && log.information().userNames == .mixed)
    #expect(try log.erase(users: ann, key: other).events == 1)
  }

  @Test func plainUsersHaveNone() throws {
    let key = try #require(UserKey(Array(1...20)))
    _ = try ingest(["ann"])
    #expect(failure { _ = try ingest(["bob"]) { $0.userKey = key } }?.remedy == .giveNoUserKey)
    #expect(failure { try log.erase(users: ann, key: key) }?.remedy == .eraseWithoutUserKey)
    #expect(try log.information().events == 1 && log.information().userNames == nil)
  }
}
