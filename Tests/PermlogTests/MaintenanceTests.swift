// What goes out of a log, and what is said if there is none or it is damaged: codes, causes and ways out.

import Foundation
import Permlog
import Testing

@Suite struct MaintenanceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func whereThereIsNoLog() throws {
    let path = directory.file("none")
    let log = try PermissionLog(path)
    let calls: [() throws -> Void] = [
      { _ = try log.information() }, { _ = try log.verify() }, { _ = try log.report() }, { try log.compact() },
      { _ = try log.compare(ComparisonRequest(control: "A", treatments: ["B"])) }, { _ = try log.plan(PlanRequest()) },
      { try log.export { _ in } }, { try log.erase(users: [[0x75]]) }, { try log.readmit(users: [[0x75]]) },
      { try log.expire(before: .time(0)) }, { try log.readmitExpired() },
    ]
    for call in calls {
      let error = failure(call)
      #expect(error?.code == .notFound && error?.remedy == .makeLog(path: path))
      #expect(error?.message == "no log at \(path). Ingest a file to make one, or name another directory.")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theSystemsErrorIsTheCause() throws {
    let file = try directory.write("file", "x")
    let error = failure { try PermissionLog(file + "/log").ingest(bytes: []) }
    #expect(error?.code == .inputOutput)
    let cause = error?.cause as? SystemError
    #expect(cause?.number == ENOTDIR && cause?.path == file + "/log")
    let missing = failure { try PermissionLog(directory.file("log")).ingest([directory.file("nothing")]) }
    #expect(missing?.code == .notFound && (missing?.cause as? SystemError)?.number == ENOENT)
  }

  @Test func aDirectoryOfOtherThingsIsLeftAlone() throws {
    try directory.write("notes.txt", "x")
    let error = failure { try PermissionLog(directory.path).ingest(bytes: []) }
    #expect(error?.remedy == .nameEmptyDirectory)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["notes.txt"])
  }

  @Test func anEmptyLogHasAnEmptyReport() throws {
    let log = try PermissionLog(directory.file("log"))
    try log.ingest(bytes: [])
    #expect(!(try log.report().render(as: .text)).isEmpty)
    let error = failure { _ = try log.compare(ComparisonRequest(control: "A", treatments: ["B"])) }
    #expect(error?.code == .notFound && error?.remedy == .fillLog)
  }

  @Test func usersAndOldEventsGo() throws {
    let log = try PermissionLog(directory.file("log"))
    let lines =
      Sample.line("u1", "granted") + Sample.line("u2", "denied")
      + Sample.line("u3", "denied", time: "2026-01-02T10:00:00Z")
    try log.ingest(bytes: Array(lines.utf8))
    let erased = try log.erase(users: [Array("u1".utf8), Array("nobody".utf8)])
    #expect(erased.named == 2 && erased.found == 1 && erased.keptOut == 2 && erased.events == 1)
    #expect(erased.notFound == [Array("nobody".utf8)] && erased.accounts.isEmpty)
    #expect(try log.ingest(bytes: Array(lines.utf8)).stored.erased == 1)
    #expect(try log.readmit(users: [Array("u1".utf8)]).readmitted == 1)
    #expect(failure { try log.erase(users: [[]]) }?.code == .usage)
    #expect(failure { try log.erase(users: [[UInt8](repeating: 0x75, count: 257)]) }?.code == .usage)

    let date = CivilDate(year: 2026, month: 2, day: 1)
    let expired = try log.expire(before: .startOf(date), timeZone: "Europe/Berlin")
    #expect(expired.events == 1 && Timestamp.text(expired.before) == "2026-01-31T23:00:00.000Z")
    #expect(try log.readmitExpired() == expired.before)
    #expect(failure { try log.expire(before: .time(4_000_000_000_000)) }?.argument == .before)
    #expect(try log.information().events == 1)
    #expect(try log.compact().after.parts == 1)
  }

  @Test func damageIsFoundAndTheRestIsSaved() throws {
    let log = try Sample.log(in: directory)
    #expect(try log.verify().damage.isEmpty)
    var whole = 0
    try log.export { whole += $0.count { $0 == 0x0A } }
    #expect(try whole == log.information().events)

    let part = try #require(try log.information().parts.first?.name)
    let url = URL(fileURLWithPath: log.path + "/" + part)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: url)
    #expect(try log.verify().damage.count == 1)
    let error = failure { try log.export { _ in } }
    #expect(error?.code == .damaged && error?.remedy == .restoreOrSalvage)
    var saved = 0
    let gaps = try log.exportWhatIsWhole { saved += $0.count { $0 == 0x0A } }
    #expect(gaps.damage.count == 1 && gaps.lostEvents > 0 && saved + gaps.lostEvents == whole)
  }

  @Test func anExportIsIngestedAgainAsItWas() throws {
    let log = try Sample.log(in: directory)
    for form in EventFormat.allCases {
      var bytes: [UInt8] = []
      try log.export(as: form) { bytes += $0 }
      let copy = try PermissionLog(directory.file(form.rawValue))
      try copy.ingest(bytes: bytes)
      #expect(try copy.report().render(as: .csv) == log.report().render(as: .csv))
    }
  }

  @Test func aSimulationIsTheSameTwice() throws {
    func made(_ seed: UInt64) throws -> [UInt8] {
      var bytes: [UInt8] = []
      let summary = try Simulation(users: 20, seed: seed, weeks: 4).write { bytes += $0 }
      #expect(summary.lines == bytes.count { $0 == 0x0A })
      return bytes
    }
    #expect(try made(1) == made(1))
    #expect(try made(1) != made(2))
    #expect(failure { _ = try Simulation(users: 0) }?.code == .usage)
    #expect(failure { _ = try Simulation(decidedBefore: 81) }?.code == .usage)
    #expect(failure { _ = try Simulation(population: .onboarding, decidedBefore: 1) }?.code == .usage)
    #expect(failure { _ = try Simulation(population: .onboarding, assignments: true) }?.code == .usage)
    #expect(failure { _ = try Simulation(firstDay: CivilDate(year: 2099, month: 12, day: 1)) }?.code == .usage)
  }
}
