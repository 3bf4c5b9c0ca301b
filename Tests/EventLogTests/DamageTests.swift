// Every flipped bit and every truncation of every file of a log is found.

import Foundation
import Testing

@testable import EventLog

@Suite struct DamageTests {
  private func makeLog() throws -> TestLog {
    var numbers = SeededNumbers(seed: 1)
    let log = try TestLog()
    try log.ingest(numbers.events(60, users: 12, ids: 1000))
    return log
  }

  @Test func everyFlippedBitIsFound() throws {
    let log = try makeLog()
    var flips = 0
    for name in ["part-0000000000000001", "manifest"] {
      let url = URL(fileURLWithPath: log.path + "/" + name)
      let whole = try Data(contentsOf: url)
      for byte in whole.indices {
        for bit in 0..<8 {
          var torn = whole
          torn[byte] ^= 1 << UInt8(bit)
          try torn.write(to: url)
          let verification = try? log.directory.verify()
          #expect(verification?.damage.isEmpty == false, "\(name), byte \(byte), bit \(bit)")
          flips += 1
        }
      }
      try whole.write(to: url)
    }
    #expect(try log.directory.verify().damage.isEmpty)
    print("bit flips: \(flips), all found")
  }

  @Test func everyTruncationIsFoundAndNothingIsReadFromIt() throws {
    let log = try makeLog()
    for name in ["part-0000000000000001", "manifest"] {
      let url = URL(fileURLWithPath: log.path + "/" + name)
      let whole = try Data(contentsOf: url)
      for length in 0..<whole.count {
        try whole.prefix(length).write(to: url)
        #expect(try log.directory.verify().damage.isEmpty == false, "\(name) cut to \(length)")
        #expect(throws: LogError.self) { try log.events() }
      }
      try (whole + Data([0])).write(to: url)
      #expect(try log.directory.verify().damage.isEmpty == false, "\(name) with a byte more")
      try whole.write(to: url)
    }
  }

  @Test func aPartUnderAnotherNameIsFound() throws {
    var numbers = SeededNumbers(seed: 2)
    let log = try TestLog()
    try log.ingest(numbers.events(50, users: 5, ids: 1000))
    try log.ingest(numbers.events(50, users: 5, ids: 1000))
    let names = try log.names().filter { $0.hasPrefix("part-") }.map { URL(fileURLWithPath: log.path + "/" + $0) }
    #expect(names.count == 2)
    let contents = try names.map { try Data(contentsOf: $0) }
    try contents[1].write(to: names[0])
    try contents[0].write(to: names[1])
    #expect(try log.directory.verify().damage.count == 2)
  }

  @Test func aNewerFormatIsRefusedWithASentence() throws {
    let log = try makeLog()
    let text = "permlog-manifest 2\nsomething new\n"
    let checksum = String(Checksum.of(Array(text.utf8), seed: 0), radix: 16)
    let padded = String(repeating: "0", count: 16 - checksum.count) + checksum
    try Data((text + "checksum \(padded)\n").utf8).write(to: URL(fileURLWithPath: log.path + "/manifest"))
    do {
      _ = try log.directory.readManifest()
      Issue.record("a newer manifest was read")
    } catch let error as LogError {
      #expect(error.code == .newerFormat && error.message.contains("newer"))
    }
  }
}
