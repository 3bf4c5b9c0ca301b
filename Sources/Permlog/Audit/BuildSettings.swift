// One build configuration of an Xcode project.

import PropertyLists

/// Settings by their names, without the condition that a name may end with: `NAME[sdk=iphoneos*]` is a value of `NAME`.
struct BuildSettings {
  /// Of a name: the value without a condition first, then the others in the order of their conditions.
  private var byName: [String: [PropertyList]] = [:]
  /// Further settings are in an `.xcconfig` file.
  let hasFile: Bool

  /// - Returns: nil if it is no object.
  init?(_ object: PropertyList) {
    guard let pairs = object.dictionary else { return nil }
    let settings = pairs["buildSettings"]?.dictionary ?? [:]
    // Xcode 16 names a file in a folder by two keys of its own, which begin with the same words.
    hasFile = pairs.keys.contains { $0.hasPrefix("baseConfigurationReference") }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      byName[String(name.prefix { $0 != "[" }), default: []].append(value)
    }
  }

  var names: [String] { byName.keys.sorted() }

  func values(_ name: String) -> [PropertyList] { byName[name] ?? [] }
}
