// The list of users whom answers leave out: every byte of its file is accounted for.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct ExcludedUsersTests {
  private let ids = ["b", "a", "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "ü", "b"].map { Array($0.utf8) }

  @Test func hasEachIDOnceInOrder() {
    var list = ExcludedUsers(ids)
    #expect(
      list.ids.map { String(decoding: $0, as: UTF8.self) } == ["8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", "a", "b", "ü"])
    #expect(list.checksum == ExcludedUsers(ids.reversed()).checksum)
    let before = list.checksum
    let counts = (list.insert([ids[0]]), list.remove([ids[1], ids[1], Array("c".utf8)]))
    #expect(counts == (0, 1) && list.ids.count == 3 && list.checksum != before)
    // The ends of ids are part of the checksum.
    #expect(
      ExcludedUsers([Array("ab".utf8), Array("c".utf8)]).checksum
        != ExcludedUsers([Array("a".utf8), Array("bc".utf8)]).checksum)
  }

  @Test func isReadAsItWasWritten() throws {
    for list in [ExcludedUsers(ids), ExcludedUsers(), ExcludedUsers([[UInt8](repeating: 0xFF, count: 256)])] {
      let (bytes, description) = list.encode(id: 9)
      #expect(try ExcludedUsers(bytes, id: 9, expected: description, file: "excluded") == list)
      for i in bytes.indices {
        for bit in [0, 7] as [UInt8] {
          var other = bytes
          other[i] ^= 1 << bit
          #expect(throws: LogError.self, "byte \(i)") {
            try ExcludedUsers(other, id: 9, expected: nil, file: "excluded")
          }
        }
        #expect(throws: LogError.self) {
          try ExcludedUsers(Array(bytes[..<i]), id: 9, expected: description, file: "excluded")
        }
      }
      #expect(throws: LogError.self) { try ExcludedUsers(bytes, id: 8, expected: nil, file: "excluded") }
    }
  }

  @Test func aNewerVersionIsNamed() throws {
    var bytes = ExcludedUsers(ids).encode(id: 9).bytes
    bytes[8] = 2
    #expect {
      try ExcludedUsers(bytes, id: 9, expected: nil, file: "excluded")
    } throws: {
      ($0 as? LogError)?.code == .newerFormat
    }
  }

  /// Ids in any order, twice, empty or too long are no list, whatever their checksum is.
  @Test func otherContentsAreRefused() throws {
    func file(_ ids: [[UInt8]], users: UInt32) -> [UInt8] {
      var w = ByteWriter(bytes: Array(ExcludedUsers().encode(id: 9).bytes.prefix(12)))
      w.u32(users)
      w.u64(9)
      ids.forEach { w.text($0) }
      w.u64(Checksum.of(w.bytes, seed: 9))
      return w.bytes
    }
    let (a, b) = (Array("a".utf8), Array("b".utf8))
    #expect(try ExcludedUsers(file([a, b], users: 2), id: 9, expected: nil, file: "excluded").ids == [a, b])
    for (ids, users) in [
      ([b, a], 2), ([a, a], 2), ([[]], 1), ([a], 2), ([a, b], 1), ([[UInt8](repeating: 65, count: 257)], 1),
    ] as [([[UInt8]], UInt32)] {
      #expect(throws: LogError.self, "\(ids)") {
        try ExcludedUsers(file(ids, users: users), id: 9, expected: nil, file: "excluded")
      }
    }
  }
}
