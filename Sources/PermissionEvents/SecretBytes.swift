// What the bytes of a key file must be, whatever the key is for.

public enum SecretBytes {
  /// Fewer could be guessed.
  public static let lengths = 16...4096

  /// What is wrong with the bytes of a key; nil if they can be one.
  public static func fault(of bytes: [UInt8]) -> String? {
    guard lengths.contains(bytes.count) else {
      let count = bytes.count > lengths.upperBound ? "more than \(lengths.upperBound)" : "\(bytes.count)"
      return "the key has \(count) bytes; it must have \(lengths.lowerBound) to \(lengths.upperBound)"
    }
    // What a loss of power can leave of a file, and everybody's first guess.
    guard bytes.contains(where: { $0 != 0 }) else { return "the key has zeros alone" }
    return nil
  }
}
