// Versions and weeks of which more events are missing than of the others, by the numbers that apps give their events.

import PermissionEvents

extension Completeness {
  /// Fewer numbers, and fewer counters with gaps, may be chance: one phone that lost its queue.
  private static let leastNumbers: Int64 = 1000
  private static let leastGaps: Int64 = 10
  /// A version or week loses if its share is at least this many times that of the others.
  private static let timesOthers: Int64 = 3
  /// Without a version or week that stands out: the least missing share of all that is noted, in percent. Less is everyday loss.
  private static let notedPercent: Int64 = 5
  /// Most versions and weeks that are named.
  private static let most = 10

  /// Candidates of `events_missing`.
  /// - Parameter completeness: nil if no row had a number, or for sums.
  static func candidates(_ completeness: Self?, _ question: AuditQuestion) -> [AuditFinding] {
    guard let completeness, completeness.all.numbered > 0 else {
      return [AuditFinding(.eventsMissing, leftOut: .nothingToSee)]
    }
    let found = completeness.losing(question)
    if !found.isEmpty { return found }
    let all = completeness.all
    let (hundred, noted) = (
      all.missing.multipliedFullWidth(by: 100), all.numbered.multipliedFullWidth(by: notedPercent)
    )
    let isNoted = (hundred.high, hundred.low) >= (noted.high, noted.low) && all.gaps >= leastGaps
    return [
      AuditFinding(
        .eventsMissing, severity: .note, users: all.missing, of: all.numbered, leftOut: isNoted ? nil : .belowThreshold)
    ]
  }

  /// The versions and weeks that lose, those that explain most first. What one of them explains is no other's: a version that lost its
  /// events in one week alone is that week.
  private func losing(_ question: AuditQuestion) -> [AuditFinding] {
    var left = cells
    var found: [AuditFinding] = []
    while found.count < Self.most {
      var sums: [AuditFinding.Numbered: NumberedEvents] = [:]
      var rest = NumberedEvents()
      for (cell, events) in left {
        rest += events
        sums[.version(String(bounded: cell.version)), default: NumberedEvents()] += events
        let week = CalendarWeek(index: cell.week)
        // Of a week that is not over, events may be on their way.
        guard zone.firstMoment(of: week.firstDay + 7) <= question.windows.asOf else { continue }
        sums[.week(week), default: NumberedEvents()] += events
      }
      let losing = sums.filter { loses($0.value, others: rest - $0.value, question) }.sorted { a, b in
        let (left, right) = (Self.weight(a.value, of: rest), Self.weight(b.value, of: rest))
        return left != right ? left > right : Self.order(a.key) < Self.order(b.key)
      }
      guard let worst = losing.first else { break }
      found.append(
        AuditFinding(
          .eventsMissing, users: worst.value.missing, of: worst.value.numbered, detail: .missing(worst.key)))
      left = left.filter { cell, _ in
        switch worst.key {
        case .version(let name): String(bounded: cell.version) != name
        case .week(let week): cell.week != week.index
        }
      }
    }
    return found
  }

  private static func order(_ one: AuditFinding.Numbered) -> String { AuditFinding.Detail.missing(one).order }

  /// How much of what is missing a part explains: how many more than of the others, by how high its share is.
  private static func weight(_ part: NumberedEvents, of all: NumberedEvents) -> Double {
    let others = all - part
    let share = Double(part.missing) / Double(part.numbered)
    return (Double(part.missing) - Double(others.missing) / Double(others.numbered) * Double(part.numbered)) * share
  }

  private func loses(_ events: NumberedEvents, others rest: NumberedEvents, _ question: AuditQuestion) -> Bool {
    guard events.numbered >= Self.leastNumbers, events.gaps >= Self.leastGaps, rest.numbered >= Self.leastNumbers,
      question.threshold(.eventsMissing)?.isReached(by: events.missing, of: events.numbered) ?? true
    else { return false }
    // As products, which are exact.
    let (own, theirs) = (
      events.missing.multipliedFullWidth(by: rest.numbered),
      rest.missing.multipliedFullWidth(by: Self.timesOthers * events.numbered)
    )
    return (own.high, own.low) >= (theirs.high, theirs.low)
  }
}
