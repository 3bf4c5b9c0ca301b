// Counts how fast prompts were answered.

import Buffers
import Folding
import PermissionEvents

/// Folds histories into `CallSums`.
package struct CallFold: Fold, ~Copyable {
  private let contexts: HistoryContexts
  private let windows: AnalysisWindows
  /// By code of the attributes that of the platform.
  private let platformOfAttributes: [UInt32]
  private let platforms: [[UInt8]]
  private let userJourneys: UserJourneys
  private var pairs = CallPairs()
  private var units: [UInt64: CallSums.Counts] = [:]
  private var journeys: [SIMD2<Int64>]

  package static let selection = HistorySelection(attributes: [.platform])

  package init(_ windows: AnalysisWindows, contexts: HistoryContexts) {
    self.contexts = contexts
    self.windows = windows
    platformOfAttributes = contexts.attributes.map { $0.first ?? 0 }
    platforms = contexts.attributeValues.first ?? [[]]
    userJourneys = UserJourneys(contexts)
    journeys = [SIMD2<Int64>](repeating: .zero, count: contexts.permissions.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout CallFoldSums) {
    let (times, codes) = (user.unsafeStoredTimes, user.unsafeStoredCodes)
    userJourneys.forEach(windows.events(times, user.eventCount), times, codes) { events, permission, numbers in
      add(events, permission, numbers, user)
    }
  }

  private mutating func add(
    _ events: EventList, _ permission: UInt32, _ numbers: UnsafePointer<Int>, _ user: borrowing UserHistory
  ) {
    let kinds = events.kinds
    journeys[Int(permission)] &+= SIMD2(
      kinds & KindSet.screens.bits != 0 ? 1 : 0, kinds & KindSet.results.bits != 0 ? 1 : 0)
    guard kinds & KindSet.prompts.bits != 0, kinds & KindSet.results.bits != 0 else { return }
    pairs.find(events, response: windows.response, near: windows.atOnce)
    var firstUnit: UInt64?
    for pair in pairs.pairs {
      let platform = platformOfAttributes[user.attributes(numbers[pair.prompt])]
      let unit = UInt64(permission) << 32 | UInt64(platform)
      let time = events.distance(pair)
      let isAtOnce = time < windows.atOnce
      if isAtOnce, firstUnit == nil { firstUnit = unit }
      units[unit, default: CallSums.Counts()].add(time, isAtOnce: isAtOnce, areSeconds: events.areWholeSeconds(pair))
    }
    if let firstUnit, isNotAsked(events) { units[firstUnit]?.notAsked += 1 }
  }

  /// True if nothing is left that exposes when the calls that returned at once are taken away.
  private func isNotAsked(_ events: EventList) -> Bool {
    var isCall = [Bool](repeating: false, count: events.count)
    for pair in pairs.pairs where events.distance(pair) < windows.atOnce {
      (isCall[pair.prompt], isCall[pair.answer]) = (true, true)
    }
    return !(0..<events.count).contains { event in
      !isCall[event] && KindSet.exposing.contains(events.code(event))
    }
  }

  package mutating func finish(into sums: inout CallFoldSums) {
    for (unit, counts) in units {
      let name = CallSums.Unit(
        permission: contexts.permissions[Int(unit >> 32)], platform: platforms[Int(unit & 0xFFFF_FFFF)])
      sums.calls.units[name] = counts
    }
    for (code, counts) in journeys.enumerated() where counts != .zero {
      sums.calls.journeys[contexts.permissions[code]] = [counts[0], counts[1]]
    }
  }
}

extension CallSums.Counts {
  fileprivate mutating func add(_ time: Milliseconds, isAtOnce: Bool, areSeconds: Bool) {
    answered += 1
    atOnce += isAtOnce ? 1 : 0
    wholeSeconds += areSeconds ? 1 : 0
    times[CallTime.place(time)] += 1
  }
}

/// `CallSums` of a walk of their own.
package struct CallFoldSums: FoldSums {
  package static let name = "calls 1"
  package static var layout: SumsLayout<Self> { SumsLayout(\.calls) }
  package var calls = CallSums()

  package init() {}
}
