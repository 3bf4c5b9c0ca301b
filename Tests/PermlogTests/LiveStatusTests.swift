// What a server says of itself beside a log: read by info and by reports, and no part of the log's state.

import Foundation
import PermissionEvents
import Testing

@testable import EventLog
@testable import Permlog

@Suite struct LiveStatusTests {
  @Test func itIsReadAsItWasWritten() throws {
    let directory = try TemporaryDirectory()
    let log = try Sample.log(in: directory)
    #expect(try log.information().live == nil)
    let fingerprint = try log.fingerprint()
    let status = LiveStatus(received: 1_774_000_005_000, read: 1_774_000_000_000, waitingBytes: 12, quarantined: 3)
    try log.note(status)
    #expect(try log.information().live == status)
    // It is no commit, and no stranger to the log.
    #expect(try log.fingerprint() == fingerprint)
    #expect(try log.verify().notes.isEmpty && log.verify().damage.isEmpty)
    try log.compact()
    #expect(try log.information().live == status)
    #expect(failure { try PermissionLog(directory.file("none")).note(status) }?.code == .notFound)
    for text in [
      "", "permlog live 2\n", status.text + "x", status.text.replacing("12", with: "-1"),
      String(repeating: "x", count: 5000),
    ] {
      try directory.write("log/live", text)
      #expect(try log.information().live == nil, "\(text)")
    }
  }

  @Test func aReportSaysWhatItLacks() throws {
    let directory = try TemporaryDirectory()
    let log = try Sample.log(in: directory)
    let plain = try log.report().render(as: .json)
    let newest = try #require(try log.information().times?.upperBound)
    // All is in the log: the report is the one of a log without a server.
    try log.note(LiveStatus(received: newest, read: newest, waitingBytes: 0, quarantined: 0))
    #expect(try log.report().render(as: .json) == plain)
    try log.note(LiveStatus(received: newest, read: newest - 7_200_000, waitingBytes: 9, quarantined: 2))
    let text = try log.report().render(as: .text)
    let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains("are not in the log yet; 2 live events or pieces of requests were not understood"), "\(words)")
    // A past day had all that it will have.
    var past = ReportRequest()
    past.scope.asOf = .time(newest - 10 * millisecondsPerDay)
    let before = try log.report(past).render(as: .json)
    try FileManager.default.removeItem(atPath: directory.file("log/live"))
    #expect(try log.report(past).render(as: .json) == before)
  }
}
