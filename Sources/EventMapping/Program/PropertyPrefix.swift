// Columns that are properties by their name: `properties.granted`, `event_properties_result`, `context_app_version`. Flattened
// records and tables of warehouses have them.

package enum PropertyPrefix {
  /// Objects of properties whose name may be before a point; those of a user are states and no answers.
  private static let any: Set<String> = [
    "properties", "props", "eventproperties", "eventprops", "eventparams", "eventparameters", "params", "parameters",
    "attributes", "attrs", "context", "data", "payload", "details", "metadata", "extra", "custom", "message",
  ]
  /// Those that may be before an underscore or a blank, where others are part of a name: `data_source`.
  private static let joined: Set<String> = [
    "properties", "props", "eventproperties", "eventprops", "eventparams", "params", "context",
  ]

  /// The name of the property alone; nil if the column's name has no object before it.
  package static func ownName(_ column: String) -> String? {
    let bytes = Array(column.utf8)
    var squashed: [UInt8] = []
    var own: Int?
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x2E, 0x2F, 0x3A, 0x5F, 0x20:
        let name = String(decoding: squashed, as: UTF8.self)
        let isObject = byte == 0x5F || byte == 0x20 ? joined.contains(name) : any.contains(name)
        if isObject, index + 1 < bytes.count { own = index + 1 }
      case 0x41...0x5A: squashed.append(byte | 0x20)
      case 0x2D: break
      default: squashed.append(byte)
      }
    }
    return own.map { String(decoding: bytes[$0...], as: UTF8.self) }
  }
}
