// Sums that a file brought may contradict what it says was read.

import Folding
import PermissionAnalysis
import PermissionEvents

extension AnySums {
  /// Tables that may have rows though nobody was counted: names of the question, how many examples are kept, ingests of a log.
  private static let tablesOfNobody: Set = ["names", "variants", "ingests", "largest_users"]

  /// Throws if the sums are those of another question, if there is more in them than was read, or something of after the moment that the
  /// question looks from.
  /// - Parameter tables: those of these sums.
  func check(_ tables: [SumTable], of question: Question, _ totals: SumsTotals) throws {
    func damaged(_ what: String) -> SumsError {
      SumsError(.damaged, "the \(question.kind.rawValue) \(question.checksum) \(what)")
    }
    if totals.events == 0,
      let table = tables.first(where: { !Self.tablesOfNobody.contains($0.name) && !$0.orderedRows.isEmpty })
    {
      throw damaged("has rows in table \(table.name), and there were no events")
    }
    for counted in [counted, try resolved().sums] + assumed.values {
      try Self.check(counted, of: question, totals, damaged)
    }
    // Years have four digits, so that texts of weeks are in the order of the weeks.
    guard kind == .report else { return }
    let last = ISOWeek(day: question.zone.day(of: question.asOf)).bytes
    for table in tables {
      guard let place = table.keys.firstIndex(of: "week") else { continue }
      for (key, _) in table.orderedRows {
        guard let week = key[place], last.lexicographicallyPrecedes(week) else { continue }
        throw damaged("has a week in table \(table.name) that is after the moment it looks from")
      }
    }
  }

  private static func check(
    _ counted: CountedSums, of question: Question, _ totals: SumsTotals, _ damaged: (String) -> SumsError
  ) throws {
    if case .compare(let sums) = counted, let request = ComparisonRequest(question) {
      try sums.check(of: request.sharedQuestion(in: question.zone))
    }
    guard case .report(let sums) = counted, let request = ReportRequest(question) else { return }
    try sums.check(of: request.sharedQuestion(in: question.zone))
    guard sums.counted.users <= totals.users, sums.counted.events <= totals.events else {
      throw damaged("has more users or events than were read")
    }
  }
}
