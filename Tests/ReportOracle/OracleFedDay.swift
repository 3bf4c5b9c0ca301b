// The moment that a question looks from by itself.

/// "The end of the newest event's day in the report's zone if the log is *fed* to it, else the newest timestamp." The clock of
/// tests is later than all events.
///
/// "Fed: the whole hours from the newest event to that day's end are at most as many as the longest run of hours without any
/// event in the 28 days before it, or 1." Hours are counted back from the newest event, and lie in the log.
func usualMoment(_ stored: [OracleEvent], _ calendar: OracleCalendar) -> Int? {
  guard let newest = stored.map(\.timestamp).max(), let oldest = stored.map(\.timestamp).min() else { return nil }
  let hour = 3_600_000
  let end = calendar.firstMoment(ofDay: calendar.day(of: newest) + 1)
  let heard = Set(stored.map { (newest - $0.timestamp) / hour })
  let silent = (0..<28 * 24).map { n in newest - (n + 1) * hour >= oldest && !heard.contains(n) }
  let longest = silent.split(separator: false).map(\.count).max() ?? 0
  return (end - newest) / hour <= max(1, longest) ? end : newest
}
