// Files of an app on a disk, for the tests that read them.

import Foundation

@testable import Permlog

protocol AppFileSuite {
  var directory: TemporaryDirectory { get }
}

extension AppFileSuite {
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = directory.file(name)
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  func plist(_ content: [String: any Sendable], binary: Bool = false) throws -> [UInt8] {
    let format = binary ? PropertyListSerialization.PropertyListFormat.binary : .xml
    return Array(try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0))
  }

  static var source: [String: any Sendable] {
    [
      "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)", "CFBundleDevelopmentRegion": "$(DEVELOPMENT_LANGUAGE)",
      "NSCameraUsageDescription": "Scan receipts with your camera.", "ITSAppUsesNonExemptEncryption": false,
      "UIBackgroundModes": ["location"], "NSBonjourServices": ["_acme._tcp"],
    ]
  }
}
