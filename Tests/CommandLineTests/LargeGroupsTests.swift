// Reports of large groups against a reader who has several of them, of different moments and properties, and adds and subtracts
// whatever is in them.

import Foundation
import ReportOracle
import Testing

@Suite struct LargeGroupsTests {
  private static let day = 86_400_000
  private static let monday = 1_767_571_200_000 + 0  // 2026-01-05

  /// Users of an app with a known truth: each sees one prompt of one permission.
  private struct App {
    struct User {
      var number: Int
      var week: Int
      var time: Int
      var answer: String
      var country: String?
      var version: String
    }

    var users: [User] = []
    var weeks: Int

    init(seed: UInt64) {
      var random = LinkedIDTests.Random(seed: seed)
      weeks = 6 + random.below(8)
      let count = 30 + random.below(400)
      let grants = 1 + random.below(8)
      for number in 0..<count {
        let time = LargeGroupsTests.monday + random.below(weeks * 7 * LargeGroupsTests.day)
        let answers = ["denied", "denied", "skipped", ""]
        users.append(
          User(
            number: number, week: (time - LargeGroupsTests.monday) / (7 * LargeGroupsTests.day), time: time,
            answer: random.below(10) < grants ? "granted" : answers[random.below(seed % 3 == 0 ? 2 : 4)],
            country: random.below(12) == 0 ? nil : ["US", "DE", "FR", "LI", "MT"][min(random.below(9), 4)],
            version: "3.\(random.below(4))"))
      }
    }

    func export(before end: Int) -> String {
      users.filter { $0.time < end }.flatMap { user -> [String] in
        func line(_ event: String, _ time: Int) -> String {
          let country = user.country.map { #","country":"\#($0)""# } ?? ""
          return
            #"{"user_id":"u\#(user.number)","timestamp":\#(time),"event":"\#(event)","permission":"camera","app_version":"\#(user.version)"\#(country)}"#
        }
        return [line("prompt_shown", user.time)] + (user.answer.isEmpty ? [] : [line(user.answer, user.time + 4000)])
      }.joined(separator: "\n") + "\n"
    }
  }

  private struct Report {
    var spans, values, answers: [[String: Any]]

    init(_ bytes: Data) throws {
      let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
      func rows(_ key: String) throws -> [[String: Any]] { try #require(object[key] as? [[String: Any]]) }
      (spans, values, answers) = (try rows("spans"), try rows("values"), try rows("answers"))
    }
  }

  private static func number(ofWeek text: Any?) -> Int {
    // All are of 2026, whose week 2 begins on January 5.
    ((text as? String).flatMap { Int($0.suffix(2)) } ?? 0) - 2
  }

  private static let answers = ["granted", "denied", "skipped", ""]
  private static let countries = ["US", "DE", "FR", "LI", "MT", nil]
  private static let versions = (0..<4).map { "3.\($0)" }

  /// What a reader knows of a number: the weeks, answers and values that it counts, which are cells of a table of all of them.
  private struct Cells: Hashable {
    var words: [UInt64]

    init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ cell: Int) { words[cell / 64] |= 1 << (cell % 64) }
    func contains(_ cell: Int) -> Bool { words[cell / 64] >> (cell % 64) & 1 == 1 }
    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
    func isSubset(of other: Cells) -> Bool { zip(words, other.words).allSatisfy { $0 & ~$1 == 0 } }
    func isDisjoint(with other: Cells) -> Bool { zip(words, other.words).allSatisfy { $0 & $1 == 0 } }

    func combined(_ other: Cells, _ combine: (UInt64, UInt64) -> UInt64) -> Cells {
      var cells = self
      for i in words.indices { cells.words[i] = combine(words[i], other.words[i]) }
      return cells
    }
  }

  /// The numbers of several reports of one app, and what can be computed from them.
  private struct Reader {
    var app: App
    var known: [Cells: Int] = [:]

    var cells: Int { app.weeks * 4 * 6 * 4 }

    /// - Parameters:
    ///   - answers: that the number counts.
    ///   - isIn: whether it counts users with a country and a version.
    mutating func learn(
      _ row: [String: Any], _ key: String, answers: [String], where isIn: (String?, String) -> Bool = { _, _ in true },
      _ seed: UInt64
    ) {
      let first = LargeGroupsTests.number(ofWeek: row["first_week"])
      let last = LargeGroupsTests.number(ofWeek: row["last_week"])
      var set = Cells(count: cells)
      for (a, answer) in LargeGroupsTests.answers.enumerated() where answers.contains(answer) {
        for (c, country) in LargeGroupsTests.countries.enumerated() {
          for (v, version) in LargeGroupsTests.versions.enumerated() where isIn(country, version) {
            for week in first...last { set.insert(((week * 4 + a) * 6 + c) * 4 + v) }
          }
        }
      }
      let truth = count(set)
      #expect(truth == row[key] as? Int, "seed \(seed), \(key) of \(row)")
      known[set] = truth
    }

    func count(_ set: Cells) -> Int {
      app.users.count { user in
        let a = LargeGroupsTests.answers.firstIndex(of: user.answer) ?? 0
        let c = LargeGroupsTests.countries.firstIndex(of: user.country) ?? 0
        let v = LargeGroupsTests.versions.firstIndex(of: user.version) ?? 0
        return set.contains(((user.week * 4 + a) * 6 + c) * 4 + v)
      }
    }

    /// The known sets without cells of which a number is 0: the reader knows that they are empty.
    private var withoutEmptyCells: [Cells: Int] {
      let empty = known.filter { $0.value == 0 }.keys.reduce(Cells(count: cells)) { $0.combined($1, |) }
      var rest: [Cells: Int] = [:]
      for (set, count) in known where count > 0 { rest[set.combined(empty) { $0 & ~$1 }] = count }
      return rest
    }

    /// All numbers that are computed by differences and sums, again and again.
    func derived(most: Int) -> [Cells: Int] {
      var all = withoutEmptyCells
      var new = all
      while !new.isEmpty, all.count < most {
        var found: [Cells: Int] = [:]
        for (a, countOfA) in new {
          for (b, countOfB) in all where a != b {
            if b.isSubset(of: a) {
              found[a.combined(b) { $0 & ~$1 }] = countOfA - countOfB
            } else if a.isSubset(of: b) {
              found[b.combined(a) { $0 & ~$1 }] = countOfB - countOfA
            } else if all.count + found.count < most, a.isDisjoint(with: b) {
              found[a.combined(b, |)] = countOfA + countOfB
            }
          }
          if all.count + found.count >= 2 * most { break }
        }
        new = found.filter { all[$0.key] == nil && !$0.key.isEmpty }
        all.merge(new) { first, _ in first }
      }
      return all
    }

    /// Cells that no number tells apart, if all equations together give their number: Gauss's elimination, modulo a prime.
    func solved() -> [Cells] {
      let sets = withoutEmptyCells.keys.sorted { $0.words.lexicographicallyPrecedes($1.words) }
      var classes: [[Bool]: Cells] = [:]
      for cell in 0..<cells {
        let membership = sets.map { $0.contains(cell) }
        guard membership.contains(true) else { continue }
        classes[membership, default: Cells(count: cells)].insert(cell)
      }
      let columns = Array(classes)
      let prime = 2_147_483_647
      func inverse(_ a: Int) -> Int {
        var (result, base, power) = (1, a, prime - 2)
        while power > 0 {
          if power & 1 == 1 { result = result * base % prime }
          base = base * base % prime
          power >>= 1
        }
        return result
      }
      var rows = sets.indices.map { set in columns.map { $0.key[set] ? 1 : 0 } }
      var rank = 0
      var pivots: [Int] = []
      for column in columns.indices where rank < rows.count {
        guard let pivot = rows.indices.dropFirst(rank).first(where: { rows[$0][column] != 0 }) else { continue }
        rows.swapAt(rank, pivot)
        let scale = inverse(rows[rank][column])
        for i in columns.indices { rows[rank][i] = rows[rank][i] * scale % prime }
        for other in rows.indices where other != rank && rows[other][column] != 0 {
          let factor = prime - rows[other][column]
          for i in columns.indices { rows[other][i] = (rows[other][i] + factor * rows[rank][i]) % prime }
        }
        pivots.append(column)
        rank += 1
      }
      // Where nothing but the pivot is left, its number is determined.
      return (0..<rank).filter { row in rows[row].count { $0 != 0 } == 1 }.map { columns[pivots[$0]].value }
    }
  }

  private func report(_ app: App, _ n: Int, weeks: Int, _ property: String?) throws -> Report {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let end = Self.monday + weeks * 7 * Self.day + 3_600_000
    let input = Data(app.export(before: end).utf8)
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", log], input: input).status == 0)
    let moment = Date(timeIntervalSince1970: Double(end) / 1000).formatted(.iso8601)
    let by = property.map { ["--by", $0] } ?? []
    let result = try Tool.run(
      ["report", "--small-groups", "\(n)", "--format", "json", "--as-of", moment, "--log", log] + by)
    #expect(result.status == 0, "\(result.errors)")
    return try Report(result.output)
  }

  @Test(arguments: TestSeeds.some(Array(UInt64(1)...12)))
  func noNumberAndNoDifferenceIsOfFewerUsers(seed: UInt64) throws {
    let app = App(seed: seed)
    let n = 2 + Int(seed % 5)
    var reader = Reader(app: app)
    var before: [String] = []
    for weeks in [app.weeks / 2, app.weeks - 1, app.weeks] {
      for property in [nil, "country", "app_version"] as [String?] {
        let report = try report(app, n, weeks: weeks, property)
        for row in report.spans {
          reader.learn(row, "base", answers: Self.answers, seed)
          reader.learn(row, "granted", answers: ["granted"], seed)
        }
        for row in report.answers {
          for (key, answer) in zip(["granted", "denied", "skipped", "dropped_off"], Self.answers) {
            reader.learn(row, key, answers: [answer], seed)
          }
        }
        for row in report.values {
          let beside = report.values.filter { $0["first_week"] as? String == row["first_week"] as? String }
          let named = beside.compactMap { $0["value"] as? String }
          let hasNone = beside.contains { $0["of"] as? String == "none" }
          func isIn(_ country: String?, _ version: String) -> Bool {
            let value = property == "country" ? country : version
            return switch row["of"] as? String {
            case "value": value == row["value"] as? String
            case "none": value == nil
            default: value.map { !named.contains($0) } ?? !hasNone
            }
          }
          reader.learn(row, "base", answers: Self.answers, where: isIn, seed)
          reader.learn(row, "granted", answers: ["granted"], where: isIn, seed)
        }
        // A later report has the spans of the earlier one, and new ones after them.
        let spans = report.spans.map { "\($0["first_week"] ?? "") \($0["base"] ?? "") \($0["granted"] ?? "")" }
        #expect(Array(spans.prefix(before.count)) == before, "seed \(seed)")
        before = spans
      }
    }
    let derived = reader.derived(most: 1500)
    let small = derived.filter { (1..<n).contains($0.value) }
    #expect(small.isEmpty, "seed \(seed), \(n): \(small.count) of \(derived.count) numbers")
    let solved = reader.solved().map(reader.count)
    #expect(solved.allSatisfy { $0 == 0 || $0 >= n }, "seed \(seed), \(n): \(solved)")
    print(
      "large groups, seed \(seed): \(reader.known.count) numbers, \(derived.count) computed from them, \(solved.count) groups "
        + "determined, least \(n)")
  }

  /// The reader of the test finds what an ordinary report tells: otherwise it would prove nothing.
  @Test func theReaderFindsSmallGroupsInAnOrdinaryReport() throws {
    let app = App(seed: 1)
    var reader = Reader(app: app)
    func row(_ first: Int, _ last: Int, _ isCounted: (App.User) -> Bool) -> [String: Any] {
      func week(_ number: Int) -> String { String(format: "2026-W%02d", number + 2) }
      let count = app.users.count { (first...last).contains($0.week) && isCounted($0) }
      return ["first_week": week(first), "last_week": week(last), "base": count]
    }
    // Of one week nobody says who came from Liechtenstein; of all weeks, and of the others, everybody does.
    for week in 1..<app.weeks {
      reader.learn(
        row(week, week) { $0.country == "LI" }, "base", answers: Self.answers, where: { country, _ in country == "LI" },
        1)
    }
    reader.learn(
      row(0, app.weeks - 1) { $0.country == "LI" }, "base", answers: Self.answers,
      where: { country, _ in country == "LI" }, 1)
    let hidden = app.users.count { $0.week == 0 && $0.country == "LI" }
    #expect(reader.solved().map(reader.count).contains(hidden))
    #expect(reader.derived(most: 3000).contains { $0.value == hidden && $0.key.words[0] & 1 << 12 != 0 })
  }

  @Test func everythingThatWouldTellMoreIsRefused() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let input = Data(App(seed: 2).export(before: .max).utf8)
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", log], input: input).status == 0)
    for options in [
      ["--week", "2026-W04"], ["--from", "2026-01-12"], ["--where", "country=US"], ["--time-zone", "Europe/Berlin"],
      ["--at-once", "0s"], ["--response-window", "1h"], ["--follow-up", "14d"], ["--by", "country", "--by", "locale"],
      ["--by", "country", "--by-limit", "3"], ["--full"], ["--section", "time"], ["--fail-on-drop"],
      ["--small-groups", "1"],
    ] {
      let result = try Tool.run(["report", "--small-groups", "5", "--log", log] + options)
      #expect(result.status == 64 && result.text.isEmpty, "\(options): \(result.text)\(result.errors)")
    }
    for format in ["text", "markdown", "html", "json", "csv"] {
      let result = try Tool.run(["report", "--small-groups", "5", "--by", "country", "--format", format, "--log", log])
      #expect(result.status == 0 && result.text.contains("2026-W"), "\(format): \(result.errors)")
    }
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", "-", "--quiet", "--format", "ndjson", "--log", empty], input: Data()).status == 0)
    let nothing = try Tool.run(["report", "--small-groups", "5", "--log", empty])
    #expect(nothing.status == 0 && nothing.text.contains("The log is empty"), "\(nothing.text)\(nothing.errors)")
    let few = try Tool.run(["report", "--small-groups", "1000", "--log", log])
    #expect(few.text.contains("1 permission has too few users."), "\(few.text)")
  }

  /// What an ordinary report warns of is not hidden by the option.
  @Test func missingDenialsAndBadIngestsAreSaid() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let lines = (0..<150).flatMap { n -> [String] in
      func line(_ event: String, _ second: Int) -> String {
        #"{"user_id":"u\#(n)","timestamp":"2026-01-07T10:00:0\#(second)Z","event":"\#(event)","permission":"camera"}"#
      }
      return [line("prompt_shown", 0)] + (n % 3 == 0 ? [] : [line("granted", 5)])
        + (n % 4 == 0 ? [line("grated", 6)] : [])
    }
    let later = #"{"user_id":"z","timestamp":"2026-02-07T10:00:00Z","event":"app_active"}"#
    let input = Data((lines + [later, ""]).joined(separator: "\n").utf8)
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", log], input: input).status == 0)
    let ordinary = try Tool.run(["report", "--log", log]).text.split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    #expect(ordinary.contains("none denied") && ordinary.contains("a name was not understood"), "\(ordinary)")
    let text = try Tool.run(["report", "--small-groups", "5", "--log", log]).text
    #expect(text.contains("No user denied in these weeks. Does the app log denials?"), "\(text)")
    #expect(text.contains("An ordinary report warns of files that this log has read."), "\(text)")
    let json = try Tool.run(["report", "--small-groups", "5", "--format", "json", "--log", log]).text
    #expect(
      json.contains(#""without_denials": ["camera"]"#) && json.contains(#""has_ingest_warnings": true"#), "\(json)")
  }

  @Test func answersAloneAreSaidToBe() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let lines = (0..<30).map {
      #"{"user_id":"u\#($0)","timestamp":"2026-01-07T10:00:00Z","event":"\#($0 % 3 == 0 ? "denied" : "granted")","permission":"camera"}"#
        + "\n"
    }
    let later = #"{"user_id":"z","timestamp":"2026-02-07T10:00:00Z","event":"app_active"}"# + "\n"
    let input = Data((lines.joined() + later).utf8)
    #expect(try Tool.run(["ingest", "-", "--quiet", "--log", log], input: input).status == 0)
    let text = try Tool.run(["report", "--small-groups", "5", "--log", log]).text
    #expect(text.contains("2026-W02           30       20"), "\(text)")
    #expect(text.contains("no screen of this permission: rates are of the users who answered"), "\(text)")
    let json = try Tool.run(["report", "--small-groups", "5", "--format", "json", "--log", log]).text
    #expect(
      json.contains(#""as_of": "2026-02-08","#) && text.contains("as of 2026-02-08, UTC"), "no time of a person's event"
    )
    #expect(json.contains(#""answers_alone": ["camera"]"#) && json.contains(#""answers": []"#), "\(json)")
  }

  /// The same from sums of shards: what few users did is in the sums, and not in what is made of them.
  @Test func sumsGiveTheSameGroups() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let app = App(seed: 4)
    try workspace.write("all.ndjson", app.export(before: .max))
    #expect(try Tool.run(["ingest", workspace.path("all.ndjson"), "--quiet", "--log", log]).status == 0)
    let moment = ["--as-of", "2026-06-01", "--by", "country"]
    let question = workspace.path("question.json")
    #expect(try Tool.run(["report", "--save-question", question, "--quiet"] + moment).status == 0)
    let sums = try Tool.run(
      ["sums", "make", workspace.path("all.ndjson"), "--question", question, "--output", workspace.path("sums")])
    #expect(sums.status == 0, "\(sums.errors)")
    let small = ["--small-groups", "4", "--format", "json"]
    let fromSums = try Tool.run(["report", "--from-sums", workspace.path("sums")] + small)
    let fromLog = try Tool.run(["report", "--log", log] + moment + small)
    #expect(fromSums.status == 0 && fromSums.output == fromLog.output, "\(fromSums.errors)")
    #expect(fromLog.text.contains(#""of": "value""#))
  }
}
