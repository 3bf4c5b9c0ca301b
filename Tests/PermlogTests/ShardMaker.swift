// Sums of shards for tests, made of histories or of lines.

import PermissionEvents
import ReportOracle
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import Permlog

struct ShardMaker {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let now: Milliseconds = 1_775_088_000_000

  func questions(_ events: [OracleEvent]) throws -> [Question] {
    let variants = Array(Set(events.compactMap(\.variant))).sorted()
    var report = ReportRequest()
    report.scope.asOf = .time(Int64(events.map(\.timestamp).max() ?? 0))
    report.scope.timeZone = "America/New_York"
    report.properties = [.platform]
    var comparison = ComparisonRequest(control: variants[0], treatments: [variants[1]])
    comparison.scope = report.scope
    comparison.permission = "notifications"
    var flow = FlowRequest()
    flow.scope = report.scope
    var audit = AuditRequest()
    audit.scope = report.scope
    audit.examples = 3
    let now = Int64(events.map(\.timestamp).max() ?? 0)
    return [
      try Question(report, now: now), try Question(comparison, now: now), try Question(flow, now: now),
      try Question(audit, now: now),
    ]
  }

  func file(_ events: [OracleEvent], _ name: String) throws -> FilePath {
    FilePath(try directory.write(name, events.map { ndjsonLine($0) + "\n" }.joined()))
  }

  func make(
    _ questions: [Question], _ path: FilePath, _ shard: SumsShard? = nil, _ options: IngestOptions = IngestOptions()
  ) throws -> SumsBundle {
    var options = options
    // Of a shard the form is named.
    if shard != nil, options.format == .auto, options.mappings.isEmpty { options.format = .ndjson }
    let made = try SumsBundle.make(
      questions, of: [path], shard: shard, options: options, scratch: directory.path, threads: 2)
    #expect(made.leftDirectory == nil)
    return try #require(made.sums)
  }

  /// Shards of users, some of them without any.
  func shards(_ events: [OracleEvent], _ count: Int, _ questions: [Question]) throws -> [SumsBundle] {
    let users = Array(Set(events.map(\.userID))).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($1, $0 % max(1, count - 1)) })
    var random = SplitMix64(seed: UInt64(count))
    return try (0..<count).map { shard in
      let own = events.filter { numbers[$0.userID] == shard }
      let bundle = try make(
        questions, file(own.shuffled(using: &random), "shard-\(shard).ndjson"),
        SumsShard(shard + 1, of: count, job: "tests"))
      return try SumsBundle(bundle.encoded, name: "\(shard + 1).sums")
    }
  }

  func sum(_ parts: [SumsBundle]) throws -> SumsBundle {
    var sum = parts[0]
    for part in parts.dropFirst() { try sum.add(part) }
    return sum
  }

  static func report(_ change: (inout ReportRequest) -> Void = { _ in }, now: Milliseconds = now) throws
    -> Question
  {
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    change(&request)
    return try Question(request, now: now)
  }
}
