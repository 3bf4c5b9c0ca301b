// The classes of time and use before a question, under the report's names.

/// The classes of the report's three tables of timing, by number; the last is of those of whom it is not known.
enum TimingClass {
  static let install = ["under_1m", "1m_1h", "1h_1d", "1d_7d", "7d_up", "unknown"]
  static let activeDays = ["0", "1", "2_3", "4_7", "8_up", "unknown"]
  static let features = ["0", "1_2", "3_9", "10_up", "unknown"]

  static func of(activeDays count: Int) -> Int {
    switch count {
    case ...0: 0
    case 1: 1
    case 2...3: 2
    case 4...7: 3
    default: 4
    }
  }

  static func of(features count: Int) -> Int {
    switch count {
    case ...0: 0
    case 1...2: 1
    case 3...9: 2
    default: 3
    }
  }
}
