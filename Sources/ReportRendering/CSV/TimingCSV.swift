// How early people were asked, as a table of its own: a class a line.

import PermissionAnalysis

enum TimingCSV {
  private static let columns = [
    "permission", "classification", "class", "base", "granted", "rate", "low", "high", "trend_p", "time_zone",
  ]
  private static let scales: [(name: String, scale: TimingScale)] = [
    ("by_install", .install), ("by_active_days", .activeDays), ("by_feature_used", .featureUsed),
  ]

  /// Every class has its line; numbers that are not known are empty.
  static func write(_ report: Report, to sink: ([UInt8]) throws -> Void) rethrows {
    var out = Array((columns.joined(separator: ",") + "\r\n").utf8)
    for figures in report.timing {
      for (name, scale) in scales {
        let groups = figures.groups(scale)
        let p = figures.trendPValue(scale)
        for (number, of) in scale.classes.enumerated() {
          let group = groups?[number]
          let rate = group?.rate
          CSVText.writeHarmless(Array(figures.permission.utf8), into: &out)
          out += ",\(name),\(of)".utf8
          for number in [
            group.map { Double($0.base) }, group.map { Double($0.granted) }, rate?.value, rate?.low, rate?.high, p,
          ] {
            out.append(0x2C)
            if let number { out += NumberText.exact(number).utf8 }
          }
          out.append(0x2C)
          CSVText.write(Array(report.timeZone.utf8), into: &out)
          out += [0x0D, 0x0A]
        }
      }
      if out.count > 1 << 18 {
        try sink(out)
        out.removeAll(keepingCapacity: true)
      }
    }
    try sink(out)
  }
}
