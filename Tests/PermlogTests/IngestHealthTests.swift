// Years of daily ingests of apps of any size: without a fault nothing is said, and each fault is found by the second day.

import EventLog
import Foundation
import LogTestSupport
import PermissionEvents
import Testing

@testable import Permlog

@Suite struct IngestHealthTests {
  /// Users a day; the apps differ by their seeds.
  static let sizes = [20, 60, 200, 2_000, 20_000]

  @Test(arguments: sizes) func aCleanYearIsSilent(users: Int) {
    // 300 of each by hand: PERMLOG_HEALTH_YEARS=300.
    for seed in 0..<UInt64(TestSeeds.years) {
      var app = SimulatedFeed(seed: seed &* 7919 &+ UInt64(users), users: users)
      var past: [IngestRecord] = []
      for day in 0..<365 {
        for record in app.ingests(day: day, after: past, fault: nil) {
          #expect(record.findings.isEmpty, "seed \(seed), \(users) users, day \(day): \(record.findings)")
          past.append(record)
        }
      }
    }
  }

  @Test(arguments: SimulatedFeed.Fault.allCases) func aFaultIsFoundByTheSecondDay(fault: SimulatedFeed.Fault) {
    for users in fault.sizes {
      for seed in 0..<UInt64(TestSeeds.faults) {
        var app = SimulatedFeed(seed: seed &* 104_729 &+ UInt64(users), users: users)
        // Without an overlap nothing comes twice.
        if fault == .newEventIDs, !app.overlaps { continue }
        var past: [IngestRecord] = []
        let start = 120 + Int(seed % 7)
        // Not judged: that a clean past is silent is shown by the test before.
        for day in 0..<start { past += app.ingests(day: day, after: [], fault: nil) }
        var found: [String] = []
        for day in start..<start + 2 {
          let records = app.ingests(day: day, after: past, fault: fault)
          found += records.flatMap(\.findings).map(\.measure)
          past += records
        }
        #expect(found.contains { fault.shows(in: $0) }, "\(fault), \(users) users, seed \(seed): \(found)")
      }
    }
  }

  @Test func aFaultThatStaysIsToldUntilItIsTheNewPast() {
    var app = SimulatedFeed(seed: 5, users: 5_000)
    var past: [IngestRecord] = []
    for day in 0..<60 { past += app.ingests(day: day, after: past, fault: nil) }
    var told = 0
    for day in 60..<70 {
      let records = app.ingests(day: day, after: past, fault: .noDenials)
      if records.contains(where: { $0.findings.contains { $0.measure == "denied notifications" } }) { told += 1 }
      past += records
    }
    #expect(told >= 9, "the days of the fault are no reference")
  }

  @Test func whatStaysForTwoWeeksIsTheNewPast() {
    var app = SimulatedFeed(seed: 5, users: 20_000)
    var past: [IngestRecord] = []
    for day in 0..<60 { past += app.ingests(day: day, after: past, fault: nil) }
    for day in 60..<80 { past += app.ingests(day: day, after: past, fault: .noDenials) }
    for day in 80..<90 {
      let records = app.ingests(day: day, after: past, fault: .noDenials)
      #expect(records.allSatisfy { $0.findings.allSatisfy { $0.measure != "denied notifications" } }, "day \(day)")
      past += records
    }
  }

  @Test func anHourlyJobIsJudgedByDays() {
    var app = SimulatedFeed(seed: 3, users: 2_000)
    var past: [IngestRecord] = []
    func add(day: Int, _ fault: SimulatedFeed.Fault?) -> [HealthFinding] {
      let whole = app.ingests(day: day, after: [], fault: fault)
      var found: [HealthFinding] = []
      for record in whole {
        for hour in 0..<24 {
          var part = record
          part.time += Int64(hour - 4) * 3_600_000
          part.measures = record.measures.mapValues { $0 * (hour + 1) / 24 - $0 * hour / 24 }
          part.findings = IngestHealth.findings(HealthCounts(part.measures), at: part.time, after: past)
          found += part.findings
          past.append(part)
        }
      }
      return found
    }
    for day in 0..<40 { #expect(add(day: day, nil).isEmpty, "day \(day)") }
    #expect(add(day: 40, .newIDs).contains { $0.measure == "new_users" || $0.measure == "uppercase_ids" })
  }

  @Test func aFewIngestsSayNothing() {
    var app = SimulatedFeed(seed: 1, users: 5_000)
    var past: [IngestRecord] = []
    for day in 0..<13 { past += app.ingests(day: day, after: past, fault: nil) }
    let records = app.ingests(day: 13, after: past, fault: .newIDs)
    #expect(records.allSatisfy { $0.findings.isEmpty })
  }

  @Test func aSentenceHasTheNumbersAndTheAdvice() {
    let finding = HealthFinding(
      measure: "denied notifications", count: 0, of: 312, usual: 140.4, ingests: 1, reference: 28)
    #expect(
      finding.sentence
        == "0 of 312 answers of notifications are denials (0.0 %); 45.0 % are usual, by 28 days before. Check that denials are still exported."
    )
    let users = HealthFinding(measure: "users", count: 12, of: 1200, usual: 1200, ingests: 1, reference: 6)
    #expect(
      users.sentence
        == "this day has 12 users; the same weekdays before had 1\u{202F}200. Check that the export is complete."
        || users.sentence.contains("the same weekdays before had"))
  }
}

/// How many years and seeds are tried.
private enum TestSeeds {
  static var years: Int { count("PERMLOG_HEALTH_YEARS", else: 2) }
  static var faults: Int { count("PERMLOG_HEALTH_YEARS", else: 3) }

  private static func count(_ name: String, else usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }
}

/// A made-up app whose export is ingested once a day: weekdays, growth, campaigns, holidays, releases that ask elsewhere, phones that
/// were away for weeks, days without an ingest.
struct SimulatedFeed {
  enum Fault: CaseIterable {
    case renamedAnswers, renamedScreens, renamedEverything, noDenials, noGrants, noScreens, newIDs, lostIDs,
      newEventIDs,
      noActivity, badTimes, noVariants, nearlyEmpty

    /// Users a day from which on it must be found on the second day: so many answers or screens are enough.
    var sizes: [Int] {
      switch self {
      case .noDenials, .noGrants, .noScreens, .noVariants: [20_000]
      case .renamedAnswers, .renamedScreens, .renamedEverything, .nearlyEmpty: [1_000, 20_000]
      case .newIDs, .lostIDs, .newEventIDs, .noActivity, .badTimes: [1_000, 20_000]
      }
    }

    /// Whether a finding is about this fault.
    func shows(in measure: String) -> Bool {
      switch self {
      case .renamedAnswers, .renamedScreens, .renamedEverything: measure == "not_understood"
      case .noDenials, .noGrants: measure.hasPrefix("denied ")
      case .noScreens: measure.hasPrefix("screens ")
      case .newIDs: measure == "new_users" || measure == "uppercase_ids"
      case .lostIDs, .badTimes: measure == "rejected"
      case .newEventIDs: measure == "late_users"
      case .noActivity: measure == "activity"
      case .noVariants: measure.hasPrefix("variants ")
      case .nearlyEmpty: measure == "users"
      }
    }
  }

  private var random: SeededGenerator
  private let users: Double
  private let growth: Double
  private let weekday: [Double]
  private let newShare: Double
  private let hasActivity = true
  /// Whether each export has the day before, too.
  let overlaps: Bool
  private let lateShare: Double
  private let rejectedShare: Double
  private var permissions: [(name: String, asked: Double, denied: Double)]
  private var campaign: (until: Int, factor: Double) = (-1, 1)

  init(seed: UInt64, users: Int) {
    var random = SeededGenerator(seed: seed)
    func real(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    self.users = Double(users)
    growth = real(-0.0015...0.003)
    weekday = (0..<7).map { _ in real(0.75...1.3) }
    newShare = real(0.05...0.3)
    overlaps = Bool.random(using: &random)
    lateShare = real(0...0.03)
    rejectedShare = Bool.random(using: &random) ? 0 : real(0...0.02)
    permissions = [
      ("notifications", real(0.1...0.4), real(0.3...0.6)), ("camera", real(0.03...0.2), real(0.1...0.5)),
      ("contacts", real(0.01...0.08), real(0.2...0.7)),
    ]
    self.random = random
  }

  private mutating func poisson(_ mean: Double) -> Int {
    guard mean > 0 else { return 0 }
    if mean > 50 {
      // Counts of apps vary more than Poisson's.
      let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0...1, using: &random) }
      return max(0, Int((mean + normal * (mean + 0.0025 * mean * mean).squareRoot()).rounded()))
    }
    var (product, count) = (Double.random(in: 0...1, using: &random), 0)
    let limit = exp(-mean)
    while product > limit {
      product *= Double.random(in: 0...1, using: &random)
      count += 1
    }
    return count
  }

  private mutating func some(_ share: Double, of count: Int) -> Int { min(count, poisson(share * Double(count))) }

  private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0...1, using: &random) < share }

  /// The ingests of a day: mostly one.
  mutating func ingests(day: Int, after past: [IngestRecord], fault: Fault?) -> [IngestRecord] {
    if fault == nil, chance(0.02) { return [] }
    var records = [ingest(day: day, after: past, fault: fault)]
    // Somebody ingests a small file by hand.
    if fault == nil, chance(0.01) {
      records.append(ingest(day: day, after: past + records, fault: nil, part: 0.05, hour: 15))
    }
    return records
  }

  private mutating func ingest(
    day: Int, after past: [IngestRecord], fault: Fault?, part: Double = 1, hour: Int64 = 4
  ) -> IngestRecord {
    if campaign.until < day, chance(0.015) {
      campaign = (day + Int.random(in: 1...5, using: &random), Double.random(in: 1.3...3, using: &random))
    }
    let isCampaign = campaign.until >= day
    // A release asks elsewhere, or in other words.
    if chance(0.01) {
      let place = Int.random(in: 0..<permissions.count, using: &random)
      permissions[place].asked *= Double.random(in: 0.6...1.6, using: &random)
      permissions[place].denied = min(
        0.85, max(0.08, permissions[place].denied + Double.random(in: -0.1...0.1, using: &random)))
    }
    let holiday = chance(0.012) ? Double.random(in: 0.4...0.8, using: &random) : 1
    let level = users * weekday[day % 7] * (1 + growth * Double(day)) * holiday * part
    var active = poisson(level)
    var new = some(newShare, of: active)
    let guests = isCampaign ? poisson(level * (campaign.factor - 1)) : 0
    (active, new) = (active + guests, new + guests)
    if fault == .nearlyEmpty { (active, new) = (active / 20, new / 20) }
    var measures: [String: Int] = [:]
    let seen = active + (overlaps ? poisson(level * 0.8 * (fault == .nearlyEmpty ? 0.05 : 1)) : 0)
    var (events, unread) = (0, 0)
    for permission in permissions {
      let asked = some(permission.asked, of: new) + some(permission.asked * 0.1, of: active)
      var (screens, answers) = (asked + some(0.3, of: asked), some(0.92, of: asked))
      var denied = some(permission.denied, of: answers)
      var granted = answers - denied
      switch fault {
      case .renamedAnswers: (unread, granted, denied) = (unread + granted + denied, 0, 0)
      case .renamedScreens: (unread, screens) = (unread + screens, 0)
      case .renamedEverything: (unread, screens, granted, denied) = (unread + screens + granted + denied, 0, 0, 0)
      case .noDenials: denied = 0
      case .noGrants: granted = 0
      case .noScreens: screens = 0
      default: break
      }
      answers = granted + denied
      measures["screens " + permission.name] = screens
      measures["granted " + permission.name] = granted
      measures["denied " + permission.name] = denied
      measures["variants " + permission.name] = fault == .noVariants ? 0 : screens
      events += screens + answers
    }
    let activity = fault == .noActivity ? 0 : Int(Double(seen) * Double.random(in: 1.8...3, using: &random))
    // One phone with a wrong clock sends many lines.
    let phone = chance(0.02) ? Int.random(in: 20...200, using: &random) : 0
    let lines = events + activity + unread + phone
    var rejected = some(rejectedShare, of: lines) + phone
    if fault == .lostIDs || fault == .badTimes { rejected = lines * 9 / 10 }
    var late = some(lateShare, of: seen)
    if fault == .newEventIDs { late = overlaps ? seen : max(late, seen) }
    if fault == .newIDs { new = active }
    measures["lines"] = lines
    measures["rejected"] = rejected
    measures["not_understood"] = unread
    measures["users"] = seen
    measures["new_users"] = fault == .newIDs ? seen : new
    measures["late_users"] = late
    measures["overlapping_users"] = overlaps ? max(late, seen * 3 / 4) : late
    if fault == .newIDs { measures["uppercase_ids"] = seen } else { measures["lowercase_ids"] = seen }
    measures["activity"] = activity
    measures["events"] = activity + events
    let time =
      1_700_000_000_000 / millisecondsPerDay * millisecondsPerDay + Int64(day) * millisecondsPerDay + hour * 3_600_000
    var record = IngestRecord(time: time, files: 1, names: [], new: events, duplicates: 0, measures: measures)
    record.findings = IngestHealth.findings(HealthCounts(measures), at: time, after: past)
    return record
  }
}
