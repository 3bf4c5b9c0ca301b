// Text in another encoding as UTF-8, by iconv of the C library, a piece at a time.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Converts what its source gives to UTF-8. What is no text in that encoding is an error, never left out.
final class EncodedSource: ByteSource {
  private static let inputSize = 1 << 16
  /// No byte becomes more than three, and no pair of bytes more than four.
  private static let outputSize = 3 * inputSize + 16

  private let source: any ByteSource
  private let encoding: TextEncoding
  private let name: String
  private let descriptor: iconv_t
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: EncodedSource.inputSize, alignment: 16)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: EncodedSource.outputSize, alignment: 16)
  /// The beginning of a character whose end has not been read, at the input's front.
  private var carried = 0
  /// Bytes of the source that became text.
  private var converted = 0
  private var given = 0
  private var available = 0
  /// An error behind text that is given out first.
  private var failure: ImportError?

  init(_ source: any ByteSource, encoding: TextEncoding, name: String) throws(ImportError) {
    let opened = iconv_open("UTF-8", encoding.rawValue)
    guard let opened, Int(bitPattern: opened) != -1 else { throw .noConversion(name, encoding) }
    descriptor = opened
    self.source = source
    self.encoding = encoding
    self.name = name
  }

  deinit {
    iconv_close(descriptor)
    input.deallocate()
    output.deallocate()
  }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while given == available {
      if let failure { throw failure }
      if try !refill() { return 0 }
    }
    let count = min(buffer.count, available - given)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: output[given..<given + count]))
    given += count
    return count
  }

  /// A character of UTF-8 further down: what was taken for Windows-1252 by its head is none, and ids would be other ids.
  private func hasUTF8(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    // An accented letter of UTF-8 begins with 0xC3; in Windows-1252 that is `Ã` before a sign, which no word has.
    bytes.indices.dropLast().contains { bytes[$0] == 0xC3 && bytes[$0 + 1] & 0xC0 == 0x80 }
  }

  /// Converts the next piece; false at the end.
  private func refill() throws(ImportError) -> Bool {
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: input[carried...]))
    if count == 0 {
      if carried > 0 { throw .notText(name, encoding, offset: converted + carried, isTorn: true) }
      return false
    }
    if encoding == .windows1252, hasUTF8(input[..<(carried + count)]) {
      failure = .mixedText(name)
      carried = 0
      (given, available) = (0, 0)
      return true
    }
    var left = carried + count
    let total = left
    var room = output.count
    var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
    var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    // The C library's size -1 says that it stopped before the end.
    let result = iconv(descriptor, &from, &left, &to, &room)
    let error = errno
    given = 0
    available = output.count - room
    converted += total - left
    if result == -1, error != EINVAL {
      failure = .notText(name, encoding, offset: converted + 1, isTorn: false)
      carried = 0
      return true
    }
    carried = left
    if left > 0, let base = input.baseAddress { base.copyMemory(from: base + (total - left), byteCount: left) }
    return true
  }
}
