// RFC 3339 in, milliseconds out, and back.

import Foundation
import LogTestSupport
import Testing

@testable import PermissionEvents

private func parse(_ text: String) -> Milliseconds? { Array(text.utf8).withUnsafeBytes(Timestamp.parse(rfc3339:)) }

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("2026-04-01T12:34:56Z", 1_775_046_896_000),
    ("2026-04-01t12:34:56z", 1_775_046_896_000),
    ("2026-04-01 12:34:56Z", 1_775_046_896_000),
    ("2026-04-01T12:34:56.7Z", 1_775_046_896_700),
    ("2026-04-01T12:34:56.78Z", 1_775_046_896_780),
    ("2026-04-01T12:34:56.789Z", 1_775_046_896_789),
    // Cut, not rounded.
    ("2026-04-01T12:34:56.7899Z", 1_775_046_896_789),
    ("2026-04-01T12:34:56.999999999Z", 1_775_046_896_999),
    ("2026-04-01T12:34:56.000000001Z", 1_775_046_896_000),
    ("2026-04-01T12:34:56+00:00", 1_775_046_896_000),
    ("2026-04-01T12:34:56-00:00", 1_775_046_896_000),
    ("2026-04-01T14:34:56+02:00", 1_775_046_896_000),
    ("2026-04-01T18:04:56.5+05:30", 1_775_046_896_500),
    ("2026-04-01T03:04:56-09:30", 1_775_046_896_000),
    ("2026-04-02T12:33:56+23:59", 1_775_046_896_000),
    ("2026-03-31T12:35:56.123456789-23:59", 1_775_046_896_123),
    ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("1969-12-31T23:59:59.999Z", -1),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    // Leap seconds are read as the second after.
    ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("2016-12-31T23:59:60.5Z", 1_483_228_800_500),
    ("2017-01-01T08:59:60+09:00", 1_483_228_800_000),
    ("2016-12-31T15:59:60-08:00", 1_483_228_800_000),
  ])
  func isRead(text: String, expected: Milliseconds) { #expect(parse(text) == expected) }

  @Test(arguments: [
    "", "2026-04-01", "2026-04-01T12:34:56", "2026-04-01T12:34:56 Z", "2026-04-01T12:34Z", "2026-04-01T12:34:5Z",
    "2026-04-01T12:34:56.Z", "2026-04-01T12:34:56.1234567890Z", "2026-04-01T12:34:56,5Z", "2026-04-01T12:34:56Z ",
    " 2026-04-01T12:34:56Z", "2026-04-01T12:34:56ZZ", "2026-04-01T12:34:56+0200", "2026-04-01T12:34:56+02",
    "2026-04-01T12:34:56+02:0", "2026-04-01T12:34:56+02:000", "2026-04-01T12:34:56+24:00",
    "2026-04-01T12:34:56+02:60", "2026-04-01T12:34:56.5", "2026-04-01T12:34:56.+02:00", "2026-04-01T24:00:00Z",
    "2026-04-01T12:60:00Z", "2026-04-01T12:34:61Z", "2026-00-01T12:34:56Z", "2026-13-01T12:34:56Z",
    "2026-04-00T12:34:56Z", "2026-04-31T12:34:56Z", "2026-02-29T12:34:56Z", "1900-02-29T12:34:56Z",
    "2026/04/01T12:34:56Z", "2026-04-01X12:34:56Z", "2026-04-01T12-34-56Z", "+026-04-01T12:34:56Z",
    "2O26-04-01T12:34:56Z", "2026-04-01T1 :34:56Z", "20260401T123456Z0000", "２026-04-01T12:34:56Z",
  ])
  func isRefused(text: String) { #expect(parse(text) == nil) }

  @Test func randomMomentsAgreeWithFoundation() {
    let seed: UInt64 = 7
    var generator = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for _ in 0..<2000 {
      let time = Milliseconds.random(in: Timestamp.earliest...Timestamp.latest, using: &generator)
      let text = Timestamp.text(time)
      #expect(parse(text) == time, "seed \(seed)")
      let moment = Date(timeIntervalSince1970: Double(time - time % 1000) / 1000)
      let c = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: moment)
      let fields = [c.year, c.month, c.day, c.hour, c.minute, c.second].map { $0 ?? -1 }
      let numbers = text.dropLast(5).split { !$0.isNumber }.map { Int($0) ?? -2 }
      #expect(numbers == fields, "seed \(seed): \(time)")
      #expect(text.dropFirst(19) == "." + String("00\(time % 1000)".suffix(3)) + "Z")
    }
  }

  @Test(arguments: [(-1, "1969-12-31T23:59:59.999Z"), (0, "1970-01-01T00:00:00.000Z")])
  func isWritten(time: Milliseconds, text: String) { #expect(Timestamp.text(time) == text) }

  @Test func boundsAreTheDatesTheyNamed() {
    #expect(parse("2008-01-01T00:00:00Z") == Timestamp.earliest)
    #expect(parse("2100-01-01T00:00:00Z") == Timestamp.latest)
    #expect(Timestamp.latest < 1 << 42, "a packed event keeps 42 bits of time")
  }

  @Test(arguments: [
    ("0", 0), ("1775046896000", 1_775_046_896_000), ("999999999999999", 999_999_999_999_999), ("007", 7),
  ])
  func digitsAreRead(text: String, expected: Milliseconds) {
    #expect(Array(text.utf8).withUnsafeBytes(Timestamp.parse(digits:)) == expected)
  }

  @Test(arguments: ["", "-1", "+1", "1.5", "1e3", " 1", "1000000000000000", "12a"])
  func digitsAreRefused(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes(Timestamp.parse(digits:)) == nil)
  }
}
