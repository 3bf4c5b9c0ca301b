// Times to an event, or to the end of watching, as counts per distinct time.

/// Counts of events by cause, and of censorings, at distinct times.
public struct SurvivalTimes: Sendable, Hashable {
  public struct Row: Sendable, Hashable {
    public let time: Double
    /// Events by cause; the first is cause 1.
    public let events: [Int]
    public let censored: Int

    public var allEvents: Int { events.reduce(0) { $0.clampedSum($1) } }
  }

  /// By rising time.
  public let rows: [Row]
  public let causes: Int

  /// Individual times, each with its cause; 0 is censored. Throws if the lengths differ, a time is not finite, or a
  /// cause is negative or above 1000.
  public init(times: [Double], causes: [Int]) throws(StatisticsError) {
    guard times.count == causes.count else { throw .lengthsDiffer(times.count, causes.count) }
    guard times.allSatisfy(\.isFinite) else { throw .notFinite(name: "time") }
    if let negative = causes.first(where: { $0 < 0 }) { throw .negativeCount(negative) }
    let kinds = max(1, causes.max() ?? 0)
    guard kinds <= 1000 else { throw .tooMany(name: "causes", have: kinds, most: 1000) }
    var rows: [Row] = []
    var events = [Int](repeating: 0, count: kinds)
    var censored = 0
    let order = times.indices.sorted { times[$0] < times[$1] }
    for (position, index) in order.enumerated() {
      if causes[index] == 0 { censored += 1 } else { events[causes[index] - 1] += 1 }
      let next = position + 1 < order.count ? times[order[position + 1]] : nil
      if next != times[index] {
        rows.append(Row(time: times[index], events: events, censored: censored))
        events = [Int](repeating: 0, count: kinds)
        censored = 0
      }
    }
    self.rows = rows
    self.causes = kinds
  }

  /// One cause, in whole days: `events[d]` and `censored[d]` count who ended on day d, `beyond` who was followed past the
  /// last day and is censored there. A shorter list is filled up with zeros; a negative count is taken as 0.
  public init(events: [Int], censored: [Int], beyond: Int) {
    let days = max(events.count, censored.count)
    func count(_ list: [Int], _ day: Int) -> Int { day < list.count ? max(0, list[day]) : 0 }
    var rows = (0..<days).map {
      Row(time: Double($0), events: [count(events, $0)], censored: count(censored, $0))
    }
    if beyond > 0 { rows.append(Row(time: Double(days), events: [0], censored: beyond)) }
    self.rows = rows.filter { $0.allEvents > 0 || $0.censored > 0 }
    causes = 1
  }

  /// All subjects. Sums past `Int.max` stay there.
  public var count: Int { rows.reduce(0) { $0.clampedSum($1.allEvents).clampedSum($1.censored) } }

  /// Each row with the number at risk just before it.
  var rowsAtRisk: [(row: Row, atRisk: Int)] {
    var atRisk = count
    return rows.map { row in
      defer { atRisk -= row.allEvents + row.censored }
      return (row, atRisk)
    }
  }
}
