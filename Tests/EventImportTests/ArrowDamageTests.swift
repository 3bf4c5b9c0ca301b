// Arrow streams that are torn, changed or made to do harm: each is refused as a whole or read; none traps, and none takes more
// memory than it has bytes.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

@Suite struct ArrowDamageTests {
  /// Streams with all that the reader looks at: texts, dictionaries that change, types of all sizes.
  private static let streams = ["version_4", "lengthened", "times_us_utc"]

  /// The reader alone, used again and again: a session for each of many thousand streams would take minutes.
  private final class Reader {
    private let assembler = EventAssembler(options: testOptions(), dictionary: EventDictionary())
    /// With the fast path and without it.
    private lazy var names = CanonicalNames(tally: EventTally(allowsCustomPermissions: false))
    private lazy var parsers = [true, false].map { ArrowParser(assembler, names: names, usesFastRows: $0) }
    private let formats: RecordFormats

    init() throws { formats = try RecordFormats(rows: testOptions(format: .arrow).rows) }

    /// Reads a stream to its end.
    /// - Returns: events and refused rows.
    func read(_ bytes: [UInt8]) throws -> (events: Int, rejected: Int) {
      let stream = try ArrowStream(ResumedSource(head: bytes), name: "table")
      let found = try ArrowDetector(schema: stream.schema, formats: formats, name: "table").detect()
      guard case .arrow(let table) = found.0 else { return (0, 0) }
      stream.select(table.places)
      let cutter = ArrowCutter(stream, goal: 3)
      var counts = (0, 0)
      while let rows = try cutter.rows() {
        var results: [ChunkResult] = []
        var events: [[UInt64]] = []
        for parser in parsers {
          var result = ChunkResult(keepsRejects: true)
          assembler.batch.removeAll()
          parser.parse(rows, table, into: &result)
          if let failure = result.failure { throw failure }
          results.append(result)
          events.append(
            assembler.batch.events.flatMap { [$0.userHash, $0.order, $0.eventHigh, $0.eventLow, $0.codes] })
        }
        #expect(results[0].counts == results[1].counts && events[0] == events[1])
        #expect(results[0].counts.events + results[0].counts.rejected == rows.range.count)
        counts.0 += results[0].counts.events
        counts.1 += results[0].counts.rejected
      }
      return counts
    }
  }

  @Test(arguments: streams) func everyTruncationIsRefused(name: String) throws {
    let bytes = try ArrowSamples.bytes(name)
    let reader = try Reader()
    #expect(try reader.read(bytes).events > 0)
    for count in 0..<bytes.count {
      let error = #expect(throws: ImportError.self, "\(count) bytes") { try reader.read(Array(bytes[..<count])) }
      #expect(error?.code == .damaged, "\(count) bytes")
    }
    for count in stride(from: 4, to: bytes.count, by: 97) {
      let error = #expect(throws: ImportError.self, "\(count) bytes") { try importBytes(Array(bytes[..<count])) }
      #expect(error?.code == .damaged, "\(count) bytes")
    }
  }

  /// The beginning is kept if that was asked for: whole batches, and no other rows than they have.
  @Test func truncationsKeptInPart() throws {
    let bytes = try ArrowSamples.bytes("lengthened")
    let whole = try importBytes(bytes).events.map(\.content)
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    var kept: Set<Int> = []
    for count in stride(from: 4, to: bytes.count, by: 7) {
      let events = try importBytes(Array(bytes[..<count]), options).events.map(\.content)
      #expect(events == Array(whole.prefix(events.count)), "\(count) bytes")
      kept.insert(events.count)
    }
    #expect(kept == [0, 4, 8, 12, 16])
  }

  @Test(arguments: streams) func everyChangedByteIsReadOrRefused(name: String) throws {
    let bytes = try ArrowSamples.bytes(name)
    let reader = try Reader()
    var refused = 0
    for place in bytes.indices {
      for mask in [0xFF, 0x01, 0x04, 0x10, 0x80] as [UInt8] {
        var changed = bytes
        changed[place] ^= mask
        do { _ = try reader.read(changed) } catch is ImportError { refused += 1 }
        if place % 101 == 0 {
          do { _ = try importBytes(changed) } catch is ImportError {}
        }
      }
    }
    #expect(refused > bytes.count)
  }

  @Test func numbersThatPromiseMuch() throws {
    let bytes = try ArrowSamples.bytes("version_4")
    let reader = try Reader()
    // Each group of four or eight bytes as the largest and the smallest numbers that it can be.
    for place in stride(from: 0, to: bytes.count - 8, by: 4) {
      for pattern in [[0xFF, 0xFF, 0xFF, 0x7F], [0, 0, 0, 0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]]
        as [[UInt8]]
      {
        var changed = bytes
        changed.replaceSubrange(place..<place + pattern.count, with: pattern)
        do { _ = try reader.read(changed) } catch is ImportError { continue }
      }
    }
  }

  @Test func theEndMarkIsDemanded() throws {
    let bytes = try ArrowSamples.bytes("texts_string")
    let torn = #expect(throws: ImportError.self) { try importBytes(Array(bytes.dropLast(8))) }
    #expect(torn?.message.contains("its end marker is missing") == true)
    for more in [[0], bytes, Array(repeating: 0, count: 100_000)] as [[UInt8]] {
      let error = #expect(throws: ImportError.self) { try importBytes(bytes + more) }
      #expect(error?.message.contains("bytes follow the end marker") == true)
    }
  }

  @Test func otherKindsOfStreams() throws {
    var options = testOptions(format: .arrow)
    options.threads = 2
    // As before Arrow 0.15: a length and no mark.
    let old = Array(try ArrowSamples.bytes("null").dropFirst(4))
    #expect(throws: ImportError.self) { try importBytes(old, options) }
    let compressed = #expect(throws: ImportError.self) { try importBytes(ArrowSamples.other("compressed")) }
    #expect(compressed?.message.contains("the batches of the Arrow stream are compressed") == true)
    for (version, order, sentence) in [(4, 1, "is big-endian"), (2, 0, "version 3"), (4, 0, "is not known")]
      as [(UInt8, UInt8, String)]
    {
      let error = #expect(throws: ImportError.self) { try importBytes(Self.schema(version: version, order: order)) }
      #expect(error?.message.contains(sentence) == true)
    }
  }

  /// A schema without columns: a table of a message with its version, type and content, and one of a schema with its byte order.
  private static func schema(version: UInt8, order: UInt8) -> [UInt8] {
    let table: [UInt8] = [
      16, 0, 0, 0, 12, 0, 12, 0, 4, 0, 6, 0, 8, 0, 0, 0, 12, 0, 0, 0, version, 0, 1, 0, 12, 0, 0, 0, 6, 0, 6, 0, 4, 0,
      0, 0,
      8, 0, 0, 0, order, 0, 0, 0, 0, 0, 0, 0,
    ]
    let mark = [0xFF, 0xFF, 0xFF, 0xFF] as [UInt8]
    return mark + [UInt8(table.count), 0, 0, 0] + table + mark + [0, 0, 0, 0]
  }

  /// A dictionary that is lengthened again and again is not copied again and again.
  @Test func manyLengthenings() throws {
    // Offsets 0 and 1, whose first byte is the text.
    let memory: [UInt8] = [0, 0, 0, 0, 1] + Array(repeating: 0, count: 123)
    let texts = try memory.withUnsafeBytes { memory in
      let column = try ArrowColumn(.text(isLarge: false), rows: 1, nulls: 0, dictionary: nil) { _ in memory }
      return try ArrowTexts(column, isLarge: false)
    }
    var dictionary = ArrowDictionary(texts)
    for _ in 1..<5000 { dictionary = dictionary.appending(texts) }
    #expect(dictionary.count == 5000)
    for index in stride(from: 0, to: 5000, by: 7) { #expect(dictionary.text(index).bytes.elementsEqual([0])) }
    #expect(dictionary.pieces.count <= 13)
  }

  /// What a thread learned of a dictionary's texts stays right when the dictionary becomes longer, shorter again as an earlier batch
  /// has it, or another one.
  @Test func codesOfDictionariesThatChange() throws {
    func texts(_ list: [String]) throws -> ArrowTexts {
      let memory = list.reduce(into: [UInt8]()) { $0 += Array($1.utf8) } + Array(repeating: 0, count: 64)
      var offsets: [Int32] = [0]
      for text in list { offsets.append((offsets.last ?? 0) + Int32(text.utf8.count)) }
      return try offsets.withUnsafeBytes { offsets in
        try memory.withUnsafeBytes { memory in
          let column = try ArrowColumn(.text(isLarge: false), rows: list.count, nulls: 0, dictionary: nil) {
            $0 == 1 ? offsets : memory
          }
          return try ArrowTexts(column, isLarge: false)
        }
      }
    }
    let assembler = EventAssembler(options: testOptions(), dictionary: EventDictionary())
    let field = StringField.variant.rawValue
    let known = ArrowKnownCodes(field: field, assembler)
    func code(_ dictionary: ArrowDictionary, _ index: Int) -> UInt32 {
      let code = known.codes(of: dictionary)[index]
      return code == ArrowKnownCodes.unasked ? known.learn(index, else: 0) : code
    }
    let short = ArrowDictionary(try texts(["A", "B"]))
    let long = short.appending(try texts(["C", "", "D"]))
    let other = ArrowDictionary(try texts(["D", "C", "B", "A"]))
    let (a, b) = (code(short, 0), code(short, 1))
    let (c, d) = (code(long, 2), code(long, 4))
    #expect(Set([a, b, c, d, 0]).count == 5)
    #expect([code(long, 0), code(long, 1), code(long, 3)] == [a, b, 0])
    #expect([code(short, 0), code(short, 1)] == [a, b])
    #expect((0..<4).map { code(other, $0) } == [d, c, b, a])
    #expect((0..<5).map { code(long, $0) } == [a, b, c, 0, d])
  }
}
