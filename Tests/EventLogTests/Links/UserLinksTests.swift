// Groups of linked ids against a plain model, and the file that keeps them.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct UserLinksTests {
  private func id(_ number: Int) -> [UInt8] {
    number % 2 == 0 ? Array("user-\(number)".utf8) : Array("0190aaaa-0000-7000-8000-0000000000\(number + 10)".utf8)
  }

  private func link(_ a: Int, _ b: Int) throws -> UserLink { try #require(UserLink(id(a), id(b))) }

  @Test(arguments: UInt64(1)...20)
  func groupsAreThoseOfAModel(seed: UInt64) throws {
    var random = SystemLikeRandom(seed)
    var (links, model) = (UserLinks(), (0..<40).map { Set([$0]) })
    for _ in 0..<30 {
      let (a, b) = (random.below(40), random.below(40))
      guard a != b else { continue }
      let isKnown = model[a] == model[b]
      #expect(try links.insert(try link(a, b)) == (isKnown ? .known : .joined), "seed \(seed)")
      let both = model[a].union(model[b])
      for member in both { model[member] = both }
    }
    for number in 0..<40 {
      let expected = model[number].map { id($0) }.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(links.members(of: id(number)) == (expected.count > 1 ? expected : nil), "seed \(seed)")
    }
    let group = try #require(model.first { $0.count > 1 })
    links.remove([id(try #require(group.first))])
    for member in group { #expect(links.members(of: id(member)) == nil, "seed \(seed)") }
  }

  @Test func noUserHasMoreThanFiftyIDs() throws {
    var links = UserLinks()
    for number in 1..<UserLinks.mostIDsOfUser { #expect(try links.insert(try link(0, number)) == .joined) }
    #expect(try links.insert(try link(0, 98)) == .refused)
    #expect(links.idCount == 50 && links.userCount == 1)
    #expect(UserLink(id(1), id(1)) == nil)
  }

  @Test func everyDamagedByteOfTheFileIsNoticed() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    _ = try files.makeDirectory("/log")
    var links = UserLinks()
    for number in 1..<6 { _ = try links.insert(try link(number % 2, number + 1)) }
    let hidden = HiddenUsers(
      [
        .init(id: UserLinks.ID(id(1)), part: 7), .init(id: UserLinks.ID(id(1)), part: 9),
        .init(id: UserLinks.ID(id(2)), part: 7),
      ],
      counts: [3: .init(rows: 5, users: 2)])
    #expect(hidden.entries.count == 2, "of one user the later part counts")
    var split = SplitSessions()
    split.add([id(7), id(8)], sessions: 3)
    split.add([id(7), id(9), id(8)], sessions: 200)
    let description = try log.write(LinksContent(links: links, hidden: hidden, split: split), id: 11)
    let name = "/log/" + description.name
    let bytes = try #require(files[name])
    let read = try log.readLinks(id: 11, expected: description)
    #expect(read.links.orderedGroups == links.orderedGroups)
    #expect(read.hidden.entries == hidden.entries && read.hidden.counts == hidden.counts)
    #expect(read.split == split)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(place % 8)
      files[name] = damaged
      #expect(throws: LogError.self, "byte \(place)") { try log.readLinks(id: 11, expected: description) }
    }
    for count in 0..<bytes.count {
      files[name] = Array(bytes[..<count])
      #expect(throws: LogError.self, "\(count) bytes") { try log.readLinks(id: 11, expected: description) }
    }
  }
}

private struct SystemLikeRandom {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func below(_ n: Int) -> Int {
    state = UserHash.mix(state &+ 0x9E37_79B9_7F4A_7C15)
    return Int(state % UInt64(n))
  }
}
