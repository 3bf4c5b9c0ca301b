// How a question reads calls that return at once, and answers without screens: judged over the whole log, by permission and platform.

import Folding
import PermissionEvents

/// The judgement that a walk reads events by.
package struct CallReading: Sendable, Hashable {
  /// Units whose prompts and answers are logged together, or in whole seconds, by permission: what comes at once there is a person's answer.
  package private(set) var asLogged: [[UInt8]: Set<[UInt8]>] = [:]
  /// Permissions all of whose units are such.
  package private(set) var whollyAsLogged: Set<[UInt8]> = []
  /// Permissions without any screen: their answers stand alone.
  package private(set) var alone: Set<[UInt8]> = []

  /// The usual: what comes at once is the system's, and answers have screens. Sums, whose makers see a part of the users, are read so.
  package init() {}

  /// The reading that a log's counts call for.
  package init(_ sums: CallSums) {
    var isMixed: [[UInt8]: SIMD2<Int>] = [:]
    for (unit, counts) in sums.units.rows where counts.atOnce > 0 {
      isMixed[unit.permission, default: .zero] &+= counts.isApplied ? SIMD2(1, 0) : SIMD2(0, 1)
      if !counts.isApplied { asLogged[unit.permission, default: []].insert(unit.platform) }
    }
    whollyAsLogged = Set(isMixed.filter { $0.value[0] == 0 && $0.value[1] > 0 }.keys)
    alone = Set(sums.journeys.rows.keys.filter(sums.isAnsweredAlone))
  }

  /// The other way for some, and the usual one for all else.
  package init(other readings: some Sequence<OpenReading>) {
    for reading in readings {
      if let platform = reading.platform {
        asLogged[reading.permission, default: []].insert(platform)
      } else {
        alone.insert(reading.permission)
      }
    }
  }

  /// Whether something is read in the other way.
  package func isOther(_ reading: OpenReading) -> Bool {
    guard let platform = reading.platform else { return alone.contains(reading.permission) }
    return asLogged[reading.permission]?.contains(platform) ?? false
  }

  /// The same with some things read as they were fixed.
  package func fixed(_ readings: Set<FixedReading>) -> CallReading {
    var reading = self
    for one in readings where isOther(one.reading) != one.isOther {
      let permission = one.reading.permission
      switch (one.reading.platform, one.isOther) {
      case (nil, true): reading.alone.insert(permission)
      case (nil, false): reading.alone.remove(permission)
      case (let platform?, true): reading.asLogged[permission, default: []].insert(platform)
      case (let platform?, false): reading.asLogged[permission]?.remove(platform)
      }
    }
    return reading
  }

  /// Whether events of a permission are read in another way.
  func differs(from other: CallReading, of permission: [UInt8]) -> Bool {
    asLogged[permission] != other.asLogged[permission] || alone.contains(permission) != other.alone.contains(permission)
  }

  /// Whether prompts of one permission are read in one way on one platform, and in another on another.
  package var needsPlatform: Bool { asLogged.keys.contains { !whollyAsLogged.contains($0) } }

  /// What has to be looked up for it.
  package func selection(_ selection: HistorySelection) -> HistorySelection {
    var selection = selection
    if needsPlatform { selection.add([.platform]) }
    return selection
  }

  /// The codes of a walk with what folds need to know.
  package func contexts(_ contexts: HistoryContexts) -> HistoryContexts {
    var contexts = contexts
    if !alone.isEmpty { contexts.answeredAlone = contexts.permissions.map(alone.contains) }
    return contexts
  }
}
