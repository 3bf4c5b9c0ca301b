// A log remembers under which key its users are hashed, so that nobody becomes two users.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct UserNamingTests {
  private let one = UserNaming.hashed(check: 0xf5ca_83aa_f568_86bc)
  private let other = UserNaming.hashed(check: 0xff)
  private let files = MemoryFileSystem()
  private var log: LogDirectory { LogDirectory(path: "/log", files: files) }

  private func code(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  private static func pseudonym(_ n: Int) -> String { "bb2445c7-e839-8e99-9aeb-11763f788f2\(n)" }

  private func ingest(_ users: [String], _ naming: UserNaming, force: Bool = false, id: String = "e") throws {
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    try writer.admit(naming, force: force)
    try writer.write(users.map { TestEvent(user: $0, id: id, time: 1_700_000_000_000) })
    try writer.commit()
  }

  private func checkErasing(_ naming: UserNaming, _ id: String = "ann") -> LogError.Code? {
    code { try LogSnapshot(log).checkErasing(naming, ids: [Array(id.utf8)]) }
  }

  @Test func theManifestHasALineForEachKeyAndVersion4() throws {
    var manifest = Manifest()
    manifest.generation = 42
    manifest.nextPart = 301
    for naming in [one, .plain, other, one] { manifest.users.insert(naming) }
    // The checksum was computed apart, with libxxhash.
    let lines = [
      "permlog-manifest 4", "generation 42", "next-part 301", "users plain", "users hashed 00000000000000ff",
      "users hashed f5ca83aaf56886bc", "checksum 293c726afd4f6c33", "",
    ]
    #expect(String(decoding: manifest.encode(), as: UTF8.self) == lines.joined(separator: "\n"))
    #expect(try Manifest(manifest.encode(), file: "manifest") == manifest)
    let bytes = manifest.encode()
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(code { _ = try Manifest(changed, file: "manifest") } == .damaged, "bit \(bit)")
    }
  }

  @Test(arguments: [
    "users plain\n", "users hashed 01\n", "users hashed 00000000000000FF\n", "users hashed 00000000000000ff x\n",
    "users hashed 00000000000000ff\nusers hashed 00000000000000ff\n",
    "users hashed 00000000000000ff\nusers plain\n", "users\n", "users mixed\n",
    (0..<65).map { "users hashed " + FileName.digits(UInt64($0)) + "\n" }.joined(),
  ])
  func linesThatNoWriterWritesAreDamage(lines: String) {
    let text = Array("permlog-manifest 4\ngeneration 1\nnext-part 1\n\(lines)".utf8)
    #expect(code { _ = try Manifest(text + Manifest.checksumLine(of: text), file: "manifest") } == .damaged)
  }

  @Test func aLogOfPlainUsersStaysAsItWas() throws {
    try ingest(["ann"], .plain)
    #expect(try log.readManifest().users.isEmpty)
    #expect(!String(decoding: try #require(files["/log/manifest"]), as: UTF8.self).contains("users "))
    #expect(checkErasing(.plain) == nil && checkErasing(one) == .key)
    #expect(code { try ingest(["bob"], one) } == .key)
    #expect(try log.export().count == 1)
  }

  @Test func theFirstKeyedIngestDecides() throws {
    try ingest([], .plain)
    try ingest([], one)
    #expect(try log.readManifest().users.isEmpty, "a commit without events decides nothing")
    try ingest([Self.pseudonym(1)], one)
    #expect(try log.readManifest().users.keys == [0xf5ca_83aa_f568_86bc])
    for wrong in [other, .plain] {
      #expect(code { try ingest(["x"], wrong) } == .key)
      #expect(checkErasing(wrong) == .key)
    }
    #expect(checkErasing(one) == nil)
    #expect(try log.export().count == 1)
    try ingest([Self.pseudonym(2)], one)
    #expect(try log.information().userNames == .hashed && log.information().keysNeeded == [.users])
  }

  @Test func whatIsForcedIsRemembered() throws {
    try ingest(["ann"], .plain)
    try ingest([Self.pseudonym(1)], one, force: true)
    let users = try log.readManifest().users
    #expect(users.hasPlain && users.isMixed)
    #expect(try log.information().userNames == .mixed)
    // From now on both are the log's, and everybody can be erased.
    try ingest(["bob"], .plain)
    try ingest([Self.pseudonym(2)], one)
    #expect(checkErasing(.plain) == nil && checkErasing(one) == nil && checkErasing(other) == .key)
    #expect(code { try ingest([Self.pseudonym(3)], other) } == .key)
    try ingest([Self.pseudonym(3)], other, force: true)
    #expect(try log.readManifest().users.keys.count == 2)
  }

  @Test func keysAreBounded() throws {
    try ingest([Self.pseudonym(1)], one)
    var manifest = try log.readManifest()
    for n in 1..<UInt64(UserNamings.limit) { manifest.users.insert(.hashed(check: n)) }
    let opened = try log.opened()
    let lock = try WriterLock(opened)
    try opened.commit(manifest, holding: lock)
    lock.release()
    #expect(code { try ingest(["x"], .hashed(check: 1 << 40), force: true) } == .limit)
  }

  /// A log of before says nothing; then its ids do.
  @Test func aLogOfBeforeIsTakenByTheFormOfItsIDs() throws {
    try ingest([Self.pseudonym(1), Self.pseudonym(2)], .plain)
    // Kept out by a plain id, nobody would be recognised under the key that comes later.
    #expect(checkErasing(one) == nil && checkErasing(.plain) == .key)
    #expect(checkErasing(.plain, Self.pseudonym(1)) == nil)
    try ingest([Self.pseudonym(3)], one, id: "f")
    #expect(try log.readManifest().users.keys.count == 1)
    #expect(code { try ingest([Self.pseudonym(3)], other) } == .key)
  }

  @Test(arguments: [
    "bb2445c7-e839-4e99-9aeb-11763f788f22", "BB2445C7-E839-8E99-9AEB-11763F788F22",
    "bb2445c7-e839-8e99-daeb-11763f788f22", "bb2445c7e8398e999aeb11763f788f22",
  ])
  func oneOtherIDInALogOfBeforeIsEnough(id: String) throws {
    try ingest([Self.pseudonym(1)], .plain)
    try ingest([id], .plain)
    #expect(code { try ingest([Self.pseudonym(2)], one) } == .key)
    // Those who are hashed must be erasable all the same.
    #expect(checkErasing(one) == nil)
  }

  private func erase(_ user: String, _ naming: UserNaming) throws {
    let writer = try EventLogWriter(log, threads: 1)
    defer { writer.close() }
    try writer.checkErasing(naming, ids: [Array(user.utf8)])
    _ = try writer.erase([Array(user.utf8)])
  }

  /// Who is kept out by a plain id would come back by a pseudonym.
  @Test func aLogOfNothingButErasedUsersDecides() throws {
    try ingest(["ann"], .plain)
    try erase("ann", .plain)
    #expect(try log.export().isEmpty)
    #expect(code { try ingest([Self.pseudonym(1)], one) } == .key)
    // Nor is somebody kept out under a key of whom a plain ingest knows nothing.
    #expect(code { try erase(Self.pseudonym(2), one) } == .key)
    try ingest([Self.pseudonym(1)], one, force: true)
    #expect(try log.information().userNames == .mixed)
  }

  @Test func theFirstErasureUnderAKeyDecidesToo() throws {
    try ingest([], .plain)
    try erase(Self.pseudonym(1), one)
    #expect(try log.readManifest().users.keys.count == 1)
    #expect(code { try ingest(["ann"], .plain) } == .key)
    try ingest([Self.pseudonym(1), Self.pseudonym(2)], one)
    #expect(try log.export().count == 1)
  }

  @Test func erasingExpiringAndMergingKeepTheLine() throws {
    for n in 1...3 { try ingest([Self.pseudonym(n)], one, id: "\(n)") }
    let steps: [LogStep] = [
      .erase([Array(Self.pseudonym(1).utf8)]), .expire(before: 5), .compact, .moveKey, .readmitExpired,
      .readmit([Array(Self.pseudonym(1).utf8)]), .erase([1, 2, 3].map { Array(Self.pseudonym($0).utf8) }),
    ]
    for step in steps {
      try log.perform(step)
      #expect(try log.readManifest().users.keys.count == 1, "\(step)")
    }
    #expect(try log.export().isEmpty)
    #expect(code { try ingest(["ann"], .plain) } == .key, "an empty log has its key, too")
  }
}
