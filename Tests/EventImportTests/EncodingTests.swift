// Text in other encodings than UTF-8: told by proof alone, converted without loss, and refused if it is damaged.

import Foundation
import Testing

@testable import EventImport

private let csv = "user_id,timestamp,event,permission,variant\nu1,1740830400000,granted,camera,Grüße 😀 €\n"
private let json =
  #"{"user_id":"u1","timestamp":1740830400000,"event":"granted","permission":"camera","variant":"Grüße 😀 €"}"# + "\n"

@Suite struct EncodingTests {
  private func encode(_ text: String, _ encoding: String.Encoding, mark: Bool) throws -> Data {
    try #require(((mark ? "\u{FEFF}" : "") + text).data(using: encoding))
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [false, true])
  func utf16IsReadInEveryForm(encoding: String.Encoding, mark: Bool) throws {
    let rows = csv + String(repeating: csv.split(separator: "\n")[1] + "\n", count: 4000)
    for text in [
      csv, json, "[\(json),\(json)]", rows, String(repeating: json, count: 3000), csv.replacing("\n", with: "\r"),
    ] {
      let plain = try importText(text)
      #expect(!plain.events.isEmpty)
      let data = try encode(text, encoding, mark: mark)
      let outcome = try importText(data)
      // Chunks may be cut elsewhere, so that an event's place differs.
      #expect(outcome.events.map(\.content) == plain.events.map(\.content) && outcome.rejects == plain.rejects)
      #expect(outcome.counts.lines == plain.counts.lines)
    }
  }

  @Test func whichEncodingWasReadIsSaid() throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, encode(csv, .utf16LittleEndian, mark: true)) }
    try directory.write("c", Data(csv.replacing(" 😀 €", with: "").unicodeScalars.map { UInt8($0.value) }))
    try directory.write("d", csv)
    let session = try ImportSession(.paths([directory.path]), options: testOptions())
    while !(try session.run(into: CollectingSink())) {}
    #expect(session.counts.events == 4)
    #expect(
      session.convertedFiles.messages == [
        "read as UTF-16 text: \(directory.path)/a, \(directory.path)/b",
        "read as Windows-1252 text: \(directory.path)/c",
      ])
  }

  @Test func damagedUTF16IsRefusedOrKeptInPart() throws {
    let rows = csv + String(repeating: "u2,1740830400000,granted,camera,x\n", count: 5000)
    var torn = try encode(rows, .utf16LittleEndian, mark: true)
    let size = torn.count
    torn.removeLast()
    // A second half of a pair without the first.
    var lone = torn.dropLast()
    lone.replaceSubrange(200_000..<200_002, with: [0x00, 0xDC])
    for (data, place) in [
      (torn, "byte \(size - 1) is the last one"), (Data(lone), "byte 200001 does not begin a character"),
    ] {
      let error = #expect(throws: ImportError.self) { try importText(data) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("convert the file to UTF-8") == true)
      var options = testOptions()
      options.rows.keepsPartialFiles = true
      let kept = try importText(data, options)
      #expect(kept.events.count > 2000 && kept.rejects.isEmpty)
    }
  }

  @Test func windows1252IsReadByProof() throws {
    let row = Array("u1,1740830400000,granted,camera,".utf8)
    func file(_ bytes: [UInt8]) -> Data {
      Data(Array("user_id,timestamp,event,permission,variant\n".utf8) + row + bytes)
    }
    #expect(try importText(file([0x63, 0xE9])).events.map { $0.fields["variant"] } == ["cé"])
    #expect(try importText(file([0x80, 0x93, 0xDF])).events.map { $0.fields["variant"] } == ["€“ß"])
    // One character of UTF-8 says that the bytes that are none are faults of their lines.
    let mixed = try importText(file([0xE9, 0x0A] + row + Array("é".utf8)))
    #expect(mixed.events.map { $0.fields["variant"] } == ["é"])
    #expect(mixed.rejects.map(\.reason) == ["variant is not valid UTF-8"])
    // What Windows-1252 has no character for is no proof.
    #expect(try importText(file([0x81, 0xE9])).rejects.count == 1)
    // JSON is UTF-8.
    let object = Data(json.replacing("Grüße 😀 €", with: "").utf8.dropLast(3)) + Data([0xE9]) + Data("\"}\n".utf8)
    #expect(try importText(object).rejects.map(\.reason) == ["the line is not valid UTF-8"])
  }

  @Test func aCharacterAtTheHeadsEndProvesNothing() throws {
    let header = "user_id,timestamp,event,permission,variant\n"
    let row = "u1,1740830400000,granted,camera,x\n"
    for shift in 1...3 {
      var text = header
      while text.utf8.count < ImportLimit.head - 200 { text += row }
      let start = "u1,1740830400000,granted,camera,"
      text +=
        start + String(repeating: "y", count: ImportLimit.head - text.utf8.count - start.utf8.count - shift) + "😀\n"
      let outcome = try importText(text)
      #expect(outcome.rejects.isEmpty)
      #expect(outcome.events.last?.fields["variant"]?.hasSuffix("y😀") == true, "shift \(shift)")
    }
  }

  @Test func windows1252WithAByteThatIsNoCharacterIsRefused() throws {
    let row = Array("u1,1740830400000,granted,camera,caf".utf8) + [0xE9, 0x0A]
    var bytes = Array("user_id,timestamp,event,permission,variant\n".utf8)
    while bytes.count < 100_000 { bytes += row }
    bytes[90_000] = 0x81
    let error = #expect(throws: ImportError.self) { try importText(Data(bytes)) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("cannot be read as Windows-1252 (byte 90001 does not begin a character)") == true)
  }

  @Test func whatIsNoTextIsNotRecognised() throws {
    for bytes in [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D], [0xCA, 0xFE, 0xBA, 0xBE, 1, 2]]
      as [[UInt8]]
    {
      #expect(#expect(throws: ImportError.self) { try importText(Data(bytes)) }?.code == .unknownFormat)
    }
  }
}
