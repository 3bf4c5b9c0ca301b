// What a row counts, read without making the row: sentences about all rows of a large report need no more.

import PermissionEvents

/// The counts of a row.
package struct RowCounts: Sendable {
  /// Of the row, among all.
  package let number: Int
  package let exposed, pending, restricted, granted, partial, denied, settingsShown, answeredByStatus: Int

  package var base: Int { exposed - pending - restricted }

  fileprivate init(_ number: Int, _ row: ReportRow) {
    self.number = number
    (exposed, pending, restricted) = (row.grants.exposed, row.grants.pending, row.grants.restricted)
    (granted, partial, denied) = (row.grants.granted, row.grants.partial, row.grants.denied)
    settingsShown = row.settings.shown
    answeredByStatus = row.grants.answeredByStatus
  }

  fileprivate init(_ number: Int, _ sums: RowSums) {
    self.number = number
    (exposed, pending, restricted) = (sums[.exposed], sums[.pending], sums[.restricted])
    (granted, partial, denied) = (sums[.granted, .granted], sums[.partial], sums[.granted, .denied])
    settingsShown = sums[.settingsShown]
    answeredByStatus = sums[.answeredByStatus]
  }
}

extension ReportRows {
  package func counts(_ number: Int) -> RowCounts {
    guard let builder else { return RowCounts(number, kept[number]) }
    return RowCounts(number, builder.sums(number))
  }

  package func week(_ number: Int) -> ISOWeek? { builder.map { $0.week(number) } ?? kept[number].week }

  package func permission(_ number: Int) -> String { builder?.permissionName(number) ?? kept[number].permission }

  package func values(_ number: Int) -> [PropertyValue] { builder?.values(number) ?? kept[number].by }

  package func isOther(_ number: Int) -> Bool { builder?.isOther(number) ?? kept[number].by.isOther }

  package func missing(_ number: Int) -> [Evidence] { builder?.missing(number) ?? kept[number].noEvidence }

  /// True if two rows are of one permission. Names are bytes, and Strings are not.
  package func isSamePermission(_ a: Int, _ b: Int) -> Bool {
    if let builder { return builder.permission(a) == builder.permission(b) }
    return kept[a].permission.utf8.elementsEqual(kept[b].permission.utf8)
  }

  /// Which week a row's trend is against, and its p-value; nil without a trend.
  package func trend(_ number: Int) -> (previousWeek: ISOWeek, adjustedPValue: Double?)? {
    if let builder { return builder.trend(number) }
    return kept[number].trend.map { ($0.previousWeek, $0.adjustedPValue) }
  }
}
