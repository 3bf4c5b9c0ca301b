// Which ids an erasure did not find, and whether an account's id was given among installs.

import PermissionEvents
import Testing

@testable import Permlog

@Suite struct ErasureHintTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let installs = [
    "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "8c1b3f6e2d7a4e559a0b0f3c6d1e7a42", "9774d56d682e549c",
    "1700000000000-1234567890123456789", "GA1234567890abcDEF_-12",
    "$device:8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "$RCAnonymousID:8c1b3f6e2d7a4e559a0b0f3c6d1e7a42",
    "1234567890.1700000000",
  ]
  private static let accounts = [
    "anna@example.com", "4711", "+49 170 1234567", "user_17", "User-17", "auth0|5f7c8ec7c33c6c004bbafe82", "customer9",
    "170123456789012345",
  ]
  private static let others = ["c1", "anna", "8C1B3F6E-2D7A", "a@b", "", "@", "$", "$:", "-", "granted"]

  @Test func formsOfIDs() {
    for id in Self.installs { #expect(IdentifierShape(Array(id.utf8)) == .install, "\(id)") }
    for id in Self.accounts { #expect(IdentifierShape(Array(id.utf8)) == .account, "\(id)") }
    for id in Self.others { #expect(IdentifierShape(Array(id.utf8)) == .unknown, "\(id)") }
    let bytes: [[UInt8]] = [[0xFF, 0xFE], [0], [0x24, 0x3A, 0x3A]]
    for id in bytes { #expect(IdentifierShape(id) == .unknown) }
  }

  private func uuid(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "8C1B3F6E-2D7A-4E55-9A0B-" + String(repeating: "A", count: 12 - digits.count) + digits.uppercased()
  }

  private func log(_ name: String, _ users: [String]) throws -> PermissionLog {
    let log = try PermissionLog(directory.file(name))
    try log.ingest(bytes: Array(users.map { Sample.line($0, "granted") }.joined().utf8))
    return log
  }

  @Test func anAccountAmongInstallsIsNamed() throws {
    let log = try log("log", (0..<100).map(uuid))
    let ids = ["anna@example.com", uuid(3), "4711", uuid(5000), "anna@example.com", "c1"].map { Array($0.utf8) }
    let preview = try log.previewErasure(of: ids)
    let erased = try log.erase(users: ids)
    for result in [preview, erased] {
      #expect(result.named == 5 && result.found == 1 && result.keptOut == 5)
      #expect(result.notFound == [ids[0], ids[2], ids[3], ids[5]])
      #expect(result.accounts == [ids[0], ids[2]])
    }
    // A request that was not fulfilled does not look fulfilled the second time.
    let again = try log.erase(users: ids)
    #expect(again.notFound == erased.notFound && again.accounts == erased.accounts)
    #expect(again.requests.map(\.outcome) == [.notFound, .erasedBefore, .notFound, .notFound, .notFound])
  }

  /// Two installs of an account that the log links are one person, whose events count once.
  @Test func linkedInstallsCountOnce() throws {
    let log = try log("linked", ["d1", "d2", "d3"])
    let mapping = """
      name: mine
      record:
        recognise: [/ev, /u]
        event: /ev
        user: /u
        time: /t
        id: /id
        link: {event: link, from: /u, with: /other}
      otherwise:
        - {event: link, kind: ignore}
      """
    var options = IngestOptions()
    options.mappings = [.yaml(Array(mapping.utf8), name: "mine.yaml")]
    let link = #"{"ev":"link","u":"d1","other":"d2","t":1772445700000,"id":"e2"}"# + "\n"
    try log.ingest(bytes: Array(link.utf8), options: options)
    let (account, installs) = (Array("acc".utf8), ["d1", "d2"].map { Array($0.utf8) })
    let erased = try log.erase(users: [account], links: [account: installs])
    #expect(erased.events == 2 && erased.requests[0].events == 2 && erased.requests[0].installsFound == 2)
    #expect(try log.information().events == 1)
  }

  @Test func blanksAtTheEndsAreNoOtherID() throws {
    let log = try log("log", (0..<3).map(uuid))
    let erased = try log.erase(users: [Array(" \(uuid(1)) ".utf8)])
    #expect(erased.named == 1 && erased.found == 1 && erased.notFound.isEmpty)
  }

  @Test func whereUsersAreAccountsNothingIsSaid() throws {
    let address = Array("anna@example.com".utf8)
    let mixed = try log("mixed", (0..<80).map(uuid) + (0..<20).map { "user\($0)@example.com" })
    let accounts = try log("accounts", (0..<100).map { "\($0 + 1000)" })
    let empty = try log("empty", [])
    for log in [mixed, accounts, empty] {
      let erased = try log.erase(users: [address])
      #expect(erased.notFound == [address] && erased.accounts.isEmpty)
    }
  }

  @Test func underAKeyNothingIsGuessed() throws {
    let key = try #require(UserKey(Array(1...20)))
    let log = try PermissionLog(directory.file("log"))
    var options = IngestOptions()
    options.userKey = key
    try log.ingest(bytes: Array((0..<30).map { Sample.line(uuid($0), "granted") }.joined().utf8), options: options)
    let erased = try log.erase(users: [Array("anna@example.com".utf8), Array(uuid(3).utf8)], key: key)
    #expect(erased.found == 1 && erased.notFound == [Array("anna@example.com".utf8)] && erased.accounts.isEmpty)
  }
}
