// A number of bytes on the command line: 500kB, 100MB, 1GB.

import ArgumentParser

struct ByteSize: ExpressibleByArgument, CustomStringConvertible {
  var bytes: Int

  private static let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1)]

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let text = argument.lowercased()
    guard let (name, unit) = Self.units.first(where: { text.hasSuffix($0.0.lowercased()) }),
      let number = Int(text.dropLast(name.count)), number >= 0
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  var description: String {
    guard bytes > 0, let (name, unit) = Self.units.first(where: { bytes % $0.1 == 0 }) else { return "\(bytes)B" }
    return "\(bytes / unit)\(name)"
  }

  var defaultValueDescription: String { description }
}
