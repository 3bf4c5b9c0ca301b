// Tells a page, a batch or an answer of an interface from a line: an object one of whose members is an array of records.

/// Goes through JSON text byte by byte and knows whether it is inside of an array of records.
struct EnvelopeWalk {
  /// Members that hold the records.
  static let keys: [[UInt8]] = ["batch", "records", "events", "results", "data", "rows", "items"].map { Array($0.utf8) }

  /// The member with the records of the object that begins here, as far as can be seen; nil if it has none.
  static func member(_ bytes: ArraySlice<UInt8>) -> String? {
    var walk = EnvelopeWalk()
    for byte in bytes {
      walk.step(byte)
      if walk.isInside { return String(decoding: walk.key, as: UTF8.self) }
      if walk.endedDocument { return nil }
    }
    return nil
  }

  private enum Place {
    /// Between documents.
    case outside
    /// In an object that may have an array of records.
    case object
    /// In the array, at this depth.
    case records
  }

  private var place = Place.outside
  /// Brackets open in the document; records lie one above the array's own.
  private var depth = 0
  private var arrayDepth = 0
  /// Inside of a string of a record or around it.
  private(set) var isInString = false
  private var isEscaped = false
  /// The last string at the object's first level, and whether a colon followed it.
  private var key: [UInt8] = []
  private var isKeyComplete = false
  private(set) var endedDocument = false
  /// The array ended with the last byte.
  private(set) var endedArray = false

  var isInside: Bool { place == .records }
  var isOutside: Bool { place == .outside }
  /// Brackets open within the record under way.
  var recordDepth: Int { depth - arrayDepth }

  /// True if bytes of the record under way that mean nothing here may be passed over without `step`.
  var mayPassOver: Bool { place == .records && !isEscaped }

  /// Bytes that `step` has to see, by whether a string is open. A comma may end a record, a line end may not stay.
  @inline(__always)
  static func isTelling(_ byte: UInt8, inString: Bool) -> Bool {
    if inString { return byte == 0x22 || byte == 0x5C || byte < 0x20 }
    switch byte {
    case 0x22, 0x2C, 0x5B, 0x5D, 0x7B, 0x7D: return true
    default: return byte < 0x20
    }
  }

  private static let maximumKey = 16

  mutating func step(_ byte: UInt8) {
    endedDocument = false
    endedArray = false
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      if isInString, place == .object, depth == 1, key.count < Self.maximumKey { key.append(byte) }
      return
    }
    switch byte {
    case 0x22:
      isInString = true
      if place == .object, depth == 1 {
        key.removeAll(keepingCapacity: true)
        isKeyComplete = false
      }
    case 0x3A: isKeyComplete = true
    case 0x7B, 0x5B:
      if place == .outside {
        place = byte == 0x7B ? .object : .records
        arrayDepth = 1
      } else if place == .object, depth == 1, byte == 0x5B, isKeyComplete, Self.keys.contains(key) {
        place = .records
        arrayDepth = 2
      }
      isKeyComplete = false
      depth &+= 1
    case 0x7D, 0x5D:
      if depth > 0 { depth &-= 1 }
      if place == .records, depth < arrayDepth {
        place = depth == 0 ? .outside : .object
        endedArray = true
      }
      if depth == 0 {
        if place == .object { place = .outside }
        endedDocument = true
      }
    default: break
    }
  }
}
