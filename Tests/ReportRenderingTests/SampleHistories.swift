// Small made-up histories, folded into reports: what the tests of the text look at.

import Folding
import PermissionAnalysis
import PermissionEvents

/// Events of several users, folded as a log's would be.
struct SampleHistories {
  struct Event {
    var time: Milliseconds
    var kind: EventKind
    var permission: UInt32 = 0
    var status: AuthorizationStatus = .none
    var property: UInt32 = 0
    /// Place in `versions`.
    var version: UInt32 = 0
  }

  /// Names of permissions after the taxonomy.
  static let longName = "an_unusually_long_name_of_a_custom_permission"
  static let wideName = "写真への書き込みの許可"
  static let customCode = UInt32(PermissionCode.taxonomy.count) + 1

  /// Monday 2026-01-26, the first day of 2026-W05.
  static let monday: Milliseconds = 1_769_385_600_000

  var users: [[Event]] = []
  /// How fast prompts were answered: a fold of its own counts it, before the report's.
  var calls = CallSums()
  /// Of the app; with the empty one alone no attributes are handed over.
  var versions = [""]
  var properties = ["", "A", "B"] { didSet { propertyBytes = properties.map { Array($0.utf8) } } }
  /// Values as a log may hold them: not always UTF-8.
  var propertyBytes: [[UInt8]] = [[], [0x41], [0x42]]

  func report(asOf: Milliseconds, zone: ZoneTable = .utc, _ change: (inout ReportQuestion) -> Void = { _ in }) -> Report
  {
    let names = [""] + PermissionCode.taxonomy + [Self.longName, Self.wideName]
    var question = ReportQuestion(windows: AnalysisWindows(asOf: asOf), zone: zone)
    question.logStart = 1_760_000_000_000
    change(&question)
    // The value of an event is that of its variant, and of each attribute that is wanted.
    let isSplit = !question.properties.isEmpty
    let (values, attributes) = (isSplit ? propertyBytes : [[]], question.selection.attributes)
    let attributeValues = versions.count > 1 ? versions.map { Array($0.utf8) } : values
    let contexts = HistoryContexts(
      contexts: values.indices.flatMap { value in
        names.indices.map { .init(permission: UInt32($0), variant: UInt32(value), experiment: 0) }
      },
      permissions: names.map { Array($0.utf8) }, variants: values, experiments: [[]], properties: [[]],
      attributes: attributeValues.indices.map { value in attributes.map { _ in UInt32(value) } },
      attributeValues: attributes.map { _ in attributeValues }, times: 1_760_000_000_000...1_800_000_000_000)
    var fold = ReportFold(question, contexts: contexts)
    var sums = ReportFold.Sums()
    forEachBatch(contextsOfValue: isSplit ? names.count : 0) { fold.fold(batch: $0, into: &sums) }
    do {
      fold.finish(into: &sums)
      sums.calls = calls
      return try Report(sums, question, threads: 2, isForCharts: true, reading: CallReading(calls))
    } catch {
      fatalError("sums that a fold made have no figures: \(error)")
    }
  }

  /// A batch for each user, as the log hands them over.
  /// - Parameter contextsOfValue: contexts of each value of the property; 0 leaves it out.
  func forEachBatch(contextsOfValue: Int = 0, _ body: (HistoryBatch) -> Void) {
    let hasVersions = versions.count > 1
    for events in users where !events.isEmpty {
      let ordered = events.sorted { ($0.time, $0.kind.rawValue) < ($1.time, $1.kind.rawValue) }
      let events = ordered.filter { !$0.kind.isEngagement }
      let codes = events.map { event in
        UInt32(event.kind.rawValue) | UInt32(event.status.rawValue) << HistoryBatch.statusShift
          | (event.permission + event.property * UInt32(contextsOfValue)) << HistoryBatch.contextShift
      }
      let engagement = ordered.filter(\.kind.isEngagement).map { event in
        UInt64(event.time) << 1 | (event.kind == .appActive ? 1 : 0)
      }
      // One more of each, so that no list is empty.
      let counts = [UInt32(events.count), UInt32(engagement.count)]
      counts.withUnsafeBufferPointer { counts in
        (events.map(\.time) + [0]).withUnsafeBufferPointer { times in
          (codes + [0]).withUnsafeBufferPointer { codes in
            (engagement + [0]).withUnsafeBufferPointer { engagement in
              let versions = events.map(\.version) + [0]
              (events.map(\.property) + versions).withUnsafeBufferPointer { properties in
                guard let counts = counts.baseAddress, let times = times.baseAddress, let codes = codes.baseAddress,
                  let engagement = engagement.baseAddress, let properties = properties.baseAddress
                else { return }
                body(
                  HistoryBatch(
                    userCount: 1, permissionCounts: counts, engagementCounts: counts + 1, times: times, codes: codes,
                    engagement: engagement, properties: nil,
                    attributes: hasVersions
                      ? AttributeColumn(values: properties + events.count)
                      : contextsOfValue > 0 ? AttributeColumn(values: properties) : nil))
              }
            }
          }
        }
      }
    }
  }
}

/// Numbers that are the same on every machine (Knuth's MMIX generator, its upper bits).
struct SampleNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ n: Int64) -> Int64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int64(state >> 20) % n
  }

  mutating func isTrue(percent: Int64) -> Bool { below(100) < percent }
}
