// Exposures by version of the app and calendar day, under the codes of one walk.

import Buffers
import PermissionEvents

/// Owned by one thread.
struct VersionDayTable: ~Copyable {
  /// By code of an exposure's attributes that of its version, 0 for none; empty if versions are not counted.
  private var versionOfCode = Buffer<UInt32>()
  private var cells = DayCells(most: DaySums.mostVersions)

  /// - Parameters:
  ///   - isWanted: false for a table that counts nothing.
  ///   - selection: with which the walk was begun.
  init(isWanted: Bool, _ selection: HistorySelection, _ contexts: HistoryContexts) {
    guard isWanted, let place = selection.attributes.firstIndex(of: .appVersion) else { return }
    for values in contexts.attributes { versionOfCode.append(place < values.count ? values[place] : 0) }
  }

  /// False if nothing is counted: then attributes need not be looked up.
  var isCounting: Bool { @inline(__always) get { versionOfCode.count > 0 } }

  /// - Parameter code: of the exposure's attributes.
  @inline(__always)
  mutating func add(code: Int, day: DayNumber) { cells.add(code: versionOfCode[code], day: day) }

  /// What was counted, under the names of the versions.
  func sums(_ selection: HistorySelection, _ contexts: HistoryContexts) -> DaySums {
    var sums = DaySums.versions
    guard let place = selection.attributes.firstIndex(of: .appVersion) else { return sums }
    cells.add(to: &sums, names: contexts.attributeValues[place])
    return sums
  }
}
