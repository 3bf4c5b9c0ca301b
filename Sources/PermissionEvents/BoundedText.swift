// Text from outside, bounded so that every operation on it takes time in proportion to its bytes.
//
// Swift compares and hashes Strings by canonical equivalence, and a Character is as long as its combining marks. For that it
// sorts each run of marks by insertion, which takes the square of the run's length: 80,000 marks hold a core for 44 s. A run of 30
// is more than any language writes (Unicode Standard Annex 15, "Stream-Safe Text Format"), so longer runs are broken where bytes
// become a String. From there on `==`, `<`, dictionaries, `hasPrefix`, `split` and all the rest need no care.

package enum BoundedText {
  /// Bytes up to which a text is taken as it is: the longest name of an event in a log. Runs in it are short enough.
  package static let free = StringField.maximumLength
  /// Combining marks in a row in a longer text.
  package static let mostMarks = 30
}

extension String {
  /// Text from outside. Bytes that are not UTF-8 become U+FFFD, and in a text of more than 256 bytes U+FFFD also comes after each
  /// 30 combining marks in a row.
  @inlinable
  package init(bounded bytes: some Collection<UInt8>) {
    self = String(decoding: bytes, as: UTF8.self).bounded
  }

  /// Text from outside that must stay as it is.
  /// - Returns: nil if the bytes are not UTF-8, or are more than 256 and have more than 30 combining marks in a row.
  @inlinable
  package init?(boundedExactly bytes: some Collection<UInt8>) {
    self.init(validating: bytes, as: UTF8.self)
    guard isBounded else { return nil }
  }

  /// The text with its runs of combining marks broken.
  @usableFromInline
  package var bounded: String {
    if isBounded { return self }
    var result = UnicodeScalarView()
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.isCombiningMark ? marks + 1 : 0
      if marks > BoundedText.mostMarks {
        result.append("\u{FFFD}")
        marks = 1
      }
      result.append(scalar)
    }
    return String(result)
  }

  @usableFromInline
  package var isBounded: Bool {
    // The first mark is U+0300, in UTF-8 from 0xCC on.
    guard utf8.count > BoundedText.free, utf8.contains(where: { $0 >= 0xCC }) else { return true }
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.isCombiningMark ? marks + 1 : 0
      if marks > BoundedText.mostMarks { return false }
    }
    return true
  }
}

extension Unicode.Scalar {
  /// All that normal forms reorder are marks, and some marks that they first take apart, like U+0F73.
  fileprivate var isCombiningMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
