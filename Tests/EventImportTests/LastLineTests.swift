// Last lines that are cut off: the file is refused, or kept in part, in every form and every way of reading.

import Foundation
import Testing

@testable import EventImport

private func line(_ n: Int, _ more: String = "") -> String {
  #"{"user_id":"u\#(n)","timestamp":"2025-11-24T18:03:21Z","event":"app_active"\#(more)}"#
}

private func vendorLine(_ n: Int) -> String {
  #"{"event_type":"push_permission_granted","event_time":"2025-11-24 18:03:21","device_id":"d\#(n)","event_properties":{"text":"ein Gerät"}}"#
}

private let heading = "user_id,timestamp,event,variant\n"
private func row(_ n: Int) -> String { "u\(n),2025-11-24T18:03:21Z,app_active," }

private func partOptions(threads: Int = 1) -> ImportOptions {
  var options = testOptions(threads: threads)
  options.rows.keepsPartialFiles = true
  return options
}

@Suite struct LastLineTests {
  private struct Kept {
    var users: [String] = []
    var counts = ImportCounts()
    var rejects: [Int] = []
    var partial: [ImportError] = []
  }

  /// What is kept of files that may be kept in part.
  private func keep(_ paths: [String], chunkSize: Int = ImportLimit.chunk, threads: Int = 1) throws -> Kept {
    let rejects = RejectList()
    let session = try ImportSession(
      .paths(paths), options: partOptions(threads: threads), chunkSize: chunkSize, onReject: { rejects.add($0.line) })
    let sink = CollectingSink()
    while !(try session.run(into: sink)) {}
    return Kept(
      users: sink.events.map(\.user), counts: session.counts, rejects: rejects.lines, partial: session.partialFiles)
  }

  private func keep(text: String) throws -> Kept {
    let directory = try TemporaryDirectory()
    return try keep([directory.write("input", text)])
  }

  private func refusal(of text: String) throws -> ImportError? {
    let error = #expect(throws: ImportError.self) { try importText(text) }
    return error
  }

  @Test func aCutLineRefusesTheFile() throws {
    let text = line(1) + "\n" + line(2) + "\n" + line(3).dropLast(20)
    let error = try refusal(of: text)
    #expect(error?.code == .damaged && error?.line == 3 && error?.leavesTheBeginning == true)
    #expect(
      error?.message.hasSuffix(
        "input, line 3: the last line is cut off (it ends inside its JSON object); nothing was stored, so export the "
          + "file again. To keep the lines before it, allow files that are kept in part.") == true,
      "\(error?.message ?? "")")
    let kept = try keep(text: text)
    #expect(kept.users == ["u1", "u2"] && kept.counts.lines == 2 && kept.counts.rejected == 0)
    #expect(kept.partial.map(\.line) == [3] && kept.partial.map(\.explanation.remedy) == [nil])
  }

  /// Of each beginning of the last line that is not the whole line.
  @Test(arguments: [line(2, #","country":"\"}{é""#), vendorLine(2), "  " + vendorLine(3)])
  func everyBeginningOfALineIsSeen(_ last: String) throws {
    let first = last.contains("event_type") ? vendorLine(1) : line(1)
    let directory = try TemporaryDirectory()
    for count in (last.utf8.firstIndex(of: 0x7B).map { last.utf8.distance(from: last.utf8.startIndex, to: $0) } ?? 0)
      + 1..<last.utf8.count
    {
      let path = try directory.write("x", Data((first + "\n").utf8) + Data(last.utf8.prefix(count)))
      let error = #expect(throws: ImportError.self, "\(count) bytes") { try importPaths([path]) }
      #expect(error?.code == .damaged && error?.line == 2, "\(count) bytes")
    }
    #expect(try importText(first + "\n" + last).events.count == 2)
  }

  @Test func otherLastLinesAreAsBefore() throws {
    // Complete and good, with spaces or a carriage return after it.
    for end in ["", " ", "\r"] { #expect(try importText(line(1) + "\n" + line(2) + end).events.count == 2) }
    // Complete but bad, and with a line end but broken.
    for last in [
      #"{"user_id":"u2"}"#, "true", "nothing", #"{"user_id":"u2"}}"#, #"{"user_id":"u2"]"#, #"{"user_id" "u2"}"#, "}",
      #"{"user_id":"u2","# + "\n", #"{"user_id":"u2","# + "\r\n", #"{"user_id":"u2","# + "\r",
      #"{"user_id":"u2","# + "\n\n",
    ] {
      let outcome = try importText(line(1) + "\n" + last)
      #expect(outcome.events.count == 1 && outcome.rejects.map(\.line) == [2], "\(last)")
    }
    // Longer than a line may be: that is the reason, whole or not.
    let long = try importText(line(1) + "\n" + #"{"user_id":""# + String(repeating: "x", count: 2 << 20))
    #expect(long.rejects.map(\.reason) == ["the line is longer than 1 MiB"])
    // A broken line in the middle is an ordinary one.
    #expect(try importText(line(1) + "\n" + line(2).dropLast(9) + "\n" + line(3)).rejects.map(\.line) == [2])
  }

  /// It may not even show whose line it is.
  @Test func aFileOfOneCutLine() throws {
    for text in [
      "{", #"{"us"#, #"{"user_id":"u1","timestamp":"2025-1"#, String(vendorLine(1).dropLast(3)), "\n\n{\"a\":[",
    ] {
      let error = try refusal(of: text)
      #expect(error?.code == .damaged && error?.message.contains("the last line is cut off") == true, "\(text)")
      #expect(error?.line == (text.hasPrefix("\n") ? 3 : 1))
      let kept = try keep(text: text)
      #expect(kept.users.isEmpty && kept.counts.lines == 0 && kept.partial.count == 1, "\(text)")
    }
    let directory = try TemporaryDirectory()
    try directory.write("a.ndjson", line(1) + "\n")
    try directory.write("b.json", #"{"us"#)
    let error = #expect(throws: ImportError.self) { try importPaths([directory.path]) }
    #expect(error?.message.contains("b.json, line 1: the last line is cut off") == true)
  }

  /// Plain files are read in ranges, packed ones and pipes in a row.
  @Test func everyWayOfReadingSeesIt() throws {
    let directory = try TemporaryDirectory()
    let lines = (1...400).map { line($0) + "\n" }
    let whole = lines.joined()
    let cut = String(whole.dropLast(12))
    let good = try directory.write("z.ndjson", line(999))
    for (name, data) in [
      ("plain", Data(cut.utf8)), ("packed.gz", try gzip(cut)),
      (
        "wide",
        Data([0xFF, 0xFE])
          + Data(cut.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
      ),
    ] {
      let path = try directory.write(name, data)
      for (size, threads) in [(64, 2), (1000, 1), (whole.utf8.count - 12, 1), (ImportLimit.chunk, 2)] {
        let error = #expect(throws: ImportError.self) {
          try importPaths([path, good], testOptions(threads: threads), chunkSize: size)
        }
        #expect(error?.line == 400 && error?.code == .damaged, "\(name), chunks of \(size)")
        let kept = try keep([path, good], chunkSize: size, threads: threads)
        #expect(kept.users == (1...399).map { "u\($0)" } + ["u999"], "\(name), chunks of \(size)")
        #expect(kept.partial.map(\.line) == [400] && kept.counts.rejected == 0)
      }
    }
    // Standard input and other bytes in memory.
    let session = try ImportSession(.bytes(Array(cut.utf8), name: "-"), options: testOptions())
    #expect(throws: ImportError.self) { try session.run(into: CollectingSink()) }
  }

  @Test func aCutMemberDoesNotHideTheNext() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in/a.ndjson", line(1) + "\n" + line(2).dropLast())
    try directory.write("in/b.ndjson", "{\"use")
    try directory.write("in/c.ndjson", line(3))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "cd '\(directory.path)/in' && tar cf ../all.tar *"]
    try process.run()
    process.waitUntilExit()
    let path = directory.path + "/all.tar"
    let error = #expect(throws: ImportError.self) { try importPaths([path]) }
    #expect(error?.message.contains("all.tar!a.ndjson, line 2: the last line is cut off") == true)
    let kept = try keep([path])
    #expect(kept.users == ["u1", "u3"] && kept.partial.map(\.line) == [2, 1] && kept.counts.rejected == 0)
  }

  @Test func aDamagedGzipIsOneErrorAndNotTwo() throws {
    let directory = try TemporaryDirectory()
    let packed = try gzip((1...5000).map { line($0) + "\n" }.joined())
    let kept = try keep([directory.write("a.gz", packed.prefix(packed.count / 2))])
    #expect(kept.partial.count == 1 && kept.partial.first?.line == nil && kept.counts.rejected == 0)
  }

  @Test func aStrayQuoteHidesNothingOfADamagedGzip() throws {
    var packed = try gzip(heading + row(1) + "\nu,\"x\n" + row(2) + "\n" + row(3) + "\n")
    packed[packed.count - 8] ^= 0xFF
    let directory = try TemporaryDirectory()
    let kept = try keep([directory.write("t.gz", packed)])
    #expect(kept.users == ["u1", "u2", "u3"] && kept.rejects == [3] && kept.partial.count == 1)
  }

  // MARK: Tables

  @Test func aCutRecordOfATable() throws {
    for (last, cause, line) in [
      ("u2,2025-11-24T1", "it has 2 of 4 cells", 3), ("u", "it has 1 of 4 cells", 3),
      (#"u2,2025-11-24T18:03:21Z,app_active,"long te"#, "it ends inside a quoted cell", 3),
      ("u2,2025-11-24T18:03:21Z,app_active,\"long\n\nte", "it ends inside a quoted cell", 3),
      (#""u2"#, "it ends inside a quoted cell", 3), (#""u2""#, "it has 1 of 4 cells", 3),
    ] {
      let text = heading + row(1) + "\n" + last
      let error = try refusal(of: text)
      #expect(
        error?.code == .damaged && error?.line == line && error?.cause == cause, "\(last): \(error?.message ?? "")")
      let kept = try keep(text: text)
      #expect(kept.users == ["u1"] && kept.counts.lines == 1 && kept.rejects.isEmpty, "\(last)")
      #expect(kept.partial.map(\.line) == [line] && kept.counts.rejected == 0, "\(last)")
    }
  }

  @Test func otherLastRecordsAreAsBefore() throws {
    for last in ["", "\n", "\r", "\r\n"] {
      #expect(try importText(heading + row(1) + "\n" + row(2) + last).events.count == 2)
    }
    for last in [
      row(2) + ",,x", "u2,yesterday,app_active,", "u2,2025-11-24T1\n", "u2,2025-11-24T1\r", "u2,\"2025-11-24T1\n",
      #"u2,"2025-11-24T1" x,app_active,"#,
    ] {
      let outcome = try importText(heading + row(1) + "\n" + last)
      #expect(outcome.events.count == 1 && outcome.rejects.map(\.line) == [3], "\(last)")
    }
    // A stray quote does not make a whole record a cut one.
    let stray = try importText(heading + "u1,\"x\n" + row(2))
    #expect(stray.events.map(\.user) == ["u2"] && stray.rejects.map(\.line) == [2])
    // Cells that the heading does not name may be missing.
    #expect(try importText("user_id,timestamp,event,,\nu1,2025-11-24T18:03:21Z,app_active").events.count == 1)
  }

  @Test func aCutTableInChunks() throws {
    let directory = try TemporaryDirectory()
    let text = heading + (1...300).map { row($0) + "\"a \($0)\"\n" }.joined() + "u301,2025"
    let path = try directory.write("t.csv", text)
    for size in [64, 1000, text.utf8.count, ImportLimit.chunk] {
      let error = #expect(throws: ImportError.self) { try importPaths([path], chunkSize: size) }
      #expect(error?.line == 302, "chunks of \(size)")
      let kept = try keep([path], chunkSize: size)
      #expect(kept.users.count == 300 && kept.counts.rejected == 0 && kept.partial.count == 1, "chunks of \(size)")
    }
  }

  @Test func aCutRecordOfAMappedTable() throws {
    let mapping = "record:\n  form: csv\n  event: what\n  user: who\n  time: when\n  recognise: [what, who, when]\n"
    let good = "when,who,what\n2025-11-24T18:03:21Z,d1,push_permission_granted\n"
    let error = #expect(throws: ImportError.self) {
      try importText(good + "2025-11-24T18:03:21Z,d", testOptions(mapping: mapping))
    }
    #expect(error?.line == 3 && error?.cause == "it has 2 of 3 cells")
    let tabs = "record:\n  form: tsv\n  columns: [when, who, what]\n  event: what\n  user: who\n  time: when\n"
    let torn = #expect(throws: ImportError.self) {
      try importText(
        "2025-11-24T18:03:21Z\td1\tpush_permission_granted\n2025-11-24T18:03:21Z\td", testOptions(mapping: tabs))
    }
    #expect(torn?.line == 2 && torn?.cause == "it has 2 of 3 cells")
  }
}

/// Lines that were rejected, from any thread.
private final class RejectList: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Int] = []
  func add(_ line: Int) { lock.withLock { list.append(line) } }
  var lines: [Int] { lock.withLock { list } }
}
