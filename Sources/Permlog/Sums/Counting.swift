// Answers questions for some users, in each reading that all users together may need.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

extension Question {
  /// The counts of a log's users for questions. Names that the log does not have are not an error, because another log
  /// may have them.
  /// - Parameter hashes: the hashes of the user ids to count, as docs/log-format.md defines them.
  static func sums(
    of questions: [Question], in snapshot: LogSnapshot, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> [AnySums] {
    var sums = questions.map { AnySums($0.kind) }
    // A log without events adds nothing, for any zone and dates of its tables.
    guard snapshot.timeRange != nil else { return sums }
    // Questions with the same moment and windows are judged once.
    var judged: [AnalysisWindows: CallSums] = [:]
    let counters = try questions.map { question in
      try question.request.counter(in: question.zone) { windows in
        if let calls = judged[windows] { return calls }
        let calls = try snapshot.calls(windows, within: hashes, threads: threads)
        judged[windows] = calls
        return calls
      }
    }
    var reports: [HistorySelection: [(index: Int, question: ReportQuestion)]] = [:]
    for (index, counter) in counters.enumerated() {
      if let question = counter.report {
        reports[question.selection, default: []].append((index, question))
        sums[index] = AnySums(ReportSums(), fixed: counter.readings.fixed)
      } else {
        let walk = LogWalk(snapshot: snapshot, windows: counter.windows, hashes: hashes, threads: threads)
        sums[index] = try counter.sums(walk)
      }
    }
    for (selection, reports) in reports.sorted(by: { $0.value[0].index < $1.value[0].index }) {
      for start in stride(from: 0, to: reports.count, by: mostReportsAtOnce) {
        let reports = reports[start..<min(start + mostReportsAtOnce, reports.count)]
        let questions = reports.map(\.question)
        let counted = try snapshot.folds(questions.count, selection, within: hashes, threads: threads) {
          index, contexts in
          ReadFold(CallReading(), questions[index].windows, selection, contexts: contexts) {
            ReportFold(questions[index], contexts: $0)
          }
        }
        for (report, counted) in zip(reports, counted) { sums[report.index].counted = counted }
      }
    }
    for index in sums.indices {
      sums[index].counted.calls = counters[index].calls
      sums[index].counted.known = KnownNames.found(questions[index].request, in: snapshot)
    }
    return sums
  }

  /// The largest number of reports that are counted in one walk. Each report needs memory for its groups.
  private static let mostReportsAtOnce = 8
}

private struct Counter {
  let windows: AnalysisWindows
  /// How fast the question's prompts were answered.
  let calls: CallSums
  var readings: OpenReadings
  /// The question, if it can be counted in one walk with others.
  let report: ReportQuestion?
  let count: (LogWalk) throws -> any QuestionSums

  /// The largest number of assumptions under which some users are counted; each is a walk. n readings that concern all
  /// users in every combination give 3ⁿ − 1 assumptions.
  private static let mostAssumptions = 256

  /// The counts of a walk's users, in each open reading.
  func sums(_ walk: LogWalk) throws -> AnySums {
    func counted(_ reading: CallReading, _ users: UsersOfReadings?) throws -> any QuestionSums {
      var walk = walk
      (walk.reading, walk.users) = (reading, users)
      let sums = try count(walk)
      try sums.checkRoom()
      return sums
    }
    guard !readings.open.isEmpty else { return AnySums(try counted(readings.reading(), nil), fixed: readings.fixed) }
    // The walk over the users whom no reading concerns shows which readings concern the others.
    let users = UsersOfReadings(readings.open, wanted: 0)
    var sums = AnySums(try counted(readings.reading(), users), fixed: readings.fixed)
    let concerned = users.all.subtracting([0])
    guard concerned.reduce(0, { $0 + 1 << min($1.nonzeroBitCount, 16) }) <= Self.mostAssumptions else {
      var fewer = self
      fewer.readings.fixSome()
      return try fewer.sums(walk)
    }
    for bits in concerned {
      let open = readings.open.enumerated().filter { bits >> UInt64($0.offset) & 1 != 0 }.map(\.element)
      for choice in 0..<1 << open.count {
        let assumption = Dictionary(
          uniqueKeysWithValues: open.enumerated().map { ($0.element, choice >> $0.offset & 1 != 0) })
        let reading = readings.reading(other: open.filter { assumption[$0] == true })
        sums.assume(assumption, try counted(reading, UsersOfReadings(readings.open, wanted: bits)))
      }
    }
    return sums
  }
}

extension CountedRequest {
  fileprivate func counter(in zone: ZoneTable, _ judged: (AnalysisWindows) throws -> CallSums) throws -> Counter {
    let question = try shared(in: zone)
    var calls = try judged(question.windows)
    // For a comparison only its permission matters.
    if let comparison = question as? ComparisonQuestion { calls = calls.of(Array(comparison.permission.utf8)) }
    let readings = OpenReadings(calls)
    let isUsual = readings.open.isEmpty && readings.reading() == CallReading()
    return Counter(
      windows: question.windows, calls: calls, readings: readings,
      report: isUsual ? question as? ReportQuestion : nil, count: { try Self.count(question, $0) })
  }
}

extension PermissionLog {
  /// The counts of this log's users for a question. Sums of other users, of other logs or machines, are added to them,
  /// and the answer is read from the total.
  ///
  /// For example:
  ///
  /// ```swift
  /// let question = try Question(request)
  /// var total = try europe.sums(of: question)
  /// try total.add(america.sums(of: question))
  /// let report = try Report(total, of: question)
  /// ```
  /// - Parameter hashes: the hashes of the user ids to count. The sums do not record the range: the caller must count
  ///   every range once. Counts of the whole log's ingests are in the range that begins at 0.
  public func sums(
    of question: Question, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> AnySums {
    try translating {
      try Question.sums(of: [question], in: asked(), within: hashes, threads: threads)[0]
    }
  }
}
