// Zone files against what RFC 9636 says, and every zone of the machine against another reader of the same files.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

@Suite("Time zones from TZif files")
struct ZoneTests {
  private static let span = Timestamp.earliest...(Timestamp.earliest + 92 * 366 * millisecondsPerDay)

  private static func milliseconds(_ text: String) throws -> Milliseconds {
    Milliseconds(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1000
  }

  @Test(
    "changes of known years",
    arguments: [
      ("Europe/Berlin", "2026-03-29T00:59:59Z", 3600), ("Europe/Berlin", "2026-03-29T01:00:00Z", 7200),
      ("Europe/Berlin", "2026-10-25T01:00:00Z", 3600), ("Europe/Berlin", "2091-07-01T00:00:00Z", 7200),
      ("America/New_York", "2026-03-08T07:00:00Z", -14_400), ("America/New_York", "2026-11-01T06:00:00Z", -18_000),
      // Half an hour of summer time; the day that Samoa left out; summer time in winter.
      ("Australia/Lord_Howe", "2026-01-01T00:00:00Z", 39_600), ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", 37_800),
      ("Pacific/Apia", "2011-12-30T09:59:59Z", -36_000), ("Pacific/Apia", "2011-12-30T10:00:00Z", 50_400),
      ("Europe/Dublin", "2026-01-01T00:00:00Z", 0), ("Europe/Dublin", "2026-07-01T00:00:00Z", 3600),
      ("Asia/Kolkata", "2026-07-01T00:00:00Z", 19_800),
    ])
  func knownChanges(zone: String, moment: String, offset: Int64) throws {
    let table = try SystemZones.table(zone, over: Self.span)
    #expect(table.offset(at: try Self.milliseconds(moment)) == offset * 1000)
  }

  @Test(
    "rules of every kind",
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 3600, 7200),
      // By Julian days without and with 29 February, before midnight, after the next one, and with seconds.
      ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 0, 3600),
      ("AAA0BBB,60/0,J300/0", "2024-03-01T00:00:00Z", 0, 3600),
      ("AAA0BBB,60/0,J300/0", "2025-03-02T00:00:00Z", 0, 3600),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -7200, -3600),
      ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 7200, 10_800),
      ("AAA-1:02:03BBB-2,M1.1.0,M7.1.0", "2026-01-04T00:57:57Z", 3723, 7200),
    ])
  func rules(text: String, moment: String, before: Int64, after: Int64) throws {
    let file = try #require(ZoneFile(Self.file(rule: text)))
    let table = file.table("X", over: Self.span)
    let time = try Self.milliseconds(moment)
    #expect(table.offset(at: time - 1) == before * 1000)
    #expect(table.offset(at: time) == after * 1000)
  }

  @Test(
    "a name in another case is suggested",
    arguments: [
      ("europe/berlin", "Europe/Berlin"), ("EUROPE/BERLIN", "Europe/Berlin"), ("utc", "UTC"),
      ("america/new york", "America/New_York"), ("america/argentina/buenos_aires", "America/Argentina/Buenos_Aires"),
      ("Europe/Berlinn", nil),
      ("europe", nil), ("", nil), ("../zoneinfo/europe/berlin", nil), ("/europe/berlin", "Europe/Berlin"),
    ])
  func suggestions(name: String, meant: String?) throws {
    let error = #expect(throws: PermlogError.self) { try SystemZones.table(name, over: Self.span) }
    let message = try #require(error?.message)
    #expect(message.contains("there is no zone \(name). "))
    #expect(message.contains("Did you mean") == (meant != nil))
    if let meant { #expect(message.contains("Did you mean \(meant)?")) }
  }

  @Test("summer time that lasts all year has no changes (RFC 9636, 3.3.1)")
  func allYear() throws {
    let table = try #require(ZoneFile(Self.file(rule: "XXX3EDT4,0/0,J365/23"))).table("X", over: Self.span)
    for day in stride(from: Int64(0), to: 92 * 365, by: 1) {
      #expect(table.offset(at: Timestamp.earliest + day * millisecondsPerDay) == -14_400_000)
    }
  }

  @Test(
    "what is no rule is refused",
    arguments: [
      "CET", "CE-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-25", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,J0,J1", "CET-1CEST,366,1", "<CET-1", "CET-1:60", "CET-1 ",
      "CET-99999999999999999999",
    ])
  func badRules(text: String) { #expect(ZoneFile(Self.file(rule: text)) == nil) }

  @Test("a file that is cut short at any byte is refused, and no changed byte is a trap")
  func damage() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/America/New_York")))
    #expect(ZoneFile(bytes) != nil)
    for length in 0..<bytes.count { #expect(ZoneFile(Array(bytes[..<length])) == nil) }
    let leaping = Self.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", change: 1 << 30, offset: 3600, leap: (1 << 29, 27))
    var random = SplitMix64(seed: 14)
    for i in 0..<8_000 {
      var damaged = i % 2 == 0 ? bytes : leaping
      for _ in 0...i % 9 {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        damaged[place] =
          [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      _ = ZoneFile(damaged)?.table("X", over: Self.span)
    }
  }

  @Test("changes that leap seconds put out of order, or out of the range of numbers, refuse the file")
  func overflow() {
    #expect(ZoneFile(Self.file(change: .max, offset: 3600, leap: (0, -1))) == nil)
    #expect(ZoneFile(Self.file(change: .min, offset: 3600, leap: (.min, 1))) == nil)
    #expect(ZoneFile(Self.file(change: .min, offset: 3600))?.table("X", over: Self.span).offset(at: 0) == 3_600_000)
    #expect(ZoneFile(Self.file(change: .max, offset: 3600))?.table("X", over: Self.span).offset(at: 0) == 0)
    #expect(ZoneFile(Self.file(change: 0, offset: 93_600)) == nil)
  }

  @Test("leap seconds of a zone are not in the times of events")
  func leapSeconds() throws {
    let file = try #require(ZoneFile(Self.file(change: 1_774_746_027, offset: 3600, leap: (1_483_228_826, 27))))
    let table = file.table("X", over: Self.span)
    let time = try Self.milliseconds("2026-03-29T01:00:00Z")
    #expect(table.offset(at: time - 1000) == 0 && table.offset(at: time) == 3_600_000)
  }

  @Test("more leap seconds than a thousand years have refuse the file: each would be asked of each change")
  func manyLeapSeconds() {
    func file(_ leaps: UInt8) -> [UInt8] {
      let counts = [0, 0, leaps, 0, 1, 4].flatMap { [0, 0, $0 == leaps ? 3 : 0, $0] as [UInt8] }
      let header = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16) + counts
      let leap = [UInt8](repeating: 0, count: 8 * (768 + Int(leaps)))
      return header + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8) + leap
    }
    #expect(ZoneFile(file(232)) != nil)
    #expect(ZoneFile(file(233)) == nil)
  }

  @Test("every zone of this machine, at 2,000 moments of 92 years, and at each change: as Python's zoneinfo reads it")
  func otherReader() throws {
    let python = "/usr/bin/python3"
    try #require(FileManager.default.isExecutableFile(atPath: python))
    let root = "/usr/share/zoneinfo"
    let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }.filter {
      !$0.hasPrefix("right/") && !$0.hasPrefix("posix/") && !$0.contains(".")
    }
    var lines = ""
    var zones = 0
    for name in names.sorted() {
      guard let table = try? SystemZones.table(name, over: Self.span) else { continue }
      zones += 1
      var moments = (0..<2000).map { Timestamp.earliest + $0 * (92 * 365 * millisecondsPerDay / 2000) }
      var time = Timestamp.earliest
      while time < Self.span.upperBound, table.span(at: time).end < Self.span.upperBound {
        time = table.span(at: time).end
        moments += [time - 1000, time]
      }
      lines += "\(name) \(moments.map { "\($0 / 1000):\(table.offset(at: $0) / 1000)" }.joined(separator: " "))\n"
    }
    #expect(zones > 300)
    let script = """
      import sys, zoneinfo
      from datetime import datetime, timezone
      for line in sys.stdin:
        name, *pairs = line.split()
        zone = zoneinfo.ZoneInfo(name)
        for time, offset in (map(int, pair.split(":")) for pair in pairs):
          other = datetime.fromtimestamp(time, timezone.utc).astimezone(zone).utcoffset().total_seconds()
          if other != offset: print(name, time, offset, other)
      """
    #expect(try Self.run(python, ["-c", script], input: lines) == "")
  }

  private static func run(_ path: String, _ arguments: [String], input: String) throws -> String {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/input"
    try input.write(toFile: file, atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = FileHandle(forReadingAtPath: file)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// A file of the second version, with at most one change, from UTC to an offset, and at most one leap second.
  private static func file(
    rule: String = "", change: Int64? = nil, offset: Int32 = 0, leap: (time: Int64, total: Int32)? = nil
  ) -> [UInt8] {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    func header(_ counts: [Int32]) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bytes($0) }
    }
    var file = header([0, 0, 0, 0, 1, 4]) + bytes(Int32(0)) + [0, 0] + Array("UTC\0".utf8)
    file += header([0, 0, leap == nil ? 0 : 1, change == nil ? 0 : 1, 2, 4])
    if let change { file += bytes(change) + [1] }
    file += bytes(Int32(0)) + [0, 0] + bytes(offset) + [0, 0] + Array("UTC\0".utf8)
    if let leap { file += bytes(leap.time) + bytes(leap.total) }
    return file + Array("\n\(rule)\n".utf8)
  }
}
