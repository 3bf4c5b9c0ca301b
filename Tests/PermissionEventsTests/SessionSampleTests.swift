// Which ids a session had, whatever the order of the events and the number of threads.

import PermissionEvents
import Testing

@Suite struct SessionSampleTests {
  private func sample(_ events: [(session: UInt64, user: Int)]) -> SessionSample {
    var sample = SessionSample()
    for (session, user) in events {
      sample.note(session: session, user: UInt64(user)) { Array("user-\(user)".utf8) }
    }
    return sample
  }

  @Test func sessionsWithSeveralIDsAreChanged() {
    let found = sample([(1, 3), (1, 3), (2, 1), (1, 2), (2, 1), (3, 2), (1, 3)])
    #expect(found.count == 3)
    #expect(found.changed == [[Array("user-2".utf8), Array("user-3".utf8)]])
    #expect(SessionSample().changed.isEmpty && SessionSample().count == 0)
  }

  @Test func ofManyIDsTheLeastAreKept() {
    let ids = (0..<40).map { 10 + ($0 * 7) % 40 }
    let found = sample(ids.map { (5, $0) })
    #expect(found.changed == [(10..<18).map { Array("user-\($0)".utf8) }])
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func theSampleIsTheSameInAnyOrderAndDivision(seed: UInt64) {
    var state = seed
    func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return UserHash.mix(state)
    }
    let sessions = (0..<150_000).map { _ in next() }
    var events = sessions.enumerated().map { (session: $1, user: $0 / 2) }
    events += sessions.enumerated().compactMap { $0 % 3 == 0 ? (session: $1, user: $0 + 200_000) : nil }
    let whole = sample(events)
    #expect((SessionSample.mostSessions / 2...SessionSample.mostSessions).contains(whole.count), "seed \(seed)")
    var parts = SessionSample()
    let shuffled = events.enumerated().sorted {
      UserHash.mix(UInt64($0.offset) ^ seed) < UserHash.mix(UInt64($1.offset) ^ seed)
    }
    .map(\.element)
    for start in [100_000, 0, 150_000] {
      parts += sample(
        Array(shuffled[start..<min(start == 100_000 ? 150_000 : start == 0 ? 100_000 : shuffled.count, shuffled.count)])
      )
    }
    #expect(parts.count == whole.count, "seed \(seed)")
    func sorted(_ sample: SessionSample) -> [[[UInt8]]] {
      sample.changed.sorted { $0.lexicographicallyPrecedes($1) { $0.lexicographicallyPrecedes($1) } }
    }
    #expect(sorted(parts) == sorted(whole), "seed \(seed)")
    // A third of the sessions has two ids, as in the whole.
    let share = Double(whole.changed.count) / Double(whole.count)
    #expect((0.31...0.36).contains(share), "seed \(seed): \(share)")
  }
}
