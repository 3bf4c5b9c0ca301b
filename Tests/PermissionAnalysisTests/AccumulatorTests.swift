// The fold's small parts against plain versions of themselves.

import Buffers
import Folding
import LogTestSupport
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct AccumulatorTests {
  @Test func kindCodesAreTheVocabularys() {
    let codes: [(UInt8, EventKind)] = [
      (KindCode.explanationShown, .explanationShown), (KindCode.promptShown, .promptShown),
      (KindCode.granted, .granted), (KindCode.denied, .denied), (KindCode.skipped, .skipped),
      (KindCode.settingsPromptShown, .settingsPromptShown), (KindCode.settingsOpened, .settingsOpened),
      (KindCode.reEnabled, .reEnabled), (KindCode.revoked, .revoked), (KindCode.statusChecked, .statusChecked),
      (KindCode.featureUsed, .featureUsed), (KindCode.appActive, .appActive),
      (KindCode.appInstalled, .appInstalled), (KindCode.assigned, .assigned),
    ]
    #expect(codes.count == Int(KindCode.count))
    #expect(codes.count == EventKind.ofHistories)
    for (code, kind) in codes { #expect(code == kind.rawValue) }
  }

  @Test func countersAreAsManyAsTheirLists() {
    #expect(Counter.count == Counter.allCases.count && JourneySum.count == JourneySum.allCases.count)
    #expect(TimeSeries.count == TimeSeries.allCases.count && ArmCounter.count == ArmCounter.allCases.count)
    #expect(CounterNames.all.count == GroupedSums.width && Set(CounterNames.all).count == GroupedSums.width)
    #expect(ArmCounter.armNames.count == ArmCounter.places && Set(ArmCounter.armNames).count == ArmCounter.places)
    #expect(Counter.retentionStride == 2 * retentionDays.count)
  }

  @Test func bucketsAreWithinATenthOfAPercentAndInOrder() {
    var numbers = SeededGenerator(seed: 4)
    var previous: (time: Int64, bucket: UInt32) = (0, 0)
    let random = (0..<20_000).map { _ in
      Int64.random(in: 0...AnalysisWindows.longest, using: &numbers) >> Int64.random(in: 0...38, using: &numbers)
    }
    for time in (Array(0..<3000) + random).sorted() {
      let bucket = TimeBucket.index(time)
      #expect(bucket < 1 << 14)
      let middle = TimeBucket.middle(bucket)
      #expect(abs(middle - Double(time)) <= 0.001 * Double(time), "\(time) is read as \(middle)")
      #expect(time == previous.time || bucket >= previous.bucket)
      previous = (time, bucket)
    }
    #expect((0..<1024).allSatisfy { TimeBucket.middle(TimeBucket.index($0)) == Double($0) })
  }

  @Test func quantilesAreTheSmallestValuesWithThatShare() throws {
    let seed: UInt64 = 9
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var log = TimeLog()
      var other = TimeLog()
      var times: [[Int64]] = [[], [], []]
      for _ in 0..<Int.random(in: 1...4000, using: &numbers) {
        let slot = Int.random(in: 0..<3, using: &numbers)
        let real = slot == 2 ? 1000 : slot
        let time = Int64.random(in: 0..<1000, using: &numbers)
        times[slot].append(time)
        if Bool.random(using: &numbers) {
          log.add(slot: real, series: .denied, time: time)
        } else {
          other.add(slot: real, series: .denied, time: time)
        }
      }
      let (counts, others) = (log.take(slots: 1001), other.take(slots: 1001))
      for (slot, real) in [(0, 0), (1, 1), (2, 1000)] where !times[slot].isEmpty {
        let sorted = times[slot].sorted()
        let place = real * TimeSeries.count + TimeSeries.denied.rawValue
        var sum = counts[place]
        try sum.add(others[place])
        #expect(sum.total == Int64(sorted.count))
        let histogram = TimeHistogram()
        histogram.add(sum)
        let found = TimeHistogram.quantiles([50, 90, 99], of: sorted.count, in: [histogram])
        let expected = [50, 90, 99].map { percent in
          Double(sorted[(sorted.count * percent + 99) / 100 - 1])
        }
        #expect(found == expected, "seed \(seed)")
      }
    }
  }

  @Test func rowsOfTimesAreTheirPlainCounts() throws {
    let seed: UInt64 = 14
    var numbers = SeededGenerator(seed: seed)
    let scratch = TimeHistogram()
    for round in 0..<120 {
      var sum = BucketCounts()
      var plain: [Int: Int64] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let most = [1, 120, 140, 3000][Int.random(in: 0..<4, using: &numbers)]
        let wide = [8, 600, TimeHistogram.size][Int.random(in: 0..<3, using: &numbers)]
        let times = (0..<Int.random(in: 0...most, using: &numbers)).map { _ in
          UInt16(Int.random(in: 0..<wide, using: &numbers))
        }
        for time in times { plain[Int(time), default: 0] += 1 }
        var part = BucketCounts()
        times.withUnsafeBufferPointer { part.add($0) }
        // Some have been in a file.
        if Bool.random(using: &numbers) {
          let row = part.row(countedIn: scratch)
          part = try BucketCounts(columns: row.columns, values: row.values)
        }
        try sum.add(part)
      }
      let row = sum.row(countedIn: scratch)
      #expect(row.columns == plain.keys.sorted(), "seed \(seed), round \(round)")
      #expect(row.values == row.columns.map { plain[$0] ?? 0 }, "seed \(seed), round \(round)")
      #expect(scratch.range == nil && scratch.bins.isEmpty && sum.total == plain.values.reduce(0, +))
    }
    let full = try BucketCounts(columns: [3, 9], values: [SumKeys.mostUsers, 1])
    var more = full
    #expect { try more.add(full) } throws: { ($0 as? SumsError)?.code == .overflow }
    for (columns, values) in [([TimeHistogram.size], [1]), ([1], [-1]), ([1, 2], [1, SumKeys.mostUsers + 1])] {
      #expect(throws: SumsError.self) { try BucketCounts(columns: columns, values: values) }
    }
  }

  @Test func sumsOfManyFeatureEventsAreExact() {
    var engagement = UserEngagement()
    for count in [32_767, 32_768, 70_000, 600_000] {
      var writer = engagement.begin(first: 20_000, last: 20_030, events: count)
      for i in 0..<count { writer.add(day: i < count / 2 ? 20_000 : 20_030, isFeature: 1) }
      engagement.end(writer)
      #expect(engagement.featureEvents(from: 20_000) == Int64(count / 2))
      #expect(engagement.featureEvents(from: 20_003) == Int64(count - count / 2))
    }
  }

  @Test func eventsAsBitsAreThoseOfAList() {
    let seed: UInt64 = 31
    var numbers = SeededGenerator(seed: seed)
    var bits = PermissionBits(permissionCount: 4)
    var permissionOfContext = Buffer<UInt32>()
    for permission in [0, 2, 1, 3, 2] as [UInt32] { permissionOfContext.append(permission) }
    for _ in 0..<200 {
      let count = Int.random(in: 1...64, using: &numbers)
      let times = (0..<count).map { _ in Int64.random(in: 0...30, using: &numbers) }.sorted()
      let codes = (0..<count).map { _ in
        UInt32.random(in: 0...9, using: &numbers)
          | UInt32.random(in: 0...15, using: &numbers) << HistoryBatch.statusShift
          | UInt32.random(in: 0...4, using: &numbers) << HistoryBatch.contextShift
      }
      times.withUnsafeBufferPointer { times in
        codes.withUnsafeBufferPointer { codes in
          guard let times = times.baseAddress, let codes = codes.baseAddress else { return }
          var writer = bits.begin()
          for i in 0..<count {
            let permission = permissionOfContext[Int(codes[i] >> HistoryBatch.contextShift)]
            writer.add(i, kind: Int(codes[i] & 15), permission: permission)
          }
          bits.end(writer, codes)
          var taken = 0
          for number in 0..<bits.permissionCount {
            let permission = bits.permission(number)
            let own = (0..<count).filter {
              permissionOfContext[Int(codes[$0] >> HistoryBatch.contextShift)] == permission
            }
            taken += own.count
            var rows = JourneyRows()
            for i in own { rows.append(time: times[i], code: codes[i], row: i) }
            let events = bits.takeEvents(of: permission, times, codes)
            for set in KindSet.allCases {
              #expect(events.last(set) == rows.events.last(set).map { own[$0] }, "seed \(seed)")
              for (place, i) in own.enumerated() {
                let (next, listed) = (events.next(set, from: i), rows.events.next(set, from: place))
                #expect(listed == own.count ? next == events.end : next == own[listed], "seed \(seed)")
                let after = events.next(set, from: i, after: 15)
                let listedAfter = rows.events.next(set, from: place, after: 15)
                #expect(listedAfter == own.count ? after == events.end : after == own[listedAfter], "seed \(seed)")
              }
            }
          }
          #expect(taken == count)
        }
      }
    }
  }

  @Test func countsOfLongLogsAreThoseOfTheirTimes() throws {
    // More times than the chains hold, so that they are folded into counts, and more in a bucket than an entry holds.
    var log = TimeLog()
    for i in 0..<5_000_000 { log.add(slot: i % 3, series: .granted, time: Int64(i % 1000 < 900 ? 7 : i % 1000)) }
    let counts = log.take(slots: 3)
    let histogram = TimeHistogram()
    for slot in 0..<3 {
      histogram.add(counts[slot * TimeSeries.count + TimeSeries.granted.rawValue])
      histogram.add(counts[slot * TimeSeries.count + TimeSeries.denied.rawValue])
    }
    let expected = [(UInt32(7), Int64(4_500_000))] + (900..<1000).map { (TimeBucket.index($0), 5000) }
    #expect(histogram.bins.map(\.bucket) == expected.map(\.0))
    #expect(histogram.bins.map(\.count) == expected.map(\.1))
    histogram.removeAll()
    #expect(histogram.bins.isEmpty && histogram.range == nil)
  }

  @Test func engagementEqualsPlainCounts() {
    let seed: UInt64 = 12
    var numbers = SeededGenerator(seed: seed)
    var engagement = UserEngagement()
    for _ in 0..<300 {
      let first = Int64.random(in: 14_000..<30_000, using: &numbers)
      let span = Int64.random(in: 0...Int64([3, 70, 700].randomElement(using: &numbers) ?? 3), using: &numbers)
      let days = (0..<Int.random(in: 1...60, using: &numbers)).map { _ in
        Int64.random(in: first...first + span, using: &numbers)
      }
      let isFeature = days.map { _ in Bool.random(using: &numbers) }
      var writer = engagement.begin(first: first, last: first + span, events: days.count)
      for (day, isFeature) in zip(days, isFeature) { writer.add(day: day, isFeature: isFeature ? 1 : 0) }
      engagement.end(writer)
      for _ in 0..<10 {
        let start = Int64.random(in: first - 70...first + span, using: &numbers)
        let active = (engagement.days(from: start) & (1 << 28 - 1)).nonzeroBitCount
        #expect(active == Set(days.filter { $0 >= start && $0 < start + 28 }).count, "seed \(seed)")
        let features = zip(days, isFeature).filter { $1 && $0 >= start && $0 < start + 28 }.count
        #expect(engagement.featureEvents(from: start) == Int64(features), "seed \(seed)")
        for n in [1, 7, 30] as [Int64] {
          #expect(engagement.days(from: start) >> UInt64(n) & 1 == (days.contains(start + n) ? 1 : 0), "seed \(seed)")
        }
      }
      engagement.removeAll()
      #expect(engagement.days(from: first - 5) == 0 && engagement.featureEvents(from: first) == 0)
    }
  }
}
