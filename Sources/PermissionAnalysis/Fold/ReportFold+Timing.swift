// How early a journey's user was asked.

import PermissionEvents

extension ReportFold {
  /// What is looked back over: milliseconds before the screen, and days before its day.
  private static let lookBack = 28 * millisecondsPerDay
  private static let daysBefore: DayNumber = 27

  /// Counts a journey of the base in its classes.
  @inline(__always)
  mutating func addTiming(_ journey: JourneyFacts, day: DayNumber, _ user: User, permission: UInt32) {
    let installed = installs.latest(at: journey.start)
    let start = journey.start - Self.lookBack
    // Of time that the log does not hold nothing is known, unless the user was new in it.
    let isKnown = installed != nil || start >= logStart
    // Bit n is day n of these.
    let days = engagement.days(from: day - Self.daysBefore) & (1 << UInt64(Self.daysBefore) - 1)
    let uses =
      engagement.hasFeatureEvents
      ? user.featureEvents(from: start, before: journey.start, most: TimingPlace.mostUses) : 0
    timing.add(
      permission: permission, isGranted: journey.outcome == .granted,
      TimingPlace.install(installed.map { journey.start - $0 } ?? -1),
      TimingPlace.activeDays(days.nonzeroBitCount, isKnown: isKnown),
      TimingPlace.featureUsed(uses, isKnown: isKnown))
  }
}

extension ReportFold.User {
  /// How often a feature was used in [from, before), counted up to `most`.
  @inline(__always)
  func featureEvents(from: Milliseconds, before: Milliseconds, most: Int) -> Int {
    // Words of engagement are times doubled, so they are in the order of time.
    let (first, end) = (UInt64(max(0, from)) << 1, UInt64(max(0, before)) << 1)
    var (low, high) = (0, engagementCount)
    while low < high {
      let middle = (low + high) / 2
      if engagement[middle] < end { low = middle + 1 } else { high = middle }
    }
    // Backwards, which ends as soon as no more uses change anything.
    var count = 0
    while low > 0, count < most, engagement[low - 1] >= first {
      low -= 1
      count += engagement[low] & 1 == 0 ? 1 : 0
    }
    return count
  }
}
