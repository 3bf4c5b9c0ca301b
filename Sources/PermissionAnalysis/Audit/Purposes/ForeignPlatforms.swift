// Platforms that read no Info.plist: what an app asks for there says nothing of its keys.

import Buffers
import PermissionEvents

/// By the code of an event's attributes whether its platform is one that Apple did not make.
struct ForeignPlatforms: ~Copyable {
  private let areForeign: Buffer<UInt8>
  /// False if no event of the log can be of one.
  let isThere: Bool

  /// - Parameter selection: with which the walk was begun; it has the platform.
  init(_ selection: HistorySelection, _ contexts: HistoryContexts) {
    var areForeign = Buffer<UInt8>()
    var isThere = false
    if let place = selection.attributes.firstIndex(of: .platform) {
      let names = contexts.attributeValues[place].map(Self.isForeign)
      for values in contexts.attributes {
        let isForeign = names[Int(values[place])]
        areForeign.append(isForeign ? 1 : 0)
        if isForeign { isThere = true }
      }
    }
    self.areForeign = areForeign
    self.isThere = isThere
  }

  func contains(_ attributes: Int) -> Bool { areForeign.count > 0 && areForeign[attributes] != 0 }

  /// Only what is certain: a name that nobody knows may be of the app that was given.
  static func isForeign(_ name: [UInt8]) -> Bool {
    let text = String(decoding: name, as: UTF8.self).lowercased()
    return known.contains { text.hasPrefix($0) }
  }

  private static let known = ["android", "web", "windows", "linux", "javascript", "js", "browser", "chrome", "fire os"]
}
