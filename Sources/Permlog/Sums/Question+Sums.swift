// Answering a question: the fold over one log.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents

extension Question {
  /// Everything that sums depend on, by the names of the keys: sums of questions that differ in any of it do not add up.
  var facts: [String: String] { fields.facts }

  /// What a log's users add to the answers of questions. Names that the log does not have are no error, since another log may.
  /// - Parameter hashes: of the ids of the users to count, as docs/log-format.md defines them.
  static func sums(
    of questions: [Question], in snapshot: LogSnapshot, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int
  ) throws -> [AnySums] {
    var sums = questions.map { AnySums($0.kind) }
    // A log without events adds nothing, whatever zone and dates its tables would be laid out for.
    guard snapshot.timeRange != nil else { return sums }
    let shared = try questions.map { try $0.shared() }
    // Questions of one moment and the same windows judge alike.
    var judged: [AnalysisWindows: CallSums] = [:]
    for windows in Set(shared.map(\.windows)) {
      judged[windows] = try snapshot.calls(windows, within: hashes, threads: threads)
    }
    var reports: [HistorySelection: [(place: Int, question: ReportQuestion)]] = [:]
    for (place, question) in shared.enumerated() {
      let calls = question.callsThatMatter(judged[question.windows] ?? CallSums())
      let open = OpenReadings(calls)
      if case .report(let question) = question, open.open.isEmpty, open.reading() == CallReading() {
        reports[question.selection, default: []].append((place, question))
        sums[place] = AnySums(CountedSums(.report), fixed: open.fixed)
      } else {
        sums[place] = try snapshot.count(question, open, within: hashes, threads: threads)
      }
    }
    for (selection, reports) in reports.sorted(by: { $0.value[0].place < $1.value[0].place }) {
      for start in stride(from: 0, to: reports.count, by: mostReportsAtOnce) {
        let reports = reports[start..<min(start + mostReportsAtOnce, reports.count)]
        let questions = reports.map(\.question)
        let counted = try snapshot.folds(questions.count, selection, within: hashes, threads: threads) {
          place, contexts in
          ReadFold(CallReading(), questions[place].windows, selection, contexts: contexts) {
            ReportFold(questions[place], contexts: $0)
          }
        }
        for (report, counted) in zip(reports, counted) { sums[report.place].counted = .report(counted) }
      }
    }
    for (place, question) in shared.enumerated() {
      let calls = question.callsThatMatter(judged[question.windows] ?? CallSums())
      sums[place].counted.complete(calls, KnownNames.found(questions[place].asked, in: snapshot))
    }
    return sums
  }

  /// Reports that look at the same are counted in one walk, so many at most: each has memory for its groups.
  private static let mostReportsAtOnce = 8
}

extension PermissionLog {
  /// What this log's users add to the answer of a question. Sums of other users, of other logs or machines, are added to them, and the
  /// answer is read from all of them together.
  ///
  /// For example:
  ///
  /// ```swift
  /// let question = try Question(request)
  /// var total = try europe.sums(of: question)
  /// try total.add(america.sums(of: question))
  /// let report = try Report(total, of: question)
  /// ```
  /// - Parameter hashes: of the ids of the users to count. Nothing in the sums says which they were: whoever divides the users sees to
  ///   it that every part comes once. What ingests counted of the whole log goes with those that begin at 0.
  public func sums(
    of question: Question, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws(PermlogError) -> AnySums {
    try translating {
      try Question.sums(of: [question], in: LogSnapshot(directory), within: hashes, threads: threads)[0]
    }
  }
}
