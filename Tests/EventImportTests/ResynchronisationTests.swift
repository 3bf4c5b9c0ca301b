// Quotes that are astray cost their own line. A second, plain and slow reading of the rules says what a mangled file holds, and
// the reader must agree with it wherever the file is cut.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

/// The rules of docs/event-format.md, line by line, on whole files.
private struct PlainReading {
  struct Reject: Equatable {
    var line: Int
    var reason: String
  }
  /// The first cell and the first line of each record.
  var records: [(user: String, line: Int)] = []
  var rejects: [Reject] = []
  /// The line of the last record, if that is cut off.
  var cut: Int?

  private enum Parsed {
    case cells([String])
    case fault(String)
    case open
  }

  init(_ text: String, delimiter: Character, heading: [String]) {
    // By bytes: to Swift a carriage return and a line feed are one character.
    var lines = Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    let endsOpen = lines.last?.isEmpty == false && lines.last?.last != 0x0D
    if lines.last?.isEmpty == true { lines.removeLast() }
    var unclosed: (line: Int, rejects: Int)?
    let mark = delimiter.asciiValue ?? 0
    var quoteLine: Int?
    var i = 1
    func reason(_ text: String) -> String { quoteLine.map { text + ", after the open quote in line \($0)" } ?? text }
    while i < lines.count {
      let number = i + 1
      if lines[i].allSatisfy({ [0x20, 0x09, 0x0D, mark].contains($0) }) {
        i += 1
        continue
      }
      var span = 1
      var found: [String]?
      var fault: String?
      var fewCells = false
      for more in 0...256 where i + more < lines.count {
        let parsed = Self.parse(Array(lines[i...(i + more)].joined(separator: [0x0A])), mark)
        if case .open = parsed { continue }
        switch parsed {
        case .cells(let cells)
        where cells.count >= heading.count && cells.dropFirst(heading.count).allSatisfy(\.isEmpty):
          found = cells
          span = more + 1
        case .cells(let cells) where more == 0:
          fault = "the record has \(cells.count) cells, the header has \(heading.count)"
          fewCells = cells.count < heading.count
        case .fault(let text) where more == 0: fault = text
        default: break
        }
        break
      }
      if let found {
        quoteLine = nil
        unclosed = nil
        if Array(found.prefix(heading.count)) != heading { records.append((found[0], number)) }
      } else {
        if endsOpen, unclosed == nil, fault == nil, Self.isUnclosed(lines[i...], mark) {
          unclosed = (number, rejects.count)
        }
        if endsOpen, unclosed == nil, i + 1 == lines.count, fewCells { cut = number }
        let open = "a quoted cell is not closed, or the record does not have \(heading.count) cells"
        rejects.append(Reject(line: number, reason: reason(fault ?? open)))
        let isOdd = lines[i].count { $0 == 0x22 } % 2 == 1
        if quoteLine == nil, isOdd, fault?.hasPrefix("the record") != true { quoteLine = number }
      }
      i += span
    }
    if cut != nil { rejects.removeLast() }
    if let unclosed {
      cut = unclosed.line
      rejects.removeSubrange(unclosed.rejects...)
    }
  }

  /// Whether a quote of the first line is open up to the end, whatever line is taken for the last one.
  private static func isUnclosed(_ lines: ArraySlice<[UInt8]>, _ mark: UInt8) -> Bool {
    lines.indices.allSatisfy { last in
      if case .open = parse(Array(lines[...last].joined(separator: [0x0A])), mark) { true } else { false }
    }
  }

  private static func parse(_ text: [UInt8], _ mark: UInt8) -> Parsed {
    var bytes = text
    while bytes.last == 0x0D { bytes.removeLast() }
    var cells: [String] = []
    var i = 0
    while true {
      var cell: [UInt8] = []
      if i < bytes.count, bytes[i] == 0x22 {
        i += 1
        while true {
          if i == bytes.count { return .open }
          if bytes[i] == 0x22 {
            if i + 1 < bytes.count, bytes[i + 1] == 0x22 {
              i += 1
            } else {
              break
            }
          }
          cell.append(bytes[i])
          i += 1
        }
        i += 1
        if i < bytes.count, bytes[i] != mark {
          return .fault("text follows the closing quote of a cell")
        }
      } else {
        while i < bytes.count, bytes[i] != mark {
          if bytes[i] == 0x22 { return .fault("a quote is inside a cell that is not quoted") }
          cell.append(bytes[i])
          i += 1
        }
      }
      cells.append(String(decoding: cell, as: UTF8.self))
      if i == bytes.count { return .cells(cells) }
      i += 1
    }
  }
}

/// Gives bytes of a text a few at a time.
final class Dribble: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let most: Int
  init(_ bytes: [UInt8], most: Int) {
    rest = bytes[...]
    self.most = most
  }
  var storedBytes: Int { 0 }
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let piece = rest.prefix(min(most, buffer.count))
    buffer.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }
}

@Suite struct ResynchronisationTests {
  private struct Outcome: Equatable {
    var users: [String] = []
    var rejects: [RejectedLine] = []
    var counts = ImportCounts()
    var cut: Int?
  }

  /// Reads a table, cut into chunks of about so many bytes.
  private func read(_ text: String, delimiter: UInt8, heading: [String], goal: Int, chunk: Chunk) throws -> Outcome {
    let bytes = Array(text.utf8)
    let names = heading.map { Array($0.utf8) }
    let header = try CSVHeader(names: names, delimiter: delimiter, file: "f", line: 1)
    let offset = (bytes.firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
    let layout = InputLayout.table(header)
    let cutter = StreamCutter(
      head: [], bytes: Dribble(Array(bytes[offset...]), most: 7), isPartial: { false }, layout: layout, linesSkipped: 1,
      goal: goal)
    let sink = CollectingSink()
    let assembler = EventAssembler(options: testOptions(), dictionary: sink.dictionary)
    let parser = CSVParser(
      assembler, names: CanonicalNames(tally: EventTally(allowsCustomPermissions: false)), usesCommonRecord: true)
    var outcome = Outcome()
    var lineEnds = 0
    var ordinal: UInt64 = 0
    while true {
      chunk.reset(ordinal: ordinal, source: InputSource(name: "f", layout: layout))
      guard try cutter.next(into: chunk) else { break }
      var result = ChunkResult(keepsRejects: true)
      assembler.batch.removeAll()
      assembler.batch.chunk = ordinal
      parser.parse(chunk, header: header, into: &result)
      try sink.append(assembler.batch)
      outcome.rejects += result.rejects.map { $0.reported(base: lineEnds, file: "f", suggestion: "") }
      outcome.counts.add(result.counts)
      if let last = result.lastLine { outcome.cut = lineEnds + last.line + 1 }
      lineEnds += result.lineEnds
      ordinal += 1
    }
    outcome.users = sink.events.map(\.user)
    return outcome
  }

  private func mangled(_ random: inout SeededGenerator, delimiter: String, heading: [String]) -> String {
    var text = ""
    for row in 0..<Int.random(in: 1...40, using: &random) {
      var note = "n\(row)"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: note = "\"a \(delimiter) b\""
      case 1: note = "\"say \"\"x\"\"\""
      case 2: note = "\"" + String(repeating: "line\n", count: Int.random(in: 1...4, using: &random)) + "\""
      case 3: note = "\"" + String(repeating: "r\r\n", count: 2) + "\"\r"
      case 4 where row % 7 == 0:
        note = "\"" + String(repeating: "\n", count: [255, 256, 257].randomElement(using: &random) ?? 0) + "\""
      default: break
      }
      text += ["u\(row)", "1740830400000", "app_active", note].joined(separator: delimiter) + "\n"
    }
    var bytes = Array(text.utf8)
    let tokens = ["\"", "\"\"", "\"", delimiter, "\n", "\r\n", "x", "\"" + delimiter, delimiter + "\"", "\"\n"]
    for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.remove(at: at)
      case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...30, using: &random)))
      default: bytes.insert(contentsOf: (tokens.randomElement(using: &random) ?? "").utf8, at: at)
      }
    }
    if Bool.random(using: &random), bytes.last == 0x0A { bytes.removeLast() }
    // Headings and empty rows as they are, or the file would be refused.
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    for extra in [heading.joined(separator: delimiter), " ", delimiter + delimiter] where Bool.random(using: &random) {
      lines.insert(Array(extra.utf8), at: Int.random(in: 0...lines.count, using: &random))
    }
    return String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
  }

  @Test func mangledFilesAreReadAsTheRulesSay() throws {
    let heading = ["user_id", "timestamp", "event", "note"]
    let chunk = Chunk()
    for seed in 1...UInt64(250) {
      var random = SeededGenerator(seed: seed)
      let delimiter = [",", ";", "\t", "|"].randomElement(using: &random) ?? ","
      let text = heading.joined(separator: delimiter) + "\n" + mangled(&random, delimiter: delimiter, heading: heading)
      let plain = PlainReading(text, delimiter: Character(delimiter), heading: heading)
      var first: Outcome?
      for goal in [1, 9, Int.random(in: 10...400, using: &random), ImportLimit.chunk] {
        let outcome = try read(
          text, delimiter: Array(delimiter.utf8)[0], heading: heading, goal: goal, chunk: chunk)
        #expect(outcome == first ?? outcome, "seed \(seed), chunks of \(goal)")
        if outcome != first ?? outcome { return }
        first = outcome
      }
      let outcome = try #require(first)
      // What a record's values are refused for is no matter here.
      let structural = outcome.rejects.filter { $0.reason.contains("cell") }
      let others = Set(outcome.rejects.filter { !$0.reason.contains("cell") }.map(\.line))
      #expect(structural.map { PlainReading.Reject(line: $0.line, reason: $0.reason) } == plain.rejects, "seed \(seed)")
      #expect(outcome.cut == plain.cut, "seed \(seed)")
      let expected = plain.records.filter { !others.contains($0.line) }.map(\.user)
      #expect(outcome.users == expected, "seed \(seed)")
      #expect(others.isSubset(of: plain.records.map(\.line)), "seed \(seed)")
      #expect(outcome.counts.lines == outcome.users.count + outcome.rejects.count, "seed \(seed)")
      if outcome.users != expected || structural.count != plain.rejects.count { return print(text) }
    }
  }

  @Test func oneQuoteCostsOneLine() throws {
    let row = "u,1740830400000,app_active,x\n"
    for bad in ["u,1740830400000,app_active,\"x", "\"u,1740830400000,app_active,x", "u,1740830400000,app_active,x\""] {
      for threads in [1, 3] {
        let rows = String(repeating: row, count: 20_000)
        let text = "user_id,timestamp,event,note\n" + rows + bad + "\n" + rows + bad + "\n" + rows
        let outcome = try importText(text, testOptions(threads: threads))
        #expect(outcome.events.count == 60_000)
        #expect(outcome.rejects.map(\.line) == [20_002, 40_003])
      }
    }
  }

  @Test func aWholeImportDoesNotDependOnChunksAndThreads() throws {
    let heading = ["user_id", "timestamp", "event", "note"]
    let directory = try TemporaryDirectory()
    for seed in 1...UInt64(3) {
      var random = SeededGenerator(seed: seed + 5000)
      var text = heading.joined(separator: ",") + "\n"
      while text.utf8.count < 400_000 { text += mangled(&random, delimiter: ",", heading: heading) + "\n" }
      let path = try directory.write("f.csv", text)
      let first = try importPaths([path])
      for (threads, size) in [(1, 1000), (3, 30_000), (2, ImportLimit.chunk)] {
        let other = try importPaths([path], testOptions(threads: threads), chunkSize: size)
        #expect(other.rejects == first.rejects, "seed \(seed), chunks of \(size)")
        #expect(other.events.map(\.user) == first.events.map(\.user), "seed \(seed), chunks of \(size)")
        #expect(other.counts.lines == first.counts.lines, "seed \(seed), chunks of \(size)")
      }
    }
  }

  @Test func whatComesAfterAQuoteNamesItsLine() throws {
    let outcome = try importText(
      "user_id,timestamp,event,note\nu1,1740830400000,app_active,\"one\ntwo\nthree\",y,z\nu2,1740830400000,app_active,\n"
    )
    #expect(outcome.events.map(\.user) == ["u2"])
    #expect(outcome.rejects.map(\.line) == [2, 3, 4])
    #expect(
      outcome.rejects.map(\.reason) == [
        "a quoted cell is not closed, or the record does not have 4 cells",
        "the record has 1 cells, the header has 4, after the open quote in line 2",
        "a quote is inside a cell that is not quoted, after the open quote in line 2",
      ])
  }
}
