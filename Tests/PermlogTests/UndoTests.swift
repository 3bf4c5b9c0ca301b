// An ingest is taken back exactly: the log is as it was, whatever the ingest merged, replaced or joined.

import Foundation
import LogTestSupport
import Testing

@testable import EventLog
@testable import Permlog

@Suite struct UndoTests {
  private let directory: TemporaryDirectory
  private var log: PermissionLog

  init() throws {
    directory = try TemporaryDirectory()
    log = try PermissionLog(directory.file("log"), threads: 2)
  }

  private func exported(_ log: PermissionLog) throws -> String {
    var bytes: [UInt8] = []
    try log.export { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func lines(_ users: Range<Int>, _ event: String = "granted", id: String = "", hour: Int = 10) -> [UInt8] {
    let text = users.map { user in
      #"{"event_id":"\#(id)\#(user)","user_id":"u\#(user)","timestamp":"2026-03-02T\#(hour):00:00Z","event":"\#(event)","permission":"camera"}"#
        + "\n"
    }
    return Array(text.joined().utf8)
  }

  @Test func theLogIsAsItWas() throws {
    try log.ingest(bytes: lines(0..<50))
    let before = try exported(log)
    let report = try log.report().render(as: .json)
    try log.ingest(bytes: lines(40..<90, hour: 11))
    #expect(try exported(log) != before)
    let undone = try #require(try log.undo())
    #expect(undone.ingests.map(\.new) == [40] && undone.events == 40)
    #expect(try exported(log) == before)
    #expect(try log.report().render(as: .json) == report)
    #expect(try log.verify().damage.isEmpty && log.verify().notes.isEmpty)
    // Once: the ingest before it stays.
    #expect(try log.undo() == nil)
    #expect(try log.information().ingests.map { $0.undone != nil } == [false, true])
    // It can be ingested again.
    #expect(try log.ingest(bytes: lines(40..<90, hour: 11)).stored.new == 40)
  }

  @Test func theFirstIngestLeavesAnEmptyLog() throws {
    try log.ingest(bytes: lines(0..<5))
    #expect(try log.undo()?.newest == nil)
    #expect(try log.information().events == 0 && log.verify().damage.isEmpty)
    #expect(try log.ingest(bytes: lines(0..<5)).stored.new == 5)
  }

  @Test(arguments: 0..<12) func anyIngestIsTakenBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var states: [String] = []
    for step in 0..<14 {
      if let last = states.last, step > 2, random.oneIn(3), try log.undoableIngest() != nil {
        try log.undo()
        states.removeLast()
        #expect(try exported(log) == states.last ?? last, "seed \(seed), step \(step)")
        continue
      }
      var options = IngestOptions()
      let first = Int.random(in: 0..<40, using: &random)
      options.replacesEvents = random.oneIn(3) && !states.isEmpty
      let event = options.replacesEvents ? "denied" : "granted"
      let result = try log.ingest(
        bytes: lines(first..<first + 25, event, hour: 10 + Int.random(in: 0..<3, using: &random)), options: options)
      if result.stored.new + result.stored.replaced + result.stored.withdrawn > 0 {
        states.append(try exported(log))
      } else {
        #expect(try exported(log) == states.last, "seed \(seed), step \(step)")
      }
      #expect(try log.verify().damage.isEmpty)
    }
  }

  @Test func linksAreTakenBack() throws {
    var options = IngestOptions()
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
        - {event: app_open, kind: app_active}
        - {event: link, kind: ignore}
      """
    options.mappings = [.yaml(Array(mapping.utf8), name: "mine.yaml")]
    let first = #"{"ev":"app_open","u":"install-1","t":1772445600000,"id":"e1"}"# + "\n"
    let result = try log.ingest(bytes: Array(first.utf8), options: options)
    #expect(result.refusal == nil, "\(result)")
    let before = try exported(log)
    let link = #"{"ev":"link","u":"anna","other":"install-1","t":1772445700000,"id":"e2"}"# + "\n"
    try log.ingest(bytes: Array(link.utf8), options: options)
    #expect(try log.information().linkedIDs == 2)
    try log.undo()
    #expect(try exported(log) == before)
    #expect(try log.information().linkedIDs == 0 && log.verify().damage.isEmpty)
  }

  @Test func whatWasRemovedForGoodIsNotKeptForAnUndo() throws {
    try log.ingest(bytes: lines(0..<20))
    try log.ingest(bytes: lines(20..<40))
    try log.erase(users: [Array("u5".utf8)])
    #expect(try log.undo() == nil, "an erasure is never taken back")
    try log.ingest(bytes: lines(40..<60))
    try log.expire(before: .time(1_000_000_000_000))
    #expect(try log.undo() == nil)
    try log.ingest(bytes: lines(60..<80))
    try log.compact()
    #expect(try log.undo() == nil)
    let files = try FileManager.default.contentsOfDirectory(atPath: log.path)
    #expect(files.filter { $0.hasPrefix("part-") }.count == 1)
    for file in files {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: log.path + "/" + file))
      #expect(bytes.range(of: Data("u5\"".utf8)) == nil)
    }
  }

  @Test func anErasedUserStaysOutAfterAnUndo() throws {
    try log.ingest(bytes: lines(0..<20))
    try log.erase(users: [Array("u5".utf8)])
    try log.ingest(bytes: lines(15..<30, hour: 12))
    try log.undo()
    #expect(try !exported(log).contains(#""u5""#))
    #expect(try log.ingest(bytes: lines(5..<6)).stored.erased == 1)
  }

  @Test func anIngestWithoutNewEventsIsNotInTheWay() throws {
    try log.ingest(bytes: lines(0..<20))
    let before = try exported(log)
    try log.ingest(bytes: lines(20..<30))
    try log.ingest(bytes: lines(0..<30))
    #expect(try log.undo()?.ingests.count == 2)
    #expect(try exported(log) == before)
  }

  @Test func aComparisonThatWasReadIsToldOfIt() throws {
    let changes = { [log] (moment: Int64) in
      try LogSnapshot(log.directory).changes(before: [moment], since: nil)
    }
    try log.ingest(bytes: lines(0..<20))
    let newest = try #require(try log.information().times?.upperBound)
    #expect(try changes(newest).undone == nil)
    try log.undo()
    #expect(try changes(newest).undone != nil)
  }
}
