// The record of looks: rows stay as they were written, a damaged one is refused, one process writes at a time.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct LookRecordTests {
  private let directory: TemporaryDirectory
  private let file: PlanFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try PlanFile(saving: PlanFileTests.plan(["A", "B", "C"]), to: directory.file("plan.json"))
  }

  private static let first: DayNumber = 20_500

  private func day(_ day: Int64, _ users: Int, look: Bool = true) -> RecordedDay {
    RecordedDay(
      day: Self.first + day, aUsers: users, aEvents: users / 2, bUsers: users + 1, bEvents: users / 3,
      time: look ? Double(users) / 3000 : nil, z: look ? -0.1 * Double(users) : nil)
  }

  private func arms(_ days: [RecordedDay]) -> [RecordedArm] {
    [RecordedArm(variant: "B", days: days), RecordedArm(variant: "C", days: Array(days.prefix(1)))]
  }

  private var record: LookRecord {
    var record = LookRecord(file)
    record.add(arms([day(0, 20, look: false), day(1, 40)]), decisions: [nil, nil], at: 1_772_445_600_000)
    record.add(
      arms([day(0, 20, look: false), day(1, 40), day(3, 90)]), decisions: [(.bWins, Self.first + 3), nil],
      at: 1_772_545_600_000)
    return record
  }

  private func write(_ record: LookRecord) throws {
    try Data(record.encoded).write(to: URL(fileURLWithPath: file.recordPath))
  }

  @Test func whatIsWrittenIsRead() throws {
    #expect(try file.record() == nil)
    try write(record)
    #expect(try file.record() == record)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(record.encoded)) as? [String: Any])
    #expect(object["schema"] as? String == "permlog.looks/1" && object["plan"] as? String == file.checksum)
    let days = (object["arms"] as? [[String: Any]])?.first?["days"] as? [[String: Any]]
    #expect(days?.map { $0["day"] as? String } == ["2026-02-16", "2026-02-17", "2026-02-19"])
    #expect(days?.map { $0["a_users"] as? Int } == [20, 40, 90] && days?.first?["z"] is NSNull)
  }

  @Test func rowsStayAndLaterOnesAreAdded() {
    var later = record
    // An erasure has changed the past, and a day has come between.
    later.add(
      arms([day(0, 10), day(1, 30), day(2, 60), day(3, 80), day(4, 200)]), decisions: [(.bWins, Self.first + 3), nil],
      at: 1_772_645_600_000)
    #expect(Array(later.arms[0].days.prefix(3)) == record.arms[0].days)
    #expect(later.arms[0].days.map(\.counts) == [day(0, 20, look: false), day(1, 40), day(3, 90), day(4, 200)])
    #expect(later.arms[0].days.last?.recordedAt == 1_772_645_600_000)
    #expect(later.arms[1] == record.arms[1])
    // The same decision of the same day is no news; another one is.
    #expect(later.arms[0].decisions == record.arms[0].decisions && record.arms[0].decisions.count == 1)
    // From an earlier moment, nothing is decided anew.
    var same = later
    same.add(arms([day(0, 20)]), decisions: [(.noDifference, Self.first), nil], at: 1_772_745_600_000)
    #expect(same == later)
    later.add(
      arms([day(0, 20), day(4, 200)]), decisions: [(.review, Self.first + 3), (.noDifference, Self.first)],
      at: 1_772_745_600_000)
    #expect(later.arms[0].decisions.map(\.decision) == [.bWins, .review])
    #expect(later.arms[1].decisions.map(\.decidedOn) == [Self.first])
    // Read from an earlier moment, later looks are not made yet.
    #expect(
      later.arms(through: Self.first + 1).map { $0.days.map(\.day) } == [[Self.first, Self.first + 1], [Self.first]])
  }

  @Test func damageIsRefusedByName() throws {
    let whole = record.encoded
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for round in 0..<4000 {
      let damaged = Damage.mutate(whole, &random)
      do throws(PermlogError) {
        // Blanks between values may come and go.
        #expect(try LookRecord(damaged, name: "p.looks.json") == record, "seed \(seed), round \(round)")
      } catch {
        #expect(error.code == .damaged || error.code == .newerFormat, "seed \(seed), round \(round): \(error)")
        #expect(error.message.hasPrefix("p.looks.json: "), "seed \(seed), round \(round): \(error)")
      }
    }
    for length in 0..<whole.count - 1 {
      #expect(failure { _ = try LookRecord(Array(whole[..<length]), name: "p") }?.code == .damaged, "\(length) bytes")
    }
  }

  @Test func whatIsLargerThanAnyRecordIsRefusedUnread() throws {
    try write(record)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.recordPath))
    try handle.truncate(atOffset: 17 << 20)
    let error = failure { _ = try file.record() }
    #expect(error?.code == .damaged && error?.message.contains("larger than any record of looks") == true)
    // As deep as a text of a megabyte can be.
    let deep = Array("{\"schema\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    #expect(failure { _ = try LookRecord(deep, name: "p") }?.code == .damaged)
    #expect(failure { _ = try SavedPlan(deep, name: "p") }?.code == .usage)
  }

  @Test func aRecordOfAnotherPlanIsRefused() throws {
    try write(record)
    let other = try PlanFile(saving: PlanFileTests.plan(["A", "B", "D"]), to: directory.file("other.json"))
    try FileManager.default.moveItem(atPath: file.recordPath, toPath: other.recordPath)
    let error = failure { _ = try other.record() }
    #expect(error?.code == .usage && error?.message.contains("another plan") == true)
    // Of this plan by its checksum, with the messages of the other one.
    try Data(LookRecord(plan: other.checksum, arms: record.arms).encoded).write(
      to: URL(fileURLWithPath: other.recordPath))
    #expect(failure { _ = try other.record() }?.code == .damaged)
  }

  @Test func oneProcessRecordsAtATime() throws {
    let log = try Sample.log(in: directory)
    let file = try PlanFile(saving: Self.samplePlan, to: directory.file("sample.json"))
    let holder = open(file.path, O_RDONLY)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    let error = failure { _ = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true) }
    #expect(error?.code == .busy && error?.message.hasPrefix(file.path) == true)
    #expect(!FileManager.default.fileExists(atPath: file.recordPath))
    // Who only reads need not wait.
    _ = try log.compare(ComparisonRequest(file.plan), as: file)
    #expect(flock(holder, LOCK_UN) == 0)
    _ = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true)
    #expect(try file.record() != nil)
  }

  static var samplePlan: SavedPlan {
    SavedPlan(
      permission: "notifications", variants: ["A", "B"], split: [1, 1], plannedUsers: 3120, effect: 0.05, baseline: 0.4,
      power: 0.8, savedAt: 1_700_000_000_000)
  }

  @Test func aRequestThatIsNotThePlansIsRefused() throws {
    let log = try Sample.log(in: directory)
    let request = ComparisonRequest(Self.samplePlan)
    #expect(try log.compare(request).plan == Self.samplePlan)
    var changed: [(PermlogError.Argument, ComparisonRequest)] = []
    func add(_ argument: PermlogError.Argument, _ change: (inout ComparisonRequest) -> Void) {
      var request = request
      change(&request)
      changed.append((argument, request))
    }
    add(.messages) { $0.treatments = ["C"] }
    add(.messages) { ($0.control, $0.treatments) = ("B", ["A"]) }
    add(.permission) { $0.permission = nil }
    add(.experiment) { $0.experiment = "x" }
    add(.metric) { $0.metric = .skipRate }
    add(.timeZone) { $0.scope.timeZone = "Europe/Berlin" }
    add(.responseWindow) { $0.scope.responseWindow += 1 }
    add(.followUp) { $0.scope.followUp -= 1 }
    add(.split) { $0.split = [2, 1] }
    add(.adjust) { $0.adjust = [.platform] }
    add(.contaminated) { $0.contaminated = .exclude }
    add(.minimumEffect) { $0.minimumEffect = 0.01 }
    add(.guardrails) { $0.guardrails = [GuardrailQuestion(metric: .skipRate, margin: 0.1)] }
    add(.plannedUsers) { $0.plannedUsers = $0.plannedUsers.map { $0 + 1 } }
    add(.rule) { $0.rule = .alwaysValid }
    add(.looks) { $0.rule = .looks(3) }
    for (argument, request) in changed {
      let error = failure { _ = try log.compare(request) }
      #expect(error?.code == .usage && error?.argument == argument, "\(argument): \(error?.message ?? "compared")")
    }
    // The same said in other words.
    var same = request
    same.split = [50, 50]
    same.scope.asOf = .time(1_774_000_000_000)
    same.property = .platform
    _ = try log.compare(same)
  }
}
