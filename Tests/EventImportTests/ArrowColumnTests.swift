// What columns of Arrow streams are called, marked as and refused for.

import Foundation
import Testing

@testable import EventImport

@Suite struct ArrowColumnTests {
  // MARK: Names

  /// A schema whose fields all have one name, at one place: half a megabyte may ask for gigabytes.
  private static func schema(fields: Int, name: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ numbers: UInt16...) { for number in numbers { bytes += [UInt8(number & 0xFF), UInt8(number >> 8)] } }
    func add32(_ number: Int) { for shift in [0, 8, 16, 24] { bytes.append(UInt8(number >> shift & 0xFF)) } }
    func point(_ place: Int, to target: Int) {
      for shift in [0, 8, 16, 24] { bytes[place + shift / 8] = UInt8((target - place) >> shift & 0xFF) }
    }
    add32(0)
    // A message of version 5 with a schema.
    add(10, 12, 4, 6, 8, 0)
    point(0, to: bytes.count)
    add32(12)
    bytes += [4, 0, 1, 0]
    let header = bytes.count
    add32(0)
    // The schema: its second field is the list of columns.
    add(8, 8, 0, 4)
    point(header, to: bytes.count)
    add32(8)
    let list = bytes.count
    add32(0)
    point(list, to: bytes.count)
    add32(fields)
    let places = bytes.count
    bytes += [UInt8](repeating: 0, count: 4 * fields)
    // The column: its name, and the type null.
    add(16, 16, 4, 0, 8, 12, 0, 0)
    let field = bytes.count
    add32(16)
    let named = bytes.count
    add32(0)
    bytes += [1, 0, 0, 0]
    let type = bytes.count
    add32(0)
    for index in 0..<fields { point(places + 4 * index, to: field) }
    add(4, 4)
    point(type, to: bytes.count)
    add32(4)
    point(named, to: bytes.count)
    add32(name)
    bytes += [UInt8](repeating: 0x78, count: name)
    let mark = ArrowStream.mark
    let length = (0..<4).map { UInt8(bytes.count >> (8 * $0) & 0xFF) }
    return mark + length + bytes + mark + [0, 0, 0, 0]
  }

  @Test(arguments: [
    (3, 7, "its format is not known. Its columns: xxxxxxx, xxxxxxx, xxxxxxx."),
    (100_000, 60_000, "refers to the same bytes too often"),
    (2, 65_537, "the name of a column has more than 65536 bytes"),
    (1000, 1_000_000, "the name of a column has more than 65536 bytes"),
  ]) func namesThatAreShared(fields: Int, name: Int, sentence: String) throws {
    let error = #expect(throws: ImportError.self) { try importBytes(Self.schema(fields: fields, name: name)) }
    #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
  }

  @Test func whatATableLacksIsSaid() throws {
    let unknown = #expect(throws: ImportError.self) { try importBytes(Self.schema(fields: 1, name: 3)) }
    #expect(
      unknown?.message
        == "table: its format is not known. Its columns: xxx. Canonical tables have user_id, timestamp and event; user_id, timestamp and event are missing. Rename the columns, or give a mapping"
    )
  }

  private static func mapping(_ user: String) -> String {
    """
    record:
      recognise: [/user_id, /event]
      event: /event
      user: "\(user)"
      time: {from: /timestamp, zone: UTC}
    rules:
      - {event: explanation_shown, kind: explanation_shown, permission: notifications}
      - {event: prompt_shown, kind: prompt_shown, permission: notifications}
      - {event: granted, kind: granted, permission: camera}
    """
  }

  @Test func twoColumnsOfOneName() throws {
    let options = try testOptions(mapping: Self.mapping("/user_id"))
    let bytes = try ArrowSamples.other("named_twice")
    let error = #expect(throws: ImportError.self) { try importBytes(bytes, options) }
    #expect(error?.code == .badHeader)
    #expect(error?.message.contains("the Arrow stream has two columns for user_id, user_id and  user_id ;") == true)
    // One that nobody asks for may be there twice.
    #expect(throws: Never.self) { try importBytes(bytes, testOptions(mapping: Self.mapping("/timestamp"))) }
  }

  @Test func aNameWithALineBreakIsNoLineOfAList() throws {
    let options = try testOptions(mapping: Self.mapping("/user\\nid"))
    let error = #expect(throws: ImportError.self) {
      try TableColumns.names(of: .paths([ArrowSamples.others + "/named_twice.arrows"]), options: options)
    }
    #expect(error?.message.contains("the name of the column user?id has a line break in it") == true)
  }

  @Test func namesOfEventsAreUTF8() throws {
    let outcome = try importBytes(
      ArrowSamples.other("not_utf8"), testOptions(mapping: Self.mapping("/user_id")))
    #expect(outcome.events.count == 1)
    #expect(outcome.rejects.map(\.reason) == ["event is not valid UTF-8"])
  }

  // MARK: Values

  /// Many ids would become one if a `float` that may be rounded was taken as its digits.
  @Test func floatsThatMayBeRounded() throws {
    let ids = try importBytes(ArrowSamples.other("rounded_ids"))
    #expect(ids.events.map(\.user) == ["16777215"])
    #expect(ids.rejects.count == 5)
    #expect(
      ids.rejects.first?.reason
        == "user_id is the number 16777216.0 (rounded, a float of 32 bits), not a string or an integer")
    let mapped = try importBytes(
      ArrowSamples.other("rounded_ids"), testOptions(mapping: Self.mapping("/user_id")))
    // A fraction is the text of an id in a mapped table, as it is in a line of JSON.
    #expect(mapped.events.map(\.user) == ["16777215", "0.5"])
    #expect(
      mapped.rejects.map(\.reason)
        == Array(repeating: "user_id is missing: the record has no value at /user_id", count: 4))
    let times = try importBytes(ArrowSamples.other("rounded_times"))
    #expect(times.events.isEmpty && times.rejects.count == 6)
    #expect(times.rejects.filter { $0.reason.contains("(rounded, a float of 32 bits) is neither a date") }.count == 4)
  }

  @Test func nestedValuesAreLookedInto() throws {
    let mapping = Self.mapping("/user_id") + "\nfields: {variant: [/properties/v, /properties/n/w, /variant]}\n"
    let options = try testOptions(mapping: mapping)
    let lines = try importPaths([ArrowSamples.path("json", "ndjson")], options)
    let rows = try importPaths([ArrowSamples.path("json")], options)
    #expect(rows.events.map(\.content) == lines.events.map(\.content))
    #expect(rows.rejects.map(\.reason) == lines.rejects.map(\.reason))
    #expect(rows.events.contains { $0.fields["variant"] == "A" })
    let plain = try importPaths([ArrowSamples.path("json")])
    #expect(plain.rejects.map(\.reason).contains("user_id is an object, not a string or an integer"))
    #expect(plain.events.map(\.user) == ["u5"])
  }
}
