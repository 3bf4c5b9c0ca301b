// Files of sums: canonical, whole or refused, and the same in whatever order they are added up.

import Testing

@testable import Folding

/// Sums of one table, as somebody's own fold would have them.
struct VisitSums: FoldSums, Equatable {
  static let name = "visits 1"
  static var layout: SumsLayout<Self> { [.part(\.visits), .part(\.buckets)] }
  var visits = SumTable("visits", keys: ["place", "day"], columns: ["came", "stayed"])
  var buckets = SumTable("minutes", keys: [], columns: .numbered(1000))
}

/// Random numbers that can be had again.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

@Suite struct SumsFileTests {
  private static let question = ["as_of": "2026-03-01T00:00:00.000Z", "odd name": "a b\nc%=é", "zone": ""]

  /// Keys of all sorts of bytes, absent and empty ones among them.
  private static func random(_ numbers: inout SeededNumbers) throws -> VisitSums {
    var sums = VisitSums()
    let places: [[UInt8]?] = [
      nil, [], [0x2D], [0x3D], [0x20, 0x0A, 0x25], [0xFF, 0x00, 0x7F], Array("Zürich".utf8), Array("a".utf8),
    ]
    for _ in 0..<Int.random(in: 0...30, using: &numbers) {
      let key = [
        places[Int.random(in: 0..<places.count, using: &numbers)], places.randomElement(using: &numbers) ?? nil,
      ]
      try sums.visits.add(Int64.random(in: -5...1000, using: &numbers), Int.random(in: 0...1, using: &numbers), of: key)
      try sums.buckets.add(Int64.random(in: 1...9, using: &numbers), Int.random(in: 0...999, using: &numbers), of: [])
    }
    return sums
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let seed: UInt64 = 5
    var numbers = SeededNumbers(state: seed)
    for _ in 0..<200 {
      let sums = try Self.random(&numbers)
      let bytes = SumsFile(question: Self.question, sums: sums).encoded()
      let read = try SumsFile<VisitSums>(bytes)
      #expect(read.sums == sums && read.question == Self.question, "seed \(seed)")
      #expect(read.encoded() == bytes, "seed \(seed)")
    }
  }

  @Test func rowsOfManyCellsAndNumbersOfAllLengthsAreReadBack() throws {
    var sums = VisitSums()
    for column in 0..<1000 {
      var value: Int64 = 1
      for _ in 0..<column % 19 { value = min(value * 10, CheckedSum.limit) }
      if column % 3 == 0 { value = max(1, value - 1) }
      try sums.buckets.add(column % 7 == 0 ? -value : value, column, of: [])
    }
    try sums.visits.add(CheckedSum.limit, 0, of: [nil, nil])
    try sums.visits.add(-CheckedSum.limit, 1, of: [nil, nil])
    let bytes = SumsFile(question: [:], sums: sums).encoded()
    #expect(try SumsFile<VisitSums>(bytes).sums == sums)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("- - 0:4611686018427387904 1:-4611686018427387904\n"))
    #expect(text.contains("- 0:-1 1:10 2:100 3:999 4:10000 5:100000 6:999999 7:-10000000 8:100000000 9:999999999 10:"))
  }

  @Test func theOrderOfAddingChangesNothing() throws {
    let seed: UInt64 = 6
    var numbers = SeededNumbers(state: seed)
    for _ in 0..<50 {
      var parts = try (0..<7).map { _ in SumsFile(question: Self.question, sums: try Self.random(&numbers)) }
      func sum() throws -> [UInt8] {
        var sum = SumsFile(question: Self.question, sums: VisitSums())
        for part in parts { try sum.add(try SumsFile(part.encoded())) }
        return sum.encoded()
      }
      let first = try sum()
      parts.shuffle(using: &numbers)
      #expect(try sum() == first, "seed \(seed)")
    }
  }

  @Test func otherQuestionsAreRefusedByName() throws {
    var sums = SumsFile(question: ["as_of": "2026-03-01"], sums: VisitSums())
    let other = SumsFile(question: ["as_of": "2026-03-02"], sums: VisitSums())
    #expect {
      try sums.add(other)
    } throws: { error in
      let error = error as? SumsError
      return error?.code == .otherQuestion
        && error?.sentence == "the sums answer different questions: as_of is 2026-03-01 and 2026-03-02"
    }
  }

  @Test func sumsThatOverflowAreRefused() throws {
    var sums = VisitSums()
    try sums.visits.add(CheckedSum.limit, "came", of: "a", "b")
    let other = sums
    #expect(throws: SumsError(.overflow, "a sum is larger than 2^62")) { try sums.add(other) }
  }

  @Test func whatIsRefusedChangesNothing() throws {
    var table = SumTable("t", keys: ["a"], columns: ["x", "y"])
    try table.add(CheckedSum.limit, "x", of: "k")
    try table.add(5, "y", of: "k")
    #expect(throws: SumsError.self) { try table.add(1, "x", of: "k") }
    table.count("x", of: "k")
    #expect(table["x", of: "k"] == CheckedSum.limit && table["y", of: "k"] == 5)
    var file = SumsFile(question: [:], sums: VisitSums())
    for key in ["a", "b", "c", "d"] { try file.add(Self.one(key, key == "c" ? CheckedSum.limit : 1)) }
    let before = file.encoded()
    var more = SumsFile(question: [:], sums: VisitSums())
    for key in ["a", "b", "c", "d"] { try more.add(Self.one(key, 1)) }
    #expect(throws: SumsError.self) { try file.add(more) }
    #expect(file.encoded() == before)
  }

  private static func one(_ place: String, _ value: Int64) throws -> SumsFile<VisitSums> {
    var sums = VisitSums()
    try sums.visits.add(value, "came", of: place, nil)
    return SumsFile(question: [:], sums: sums)
  }

  @Test func textsThatLookAlikeAreDifferentQuestions() throws {
    var sums = SumsFile(question: ["permission": "caf\u{E9}"], sums: VisitSums())
    let other = SumsFile(question: ["permission": "cafe\u{301}"], sums: VisitSums())
    #expect(throws: SumsError.self) { try sums.add(other) }
  }

  @Test func everyCutAndEveryChangedByteIsFound() throws {
    var numbers = SeededNumbers(state: 8)
    let bytes = SumsFile(question: Self.question, sums: try Self.random(&numbers)).encoded()
    for end in 0..<bytes.count {
      #expect(throws: SumsError.self, "cut to \(end)") { try SumsFile<VisitSums>(Array(bytes[..<end])) }
    }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
      #expect(throws: SumsError.self, "byte \(place)") { try SumsFile<VisitSums>(changed) }
    }
  }

  /// A text with its right checksum.
  private static func signed(_ text: String) -> [UInt8] {
    var file = SumsText()
    file.add(text)
    file.endWithChecksum()
    return file.bytes
  }

  private static let head = "permlog-sums 2\nfold visits 1\n"
  private static let visits = "table visits\nkeys place day\ncolumns came stayed\n"
  private static let minutes = "table minutes\nkeys\nnumbered 1000\n"

  @Test func textsWithARightChecksumAreReadByTheLetter() throws {
    let right = "\(Self.head)asked a =\n\(Self.visits)- =x 0:1\n=a =b 0:5 1:7\n\(Self.minutes)- 3:4\n"
    // A value of a question is a word, which may begin with anything.
    #expect(try SumsFile<VisitSums>(Self.signed(right)).question == ["a": "="])
    let wrong: [(String, SumsError.Code)] = [
      ("", .damaged), ("permlog-sums x\n", .damaged), ("permlog-sums 5\nfold visits 1\n", .newerFormat),
      ("permlog-sums 1\nfold visits 1\n", .damaged),
      ("permlog-sums 02\nfold visits 1\n\(Self.visits)\(Self.minutes)", .damaged),
      ("permlog-sums 2\nfold visits 2\n\(Self.visits)\(Self.minutes)", .otherFold),
      ("permlog-sums 2\nfold\n\(Self.visits)\(Self.minutes)", .damaged),
      (Self.head, .otherFold), ("\(Self.head)\(Self.visits)", .otherFold),
      ("\(Self.head)\(Self.minutes)\(Self.visits)", .damaged),
      ("\(Self.head)\(Self.visits)\(Self.minutes)\(Self.minutes)", .damaged),
      ("\(Self.head)\(Self.visits)\(Self.minutes)table more\nkeys\ncolumns\n", .otherFold),
      ("\(Self.head)\(Self.visits)\(Self.minutes)asked a b\n", .damaged),
      ("\(Self.head)asked a b\nasked a c\n\(Self.visits)\(Self.minutes)", .damaged),
      ("\(Self.head)asked b c\nasked a c\n\(Self.visits)\(Self.minutes)", .damaged),
      ("\(Self.head)asked a\n\(Self.visits)\(Self.minutes)", .damaged),
      ("\(Self.head)table visits\nkeys place day\ncolumns came\n\(Self.minutes)", .otherFold),
      ("\(Self.head)table visits\nkeys place\ncolumns came stayed\n\(Self.minutes)", .otherFold),
      ("\(Self.head)table visits\nkeys place place\ncolumns came stayed\n\(Self.minutes)", .damaged),
      ("\(Self.head)\(Self.visits)table minutes\nkeys\nnumbered 99999999999\n", .damaged),
      ("\(Self.head)\(Self.visits)table minutes\nkeys\nnumbered 0\n", .damaged),
    ]
    for (text, code) in wrong {
      #expect("\(text)") { try SumsFile<VisitSums>(Self.signed(text)) } throws: { ($0 as? SumsError)?.code == code }
    }
    let rows = [
      "=a =b", "=a 0:1", "=a =b =c 0:1", "=a =b 0:0", "=a =b 0:01", "=a =b 0:+1", "=a =b 0:-0", "=a =b 1:1 0:1",
      "=a =b 0:1 0:1", "=a =b 2:1", "=a =b -1:1", "=a =b 0:9999999999999999999", "=a =b 0:4611686018427387905",
      "=a =b :1",
      "=a =b 0:", "=a =b 0", "=a  =b 0:1", "=a =b 0:1 ", "=a =b 0:1\n=a =b 0:1", "=b =b 0:1\n=a =b 0:1", "=a% =b 0:1",
      "=a%6 =b 0:1", "=a%41 =b 0:1", "=a%zz =b 0:1", "=a\u{7F} =b 0:1", "a =b 0:1", "=a =b 99999999999999999999:1",
    ]
    for row in rows {
      let text = "\(Self.head)\(Self.visits)\(row)\n\(Self.minutes)"
      #expect("\(row)") { try SumsFile<VisitSums>(Self.signed(text)) } throws: { ($0 as? SumsError)?.code == .damaged }
    }
  }

  @Test func textsMadeOfPiecesNeverTrap() throws {
    let seed: UInt64 = 77
    var numbers = SeededNumbers(state: seed)
    let pieces = [
      Self.head, Self.visits, Self.minutes, "=a =b 0:1\n", "- 5:6\n", "- - 0:-3\n", "asked a b\n", "table", " ",
      "\n", "=", "-",
      "%", "0:1", "keys", "columns", "numbered 3\n", "checksum 0000000000000000\n", "\u{0}", "é",
    ]
    var read = 0
    for _ in 0..<20_000 {
      var text = Bool.random(using: &numbers) ? Self.head + Self.visits : ""
      for _ in 0..<Int.random(in: 0...8, using: &numbers) { text += pieces.randomElement(using: &numbers) ?? "" }
      do {
        let file = try SumsFile<VisitSums>(Self.signed(text))
        #expect(file.encoded() == Self.signed(text), "seed \(seed)")
        read += 1
      } catch {
        #expect(!error.sentence.isEmpty)
      }
    }
    #expect(read > 0, "seed \(seed): nothing was read at all")
  }
}
