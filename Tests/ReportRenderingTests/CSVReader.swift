// A plain reader of CSV by RFC 4180: strict about line ends and quotes.

import Testing

enum CSVReader {
  struct Broken: Error { var offset: Int }

  static func records(_ bytes: [UInt8]) throws -> [[String]] {
    var records: [[String]] = []
    var record: [String] = []
    var i = 0
    while i < bytes.count {
      var cell: [UInt8] = []
      if bytes[i] == 0x22 {
        i += 1
        while true {
          guard i < bytes.count else { throw Broken(offset: i) }
          if bytes[i] == 0x22 {
            i += 1
            guard i < bytes.count, bytes[i] == 0x22 else { break }
          }
          cell.append(bytes[i])
          i += 1
        }
      } else {
        while i < bytes.count, bytes[i] != 0x2C, bytes[i] != 0x0D {
          guard bytes[i] != 0x22, bytes[i] != 0x0A else { throw Broken(offset: i) }
          cell.append(bytes[i])
          i += 1
        }
      }
      record.append(String(decoding: cell, as: UTF8.self))
      guard i < bytes.count else { throw Broken(offset: i) }
      if bytes[i] == 0x2C {
        i += 1
        // A comma is never the last byte.
        guard i < bytes.count else { throw Broken(offset: i) }
        if bytes[i] == 0x0D { record.append("") } else { continue }
      }
      guard bytes[i] == 0x0D, i + 1 < bytes.count, bytes[i + 1] == 0x0A else { throw Broken(offset: i) }
      i += 2
      records.append(record)
      record = []
    }
    return records
  }
}
