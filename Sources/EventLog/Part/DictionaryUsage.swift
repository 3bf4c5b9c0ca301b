// Which entries of a dictionary the rows of a part use: what no row uses is not written, so that a value
// leaves the log with the last event that has it.

import PermissionEvents

struct DictionaryUsage: Sendable {
  private var contexts: [Bool]
  private var attributes: [Bool]
  private var features: [Bool]

  init(_ dictionary: PartDictionary) {
    contexts = Array(repeating: false, count: dictionary.contexts.count)
    attributes = Array(repeating: false, count: dictionary.attributes.count)
    features = Array(repeating: false, count: dictionary.values[StringField.feature.rawValue].count)
  }

  /// Marks what the rows of a block use. Code 0 is the absent value, which is always there.
  mutating func mark(_ block: BlockEncoder) {
    for i in 0..<block.contexts.count { contexts[Int(block.contexts.pointer[i])] = true }
    for i in 0..<block.attributes.count { attributes[Int(block.attributes.pointer[i])] = true }
    for i in 0..<block.features.count { features[Int(block.features.pointer[i])] = true }
  }

  /// The dictionary with the same codes, and nothing behind those that are not used.
  func pruned(_ dictionary: PartDictionary) -> PartDictionary {
    var result = dictionary
    for i in contexts.indices where !contexts[i] { result.contexts[i] = .init() }
    for i in attributes.indices where !attributes[i] { result.attributes[i] = .init() }
    var used: [Set<UInt32>] = StringField.allCases.map { _ in [0] }
    for c in result.contexts {
      used[StringField.permission.rawValue].insert(c.permission)
      used[StringField.variant.rawValue].insert(c.variant)
      used[StringField.experiment.rawValue].insert(c.experiment)
      used[StringField.surface.rawValue].insert(c.surface)
    }
    for a in result.attributes {
      used[StringField.appVersion.rawValue].insert(a.appVersion)
      used[StringField.osVersion.rawValue].insert(a.osVersion)
      used[StringField.platform.rawValue].insert(a.platform)
      used[StringField.locale.rawValue].insert(a.locale)
      used[StringField.country.rawValue].insert(a.country)
    }
    for i in features.indices where features[i] { used[StringField.feature.rawValue].insert(UInt32(i)) }
    for field in StringField.allCases {
      let fixed = field == .permission ? PermissionCode.taxonomy.count : 0
      for i in result.values[field.rawValue].indices where i > fixed && !used[field.rawValue].contains(UInt32(i)) {
        result.values[field.rawValue][i] = []
      }
    }
    return result
  }
}
