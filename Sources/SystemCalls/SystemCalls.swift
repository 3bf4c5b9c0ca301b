// The C library under one name on every system, and those of its calls that would be confused with a type's own `read`,
// `write` and `open`.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif

package enum SystemCalls {
  /// Reads into a buffer; a signal that comes between begins it again. Negative for a failure, with its number in `errno`.
  package static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = fromSystem(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  #if canImport(Glibc)
    package static let write = Glibc.write
    private static let fromSystem = Glibc.read
  #else
    package static let write = Darwin.write
    private static let fromSystem = Darwin.read
  #endif
}
