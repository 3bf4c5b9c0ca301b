// Other ids for all users and events of a log: sorted anew, in as many rounds as it takes.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct RekeyTests {
  private let log = LogDirectory(path: "/log", files: MemoryFileSystem())

  /// New ids of users with the lowest hashes, so that all events are in one partition.
  private static func inOnePartition(_ user: [UInt8]) -> [UInt8] {
    let number = UInt64(String(decoding: user.dropFirst(5), as: UTF8.self)) ?? 0
    var text: [UInt8] = []
    IdentifierText.writeUUID(
      form: .lowercaseUUID, high: UserHash.highWord(hash: number, low: 7), low: 7, into: &text)
    return text
  }

  @Test func aLogThatNoRoundHoldsIsWrittenInSeveral() throws {
    let events = (0..<700_000).map { n in
      TestEvent(user: "user \(n / 100)", id: "\(n)", time: 1_700_000_000_000 + Milliseconds(n))
    }
    let writer = try EventLogWriter(log, threads: 2, clock: { 1_800_000_000_000 })
    try writer.write(events, threads: 2, isLast: true, reading: IngestTally(sessions: 5))
    try writer.commit()
    let tally = IngestTally.sum(try LogSnapshot(log).parts.map(\.footer.tally))
    let ids = NewIDs(user: Self.inOnePartition, event: { $0 })
    #expect(try writer.rename(ids) == RekeyCounts(users: 7000, events: 700_000))
    writer.close()
    let snapshot = try LogSnapshot(log)
    #expect(snapshot.parts.count > 1, "12 MiB of events in a partition end a round")
    #expect(IngestTally.sum(snapshot.parts.map(\.footer.tally)) == tally && tally != nil)
    let expected = events.map { event in
      var event = event
      event.user = Self.inOnePartition(event.user)
      return event
    }
    #expect(try log.export() == expected.sorted(by: TestEvent.isBefore))
    #expect(try log.verify().damage.isEmpty)
  }

  /// A log without times of commits has no counts of ingests, and gets none.
  @Test func countsThatAreNotThereStayUnknown() throws {
    let writer = try EventLogWriter(log, threads: 1)
    try writer.write([TestEvent(user: "ann", id: "e", time: 1_700_000_000_000)])
    try writer.commit()
    _ = try writer.rename(NewIDs(user: { $0 + [0x62] }, event: { $0 }))
    writer.close()
    #expect(try LogSnapshot(log).parts.map(\.footer.tally) == [nil])
    #expect(try log.export().map(\.user) == [Array("annb".utf8)])
  }

  @Test func anEmptyLogStaysEmpty() throws {
    let writer = try EventLogWriter(log, threads: 1)
    try writer.commit()
    #expect(try writer.rename(NewIDs(user: { $0 }, event: { $0 })) == RekeyCounts())
    writer.close()
    #expect(try log.export().isEmpty)
  }

  /// Events of one user in several parts can be more than a part holds.
  @Test func whatDoesNotFitIsRefusedAndStays() throws {
    for n in 0..<2 {
      let writer = try EventLogWriter(log, threads: 1)
      try writer.write((0..<5).map { TestEvent(user: "ann", id: "\(n) \($0)", time: 1_700_000_000_000) })
      try writer.commit()
      writer.close()
    }
    let before = try log.export()
    let writer = try EventLogWriter(log, threads: 1, eventsOfUser: 8)
    let error = #expect(throws: LogError.self) { try writer.rename(NewIDs(user: { $0 + [0x62] }, event: { $0 })) }
    #expect(error?.code == .limit && error?.finding.contains("more than 8 events of one user") == true)
    writer.close()
    #expect(try log.export() == before && log.verify().damage.isEmpty)
  }
}
