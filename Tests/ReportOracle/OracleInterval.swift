// The half-open interval of time that a report shows.

/// [from, to) in UTC milliseconds; nil is unlimited.
struct OracleInterval {
  var from: Int?
  var to: Int?

  func contains(_ milliseconds: Int) -> Bool {
    (from.map { milliseconds >= $0 } ?? true) && (to.map { milliseconds < $0 } ?? true)
  }

  /// "`--from` and `--to` are dates in the zone, [from, to), and `--week` is one week." If both are given, both hold.
  init(_ options: OracleOptions, _ calendar: OracleCalendar) {
    let week = options.week.flatMap { calendar.week(named: $0) }
    let starts = [
      options.from.flatMap { calendar.day(named: $0) }.map { calendar.firstMoment(ofDay: $0) },
      week.map { calendar.firstMoment(ofDay: $0.monday) },
    ]
    let ends = [
      options.to.flatMap { calendar.day(named: $0) }.map { calendar.firstMoment(ofDay: $0) },
      week.map { calendar.end(of: $0) },
    ]
    from = starts.compactMap { $0 }.max()
    to = ends.compactMap { $0 }.min()
  }
}
