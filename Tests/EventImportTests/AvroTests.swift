// Avro files are read as the JSON that they say: against an encoder of its own, against files of other writers, and damaged.

import Foundation
import Testing

@testable import EventImport

/// Writes Avro by the letter of its specification.
struct AvroWriter {
  static let sync = [UInt8](repeating: 0xA5, count: 16)

  static func long(_ value: Int64) -> [UInt8] {
    var word = UInt64(bitPattern: value << 1 ^ value >> 63)
    var out: [UInt8] = []
    while word >= 0x80 {
      out.append(UInt8(word & 0x7F) | 0x80)
      word >>= 7
    }
    return out + [UInt8(word)]
  }

  static func text(_ text: String) -> [UInt8] { long(Int64(text.utf8.count)) + Array(text.utf8) }

  static func file(_ schema: String, codec: String? = nil, blocks: [(count: Int64, bytes: [UInt8])]) -> [UInt8] {
    var out = Array("Obj\u{1}".utf8) + long(codec == nil ? 1 : 2) + text("avro.schema") + text(schema)
    if let codec { out += text("avro.codec") + text(codec) }
    out += long(0) + sync
    for (count, bytes) in blocks { out += long(count) + long(Int64(bytes.count)) + bytes + sync }
    return out
  }
}

@Suite struct AvroTests {
  private func lines(_ file: [UInt8]) throws -> String {
    let source = try AvroSource(MemorySource(file), name: "x.avro")
    var out: [UInt8] = []
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 777, alignment: 1)
    defer { memory.deallocate() }
    while true {
      let count = try source.read(into: memory)
      if count == 0 { return String(decoding: out, as: UTF8.self) }
      out += memory[..<count]
    }
  }

  private func record(_ fields: String) -> String { #"{"type":"record","name":"R","fields":[\#(fields)]}"# }
  private func field(_ type: String) -> String { record(#"{"name":"a","type":\#(type)}"#) }

  private func value(_ type: String, _ bytes: [UInt8]) throws -> String {
    try lines(AvroWriter.file(field(type), blocks: [(1, bytes)]))
  }

  @Test func eachTypeIsItsJSON() throws {
    let long = AvroWriter.long
    #expect(try value(#""null""#, []) == #"{"a":null}"# + "\n")
    #expect(try value(#""boolean""#, [1]) == #"{"a":true}"# + "\n")
    #expect(try value(#""int""#, long(-65)) == #"{"a":-65}"# + "\n")
    #expect(try value(#""long""#, long(.min)) == #"{"a":-9223372036854775808}"# + "\n")
    #expect(try value(#""float""#, [0, 0, 0x20, 0x3F]) == #"{"a":0.625}"# + "\n")
    #expect(try value(#""double""#, [0, 0, 0, 0, 0, 0, 0xF8, 0x3F]) == #"{"a":1.5}"# + "\n")
    #expect(try value(#""double""#, [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]) == #"{"a":null}"# + "\n")
    #expect(try value(#""string""#, AvroWriter.text("a\"\\\nü")) == #"{"a":"a\"\\\u000aü"}"# + "\n")
    #expect(try value(#""bytes""#, AvroWriter.text("{}")) == #"{"a":"{}"}"# + "\n")
    #expect(try value(#""bytes""#, long(2) + [0xFF, 0x41]) == #"{"a":"\u00ff\u0041"}"# + "\n")
    #expect(try value(#"{"type":"fixed","name":"F","size":2}"#, [0x41, 0x42]) == #"{"a":"AB"}"# + "\n")
    #expect(try value(#"{"type":"enum","name":"E","symbols":["X","Y"]}"#, long(1)) == #"{"a":"Y"}"# + "\n")
    #expect(try value(#"["null","string"]"#, long(0)) == #"{"a":null}"# + "\n")
    #expect(try value(#"["null","string"]"#, long(1) + AvroWriter.text("x")) == #"{"a":"x"}"# + "\n")
    // With the number of bytes, for those who pass over a block, and without.
    let list = long(-1) + long(1) + long(7) + long(2) + long(8) + long(9) + long(0)
    #expect(try value(#"{"type":"array","items":"int"}"#, list) == #"{"a":[7,8,9]}"# + "\n")
    let map = long(1) + AvroWriter.text("k") + [1] + long(0)
    #expect(try value(#"{"type":"map","values":"boolean"}"#, map) == #"{"a":{"k":true}}"# + "\n")
    #expect(
      try value(#"{"type":{"type":"string","avro.java.string":"String"}}"#, AvroWriter.text("x")) == #"{"a":"x"}"#
        + "\n")
    #expect(try value(#"{"type":"long","logicalType":"timestamp-millis"}"#, long(5)) == #"{"a":5}"# + "\n")
  }

  /// Types that are more than how they are stored.
  @Test func logicalTypes() throws {
    let long = AvroWriter.long
    func text(_ type: String, _ logical: String, _ bytes: [UInt8], _ more: String = "") throws -> String {
      try value(#"{"type":"\#(type)","logicalType":"\#(logical)"\#(more)}"#, bytes).dropFirst(5).dropLast(2).description
    }
    #expect(try text("int", "date", long(20_416)) == #""2025-11-24""#)
    #expect(try text("long", "local-timestamp-millis", long(1_764_007_405_717)) == #""2025-11-24T18:03:25.717""#)
    #expect(try text("long", "local-timestamp-micros", long(-1)) == #""1969-12-31T23:59:59.999""#)
    #expect(try text("bytes", "decimal", long(2) + [0xC3, 0xA9], #","precision":9,"scale":2"#) == "-154.47")
    #expect(try text("bytes", "decimal", long(1) + [0x05], #","precision":9,"scale":2"#) == "0.05")
    #expect(try text("bytes", "decimal", long(0), #","precision":9"#) == "0")
    #expect(try text("fixed", "decimal", [0, 0xE9], #","name":"D","size":2,"precision":9"#) == "233")
    #expect(try text("bytes", "decimal", long(17) + [UInt8](repeating: 1, count: 17), #","precision":40"#) == "null")
    #expect(try text("long", "timestamp-millis", long(5)) == "5")
    #expect(try text("string", "uuid", AvroWriter.text("x")) == #""x""#)
  }

  /// A record that is too long is one refused line, and not the end of the file.
  @Test func aLongRecordIsOneLine() throws {
    let schema = record(#"{"name":"a","type":"string"},{"name":"b","type":"bytes"}"#)
    let long = AvroWriter.text(String(repeating: "x", count: 5 << 20)) + AvroWriter.text("y")
    let binary = AvroWriter.text("x") + AvroWriter.long(1 << 20) + [UInt8](repeating: 0xFF, count: 1 << 20)
    let file = AvroWriter.file(schema, blocks: [(3, long + binary + AvroWriter.text("z") + AvroWriter.text("w"))])
    let found = try lines(file).split(separator: "\n")
    #expect(found.count == 3 && found[0].utf8.count > ImportLimit.line && found[1].utf8.count > ImportLimit.line)
    #expect(found[2] == #"{"a":"z","b":"w"}"#)
  }

  @Test func deepSchemas() throws {
    let depth = 20
    let open = (0..<depth).map { #"{"type":"record","name":"R\#($0)","fields":[{"name":"f","type":["null","# }.joined()
    let schema = open + #""int""# + String(repeating: "]}]}", count: depth)
    let bytes = (0..<depth).flatMap { _ in AvroWriter.long(1) } + AvroWriter.long(7)
    let text = try lines(AvroWriter.file(schema, blocks: [(1, bytes)]))
    #expect(text == String(repeating: #"{"f":"#, count: depth) + "7" + String(repeating: "}", count: depth) + "\n")
  }

  @Test func namesAreResolved() throws {
    let node =
      #"{"type":"record","name":"Node","namespace":"a.b","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","Node"]}]}"#
    let bytes = AvroWriter.long(1) + AvroWriter.long(1) + AvroWriter.long(2) + AvroWriter.long(0)
    #expect(try lines(AvroWriter.file(node, blocks: [(1, bytes)])) == #"{"v":1,"next":{"v":2,"next":null}}"# + "\n")
    let full = record(
      #"{"name":"x","type":{"type":"enum","name":"E","namespace":"n","symbols":["A"]}},{"name":"y","type":"n.E"}"#)
    #expect(try lines(AvroWriter.file(full, blocks: [(1, [0, 0])])) == #"{"x":"A","y":"A"}"# + "\n")
  }

  @Test func blocksOfAnyNumberOfRecords() throws {
    let schema = field(#""int""#)
    let file = AvroWriter.file(schema, blocks: [(2, [2, 4]), (0, []), (1, [6])])
    #expect(try lines(file) == "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n")
    #expect(try lines(AvroWriter.file(schema, blocks: [])) == "")
  }

  private func fault(_ file: [UInt8]) -> ImportError? {
    do {
      _ = try lines(file)
      return nil
    } catch { return error as? ImportError }
  }

  @Test func whatIsNoneIsRefused() {
    let schema = field(#""int""#)
    #expect(fault(AvroWriter.file(schema, blocks: [(1, [2, 4])]))?.code == .damaged, "more than its records")
    #expect(fault(AvroWriter.file(schema, blocks: [(2, [2])]))?.code == .damaged, "fewer")
    #expect(fault(AvroWriter.file(schema, blocks: [(-1, [])]))?.code == .damaged)
    #expect(fault(AvroWriter.file(schema, blocks: [(0, [2])]))?.code == .damaged, "records of which it has none")
    #expect(fault(AvroWriter.file(#""int""#, blocks: []))?.code == .damaged, "no record")
    #expect(fault(AvroWriter.file(field(#""Unknown""#), blocks: []))?.code == .damaged)
    #expect(fault(AvroWriter.file(field(#"["null","int"]"#), blocks: [(1, [4])]))?.code == .damaged, "no such branch")
    #expect(fault(AvroWriter.file(field(#""boolean""#), blocks: [(1, [2])]))?.code == .damaged)
    let lz4 = fault(AvroWriter.file(schema, codec: "lz4", blocks: []))
    #expect(lz4?.code == .unknownFormat && lz4.map { "\($0)".contains("packed by lz4") } == true)
    for codec in ["deflate", "snappy", "zstandard", "xz"] {
      #expect(fault(AvroWriter.file(schema, codec: codec, blocks: [(1, [1, 2, 3, 4, 5, 6])])) != nil, "\(codec)")
    }
  }

  /// Values that take no byte could be there without end.
  @Test func whatIsInNoByteIsBounded() {
    #expect(fault(AvroWriter.file(field(#""null""#), blocks: [(1 << 40, [])]))?.code == .damaged)
    let list = AvroWriter.long(1 << 40)
    #expect(fault(AvroWriter.file(field(#"{"type":"array","items":"null"}"#), blocks: [(1, list)]))?.code == .damaged)
    // Nor are names in any.
    let name = record(#"{"name":"\#(String(repeating: "n", count: 1 << 20))","type":"null"}"#)
    #expect(fault(AvroWriter.file(name, blocks: [(1 << 30, [])]))?.code == .damaged)
    // A list in itself, and a record in itself, in every byte.
    let node = #"{"type":"record","name":"N","fields":[{"name":"n","type":["null","N"]}]}"#
    #expect(fault(AvroWriter.file(node, blocks: [(1, [UInt8](repeating: 2, count: 100_000))]))?.code == .damaged)
    let nested =
      String(repeating: #"{"type":"array","items":"#, count: 500) + #""int""# + String(repeating: "}", count: 500)
    #expect(fault(AvroWriter.file(field(nested), blocks: []))?.code == .damaged)
    // Lengths beyond the file take no memory.
    let long = Array("Obj\u{1}".utf8) + AvroWriter.long(1) + AvroWriter.long(1 << 23)
    #expect(fault(long)?.code == .damaged)
    #expect(fault(Array("Obj\u{1}".utf8) + AvroWriter.long(1) + AvroWriter.long(1 << 60))?.code == .resources)
  }

  /// A file that is cut off anywhere but at the end of a block is damaged; a turned bit traps nowhere.
  @Test func everyCutAndEveryTurnedBit() throws {
    let schema = record(
      #"{"name":"s","type":["null","string"]},{"name":"m","type":{"type":"map","values":"long"}},{"name":"b","type":"bytes"}"#
    )
    var row: [UInt8] = AvroWriter.long(1)
    row += AvroWriter.text("abc")
    row += AvroWriter.long(1) + AvroWriter.text("k") + AvroWriter.long(5) + AvroWriter.long(0)
    row += AvroWriter.text("x")
    let file = AvroWriter.file(schema, blocks: [(2, row + row), (1, row)])
    let whole = try lines(file)
    #expect(whole.split(separator: "\n").count == 3)
    let ends = [file.count, file.count - row.count - 18]
    for end in 0..<file.count {
      let error = fault(Array(file[..<end]))
      let isBlock = ends.contains(end) || end == ends[1] - 2 * row.count - 18
      #expect((error == nil) == isBlock, "\(end)")
    }
    for bit in 0..<file.count * 8 {
      var turned = file
      turned[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = fault(turned)
    }
  }

  @Test(arguments: ["custom_events.deflate.avro", "custom_events.snappy.avro", "custom_events.zstandard.avro"])
  func filesOfOtherWriters(name: String) throws {
    let plain = try importPaths([Samples.path("mappings/braze/custom_events.jsonl")], braze())
    let packed = try importPaths([Samples.path("mappings/braze/\(name)")], braze())
    #expect(!plain.events.isEmpty && packed.events.map(\.content) == plain.events.map(\.content))
    #expect(packed.rejects.isEmpty)
  }

  private func braze() throws -> ImportOptions {
    var options = testOptions()
    options.mappings = [try Samples.mapping("mappings/braze/mapping.yaml")]
    return options
  }
}
