// The values of a property by what they lost, as a table of its own: a value a line, in the order of the ranking.

import PermissionAnalysis

enum ValuesCSV {
  private static let columns = [
    "permission", "property", "value", "base", "granted", "rate", "low", "high", "lost_grants", "best", "chi_square",
    "df", "p_value", "time_zone",
  ]

  /// Every value has its line; no value, and numbers that are not known, are empty.
  static func write(_ report: Report, to sink: ([UInt8]) throws -> Void) rethrows {
    let isOfTwo = report.properties.count > 1
    let columns = columns + (isOfTwo ? ["property_2", "value_2"] : [])
    var out = Array((columns.joined(separator: ",") + "\r\n").utf8)
    for ranking in report.rankings {
      let test = ranking.test.result
      for number in 0..<ranking.count {
        let value = ranking[number]
        for text in [ranking.permission, value.by.first?.property.name ?? "", value.by.first?.value ?? ""] {
          CSVText.writeHarmless(Array(text.utf8), into: &out)
          out.append(0x2C)
        }
        out += "\(value.base),\(value.granted)".utf8
        for number in [value.rate?.value, value.rate?.low, value.rate?.high, value.lostGrants] {
          out.append(0x2C)
          if let number { out += NumberText.exact(number).utf8 }
        }
        out += value.isBest ? ",true".utf8 : ",false".utf8
        for number in [test?.statistic, test.map { Double($0.degreesOfFreedom) }, test?.pValue] {
          out.append(0x2C)
          if let number { out += NumberText.exact(number).utf8 }
        }
        out.append(0x2C)
        CSVText.write(Array(report.timeZone.utf8), into: &out)
        for text in isOfTwo ? value.by.dropFirst().flatMap({ [$0.property.name, $0.value ?? ""] }) : [] {
          out.append(0x2C)
          CSVText.writeHarmless(Array(text.utf8), into: &out)
        }
        out += [0x0D, 0x0A]
        if out.count > 1 << 18 {
          try sink(out)
          out.removeAll(keepingCapacity: true)
        }
      }
    }
    try sink(out)
  }
}
