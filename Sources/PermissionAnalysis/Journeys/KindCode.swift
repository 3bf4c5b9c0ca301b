// The raw values of `EventKind` as constants of this module, so that the fold compares numbers and calls
// nothing. A test holds them to the vocabulary.

enum KindCode {
  static let explanationShown: UInt8 = 0
  static let promptShown: UInt8 = 1
  static let granted: UInt8 = 2
  static let denied: UInt8 = 3
  static let skipped: UInt8 = 4
  static let settingsPromptShown: UInt8 = 5
  static let settingsOpened: UInt8 = 6
  static let reEnabled: UInt8 = 7
  static let revoked: UInt8 = 8
  static let statusChecked: UInt8 = 9
  static let featureUsed: UInt8 = 10
  static let appActive: UInt8 = 11
  static let appInstalled: UInt8 = 12

  static let count: UInt8 = 13
}
