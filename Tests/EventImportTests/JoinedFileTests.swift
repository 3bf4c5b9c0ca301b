// Files that were joined, cut or have something at their ends: each is read whole or refused as a whole, from a file and from
// a pipe alike.

import Foundation
import Testing

@testable import EventImport

private func events(_ user: String, _ count: Int) -> String {
  (0..<count).map { #"{"user_id":"\#(user)\#($0)","timestamp":1740830400000,"event":"app_active"}"# + "\n" }.joined()
}

private let two: ArchiveMember = ("two.ndjson", events("a", 2))
private let three: ArchiveMember = ("three.ndjson", events("b", 3))
private let lines = events("c", 50)
private let other = Array("other data that nobody knows\n".utf8)

/// A file, and how many events it has; nil if it is refused.
struct JoinedFile: CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  let events: Int?

  init(_ name: String, _ bytes: [UInt8], _ events: Int?) {
    testDescription = name
    self.bytes = bytes
    self.events = events
  }

  static let tars = [
    JoinedFile("tar", tar([two, three]), 5),
    JoinedFile("tar with one block of zeros", tarMembers([two]) + tarEnd.prefix(512), 2),
    JoinedFile("tar + tar", tar([two]) + tar([three]), 5),
    JoinedFile("tar without end + tar", tarMembers([two]) + tar([three]), 5),
    JoinedFile("tar + zeros + tar", tar([two]) + [UInt8](repeating: 0, count: 8192) + tar([three]), 5),
    JoinedFile("tar without end", tarMembers([two, three]), nil),
    JoinedFile("tar cut between members", Array(tarMembers([two, three]).prefix(tarMembers([two]).count)), nil),
    JoinedFile("tar cut in its end", tarMembers([two]) + tarEnd.prefix(100), nil),
    JoinedFile("tar + other", tar([two]) + other, nil),
    JoinedFile("tar + 1,024 others", tar([two]) + (0..<1024).map { other[$0 % other.count] }, nil),
    JoinedFile("tar + lines", tar([two]) + Array(lines.utf8), nil),
    JoinedFile("tar + zip", tar([two]) + ZipBytes(members: [three]).bytes, nil),
  ]

  static let zips =
    ZipBytes.Descriptor.allCases.flatMap { descriptor in
      [false, true].map { isLong in
        JoinedFile(
          "zip, descriptor \(descriptor), long \(isLong)",
          ZipBytes(members: [two, ("empty.ndjson", ""), three], descriptor: descriptor, isLong: isLong).bytes, 5)
      }
    } + [
      JoinedFile("zip without members", ZipBytes(members: []).bytes, 0),
      JoinedFile("zip with a comment", ZipBytes(members: [two], comment: "PK\u{5}\u{6} a comment").bytes, 2),
      JoinedFile("zip with a signature", ZipBytes(members: [two], isSigned: true).bytes, 2),
      JoinedFile(
        "zip with a descriptor and a signature", ZipBytes(members: [two], descriptor: .short, isSigned: true).bytes, 2),
      JoinedFile("zip + zip", ZipBytes(members: [two]).bytes + ZipBytes(members: [three]).bytes, nil),
      JoinedFile("long zip + long zip", long([two]) + long([three]), nil),
      JoinedFile("zip without members + zip", ZipBytes(members: []).bytes + ZipBytes(members: [three]).bytes, nil),
      JoinedFile("zip + tar", ZipBytes(members: [two]).bytes + tar([three]), nil),
      JoinedFile("zip + other", ZipBytes(members: [two]).bytes + other, nil),
      JoinedFile("zip + lines", ZipBytes(members: [two]).bytes + Array(lines.utf8), nil),
      JoinedFile("other + zip", other + ZipBytes(members: [two]).bytes, nil),
      JoinedFile("other + zip with right places", ZipBytes(members: [two], before: "PK\u{3}\u{4}").bytes, nil),
      JoinedFile("zip with other data between", ZipBytes(members: [two, three], between: "x").bytes, nil),
      JoinedFile(
        "zip with other data before its directory", ZipBytes(members: [two], beforeDirectory: "xyz").bytes, nil),
      JoinedFile("zip that names one of two", ZipBytes(members: [two, three], unnamed: 1).bytes, nil),
      JoinedFile("zip that names none of two", ZipBytes(members: [two, three], unnamed: 2).bytes, nil),
      JoinedFile("volume", ZipBytes(members: [two], volume: 1).bytes, nil),
      JoinedFile("zip cut in its end", ZipBytes(members: [two, three]).bytes.dropLast(5), nil),
      JoinedFile("zip in zip", ZipBytes(members: [("z.zip", "PK\u{3}\u{4}\u{0}\u{0}")]).bytes, nil),
    ]

  private static func long(_ members: [ArchiveMember]) -> [UInt8] { ZipBytes(members: members, isLong: true).bytes }
}

@Suite struct JoinedFileTests {
  /// From a file by its path, and as a stream.
  private func expect(_ bytes: [UInt8], _ count: Int?, _ name: String) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", Data(bytes))
    for source in [ImportSource.paths([path]), .bytes(bytes, name: path)] {
      let sink = CollectingSink()
      do {
        let session = try ImportSession(source, options: testOptions())
        while !(try session.run(into: sink)) {}
        #expect(sink.events.count == count && session.counts.rejected == 0, "\(name)")
      } catch let error as ImportError {
        #expect(count == nil, "\(name): \(error.message)")
        #expect(error.code == .damaged || error.code == .unknownFormat, "\(name): \(error.message)")
        #expect(error.message.hasPrefix(path), "\(name): \(error.message)")
      }
    }
  }

  @Test(arguments: JoinedFile.tars + JoinedFile.zips) func plain(file: JoinedFile) throws {
    try expect(file.bytes, file.events, file.testDescription)
  }

  @Test(arguments: ["gzip", "zstd", "xz"]) func packedOnce(program: String) throws {
    for file in JoinedFile.tars + JoinedFile.zips.suffix(12) {
      guard let bytes = try packed(file.bytes, by: program) else { return }
      try expect(bytes, file.events, "\(program) of \(file.testDescription)")
    }
  }

  @Test(arguments: ["gzip", "zstd", "xz"]) func twoStreams(program: String) throws {
    guard let a = try packed(Array(two.text.utf8), by: program),
      let b = try packed(Array(three.text.utf8), by: program),
      let tarA = try packed(tar([two]), by: program), let tarB = try packed(tar([three]), by: program)
    else { return }
    try expect(a + b, 5, "two streams of lines")
    try expect(tarA + tarB, 5, "two packed tars")
    for (name, bytes) in [("lines", a), ("tar", tarA)] {
      try expect(bytes + other, nil, "\(name) + other")
      try expect(bytes + Array(three.text.utf8), nil, "\(name) + plain lines")
      try expect(bytes + ZipBytes(members: [three]).bytes, nil, "\(name) + zip")
      for next in ["gzip", "zstd", "xz"] where next != program {
        guard let joined = try packed(Array(three.text.utf8), by: next) else { continue }
        try expect(bytes + joined, nil, "\(name) + \(next)")
      }
    }
    try expect(Array(two.text.utf8) + b, nil, "plain lines + packed lines")
    try expect(Array(two.text.utf8) + ZipBytes(members: [three]).bytes, nil, "plain lines + zip")
  }

  /// Open quotes and carriage returns cost the same lines, and no others, however the text is packed.
  @Test(arguments: [",", "\t", "json"], ["\n", "\r", "\r\n"]) func quotesAndReturns(kind: String, end: String) throws {
    var rows = (0..<40).map { "u\($0),1740830400000,app_active,B" }
    rows[7] = "u7,1740830400000,app_active,\"B"
    rows[20] = "u20,1740830400000,app_active,\"B\"x"
    var text = (["user_id,timestamp,event,variant"] + rows).joined(separator: end) + end
    if kind == "\t" { text = text.replacing(",", with: "\t") }
    if kind == "json" {
      var records = (0..<40).map {
        #"{"user_id":"u\#($0)","timestamp":1740830400000,"event":"app_active","variant":"B"}"#
      }
      for row in [7, 20] { records[row] = records[row].replacing("B\"", with: "B") }
      text = records.joined(separator: end) + end
    }
    let name = kind == "json" ? "x.ndjson" : "x.csv"
    let bytes = Array(text.utf8)
    var forms = [bytes, tar([(name, text)]), ZipBytes(members: [(name, text)]).bytes]
    for program in ["gzip", "zstd", "xz"] { if let form = try packed(bytes, by: program) { forms.append(form) } }
    let directory = try TemporaryDirectory()
    for form in forms {
      let path = try directory.write("file", Data(form))
      for source in [ImportSource.paths([path]), .bytes(form, name: path)] {
        let rejects = RejectCounter()
        let session = try ImportSession(source, options: testOptions(), onReject: rejects.take)
        let sink = CollectingSink()
        while !(try session.run(into: sink)) {}
        #expect(Set(sink.events.map(\.user)) == Set((0..<40).filter { $0 != 7 && $0 != 20 }.map { "u\($0)" }))
        #expect(rejects.lines == (kind == "json" ? [8, 21] : [9, 22]))
      }
    }
  }

  /// What is kept of a damaged zip is kept of one whose directory is lost, too.
  @Test func aTornZipCanBeKeptInPart() throws {
    var options = testOptions()
    options.rows.keepsPartialFiles = true
    let whole = ZipBytes(members: [two, three]).bytes
    for source in [ImportSource.bytes(Array(whole.dropLast(30)), name: "x"), .bytes(whole + other, name: "x")] {
      let session = try ImportSession(source, options: options)
      let sink = CollectingSink()
      while !(try session.run(into: sink)) {}
      #expect(sink.events.count == 5)
      #expect(session.partialFiles.count == 1)
    }
    // Of two joined ones the last would be kept, which is no beginning.
    let error = #expect(throws: ImportError.self) {
      let session = try ImportSession(.bytes(whole + whole, name: "x"), options: options)
      while !(try session.run(into: CollectingSink())) {}
    }
    #expect(error?.message.contains("perhaps two archives were joined") == true)
  }

  @Test func aLargeWindowIsNamed() throws {
    guard let bytes = try packed(Array(two.text.utf8), by: "zstd", ["--ultra", "-22", "--long=31"]) else { return }
    let error = #expect(throws: ImportError.self) { try importText(Data(bytes)) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("a window of more than 128 MiB") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("nothing was stored") == true)
    guard case .unpackLargeWindow = error?.explanation.remedy else {
      Issue.record("the way out is missing")
      return
    }
  }
}
