// An open file descriptor that closes itself, with the two ways of reading: at an offset and onward.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open input file; the last owner's end closes it.
final class InputFile: Sendable {
  let path: String
  let descriptor: Int32
  /// Size at opening, in bytes; nil where it is no regular file.
  let size: Int?

  init(_ input: InputPath) throws(ImportError) {
    path = input.path
    if input.isStandardInput {
      descriptor = 0
      size = nil
      return
    }
    var opened: Int32
    repeat { opened = open(input.path, O_RDONLY | O_CLOEXEC) } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .cannotOpen(input.path, errno) }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let number = errno
      close(opened)
      throw .cannotOpen(input.path, number)
    }
    descriptor = opened
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  deinit {
    if descriptor != 0 { close(descriptor) }
  }

  /// Reads on from where the file stands; 0 at its end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw .cannotRead(path, errno) }
    }
  }

  /// Fills the buffer from an offset; fewer bytes only at the end of the file.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = pread(descriptor, base + filled, buffer.count - filled, off_t(offset + filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .cannotRead(path, errno)
      }
    }
    return filled
  }
}
