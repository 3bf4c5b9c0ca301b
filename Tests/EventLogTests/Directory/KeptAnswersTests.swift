// Answers that are kept answer for one state of the log, never for another, and go before anything of it does.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct KeptAnswersTests {
  private let files = MemoryFileSystem()
  private let log: LogDirectory
  private var random = RandomEvents(seed: 3, users: 5)
  private let key = Array("report".utf8)
  private let answer = Array("42 %".utf8)

  init() throws {
    log = LogDirectory(path: "/log", files: files)
    try log.ingest(random.events(50))
  }

  private func kept(_ directory: LogDirectory? = nil) throws -> KeptAnswers {
    KeptAnswers(of: try LogSnapshot(directory ?? log))
  }

  private func names() throws -> [String] { try files.list("/log").filter { $0.hasPrefix("kept-") } }

  @Test func isFoundByItsWholeKey() throws {
    #expect(try kept().answer(to: key) == nil)
    try kept().keep(answer, to: key)
    #expect(try kept().answer(to: key) == answer)
    #expect(try kept().answer(to: key + [0]) == nil)
    #expect(try kept().answer(to: []) == nil)
    try kept().keep([], to: key)
    #expect(try kept().answer(to: key) == [])
    #expect(try names().count == 1)
    #expect(try log.verify().notes.isEmpty && log.verify().damage.isEmpty)
  }

  @Test mutating func goesWithTheNextCommit() throws {
    let before = try kept()
    before.keep(answer, to: key)
    try log.ingest(random.events(10))
    #expect(try names() == [])
    #expect(try kept().answer(to: key) == nil)
    // A reader that began before the commit, and is done after it.
    before.keep(answer, to: key)
    #expect(try names() == [])
    #expect(try kept().answer(to: key) == nil)
  }

  /// A reader that gives its file the last name, or takes it away, at the moment when a writer removes it.
  @Test(arguments: [true, false])
  mutating func aReaderChangesNamesMeanwhile(isRenamed: Bool) throws {
    try kept().keep(answer, to: key)
    let last = "/log/" + (try #require(try names().first))
    let first = last + "-0123456789abcdef"
    func unfinished() { (files[first], files[last]) = (answer, nil) }
    let slow = FailingFileSystem(files) { [files] _, call in
      guard call.operation == "remove", call.path == first else { return }
      if isRenamed { try? files.rename(first, to: last) } else { try? files.remove(first) }
    }
    let events = random.events(10)
    // As a leftover: renamed, it is an answer of the present state.
    unfinished()
    try EventLogWriter(LogDirectory(path: "/log", files: slow), threads: 1).close()
    #expect(try names().count == (isRenamed ? 1 : 0))
    // By a commit: it is of the past by any name.
    let writer = try EventLogWriter(LogDirectory(path: "/log", files: slow), threads: 1)
    defer { writer.close() }
    try writer.write(events)
    unfinished()
    try writer.commit()
    #expect(try names() == [])
    #expect(slow.calls.contains { $0.operation == "remove" && $0.path == first })
  }

  @Test func ofAnotherStateIsLeftOver() throws {
    try kept().keep(answer, to: key)
    let name = try #require(try names().first)
    let bytes = try #require(files["/log/" + name])
    // As a writer leaves it that was killed between its commit and the end of the answers, and a reader that was killed while it wrote.
    let old = "kept-0123456789abcdef" + name.suffix(17)
    files["/log/" + old] = bytes
    files["/log/" + name + "-0123456789abcdef"] = bytes
    // No file of the log's.
    let others = ["kept-", "kept-notes.txt", "kept-0123456789abcdef", old + "0", old + ".old", old + "-1"]
    for other in others { files["/log/" + other] = [1] }
    #expect(try log.verify().notes.count == 2 + others.count)
    try EventLogWriter(log, threads: 1).close()
    #expect(try names().sorted() == (others + [name]).sorted())
    #expect(try kept().answer(to: key) == answer)
  }

  @Test func damageIsNoAnswer() throws {
    try kept().keep(answer, to: key)
    let path = "/log/" + (try #require(try names().first))
    let bytes = try #require(files[path])
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1
      files[path] = damaged
      #expect(try kept().answer(to: key) == nil, "byte \(place)")
      files[path] = Array(bytes[..<place])
      #expect(try kept().answer(to: key) == nil, "\(place) bytes")
    }
    files[path] = bytes + [0]
    #expect(try kept().answer(to: key) == nil)
    try kept().keep(answer, to: key)
    #expect(try kept().answer(to: key) == answer)
  }

  @Test func whatIsUsedStaysAndTheRestMakesRoom() throws {
    let long = [UInt8](repeating: 7, count: KeptAnswers.longestAnswer)
    let count = KeptAnswers.room / long.count
    for number in 0..<(count - 1) { try kept().keep(long, to: [UInt8(number)]) }
    #expect(try names().count == count - 1)
    for number in (0..<(count - 1)).reversed() { #expect(try kept().answer(to: [UInt8(number)]) == long) }
    // Its own head and checksum do not fit any more; the last one was used longest ago.
    try kept().keep(long, to: [100])
    #expect(try names().count == count - 1)
    #expect(try kept().answer(to: [0]) == long && kept().answer(to: [1]) == long)
    try kept().keep(long + [0], to: [101])
    #expect(try kept().answer(to: [101]) == nil)
  }

  @Test func manyShortAnswersMakeRoom() throws {
    let kept = try kept()
    for number in 0..<510 { kept.keep(answer, to: Array("\(number)".utf8)) }
    #expect(try names().count == 500)
  }

  @Test(arguments: FailingFileSystem.Failure.allCases)
  func everyCallMayFail(_ failure: FailingFileSystem.Failure) throws {
    try kept().keep(answer, to: key)
    func ask(_ files: FailingFileSystem) throws {
      let kept = KeptAnswers(of: try LogSnapshot(LogDirectory(path: "/log", files: files)))
      kept.keep(answer, to: [9])
      let found = kept.answer(to: [9])
      #expect(found == nil || found == answer)
    }
    let whole = FailingFileSystem(files)
    try ask(whole)
    #expect(whole.calls.count > 12)
    for call in whole.calls.indices {
      let broken = FailingFileSystem(files, call: call, failure: failure)
      // A log that cannot be opened cannot be asked.
      do { try ask(broken) } catch is FileError {} catch is LogError {}
      #expect(try log.verify().damage.isEmpty)
    }
    #expect(files.openDescriptors == 0 && files.closesOfClosed == 0)
    #expect(try kept().answer(to: key) == answer)
  }
}
