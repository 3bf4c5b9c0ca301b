// Descriptors 0, 1 and 2 if they are closed when the process starts. The next files that are opened would get these numbers, and
// a message would be written into a log.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum StandardStreams {
  /// Called before any other file is opened. What takes the place of a closed stream fails as that would: standard input
  /// cannot be read, and the others not written.
  static func open() {
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
      guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
      // The lowest number that is free, which is this one.
      _ = null(mode)
    }
  }

  private static func null(_ mode: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open("/dev/null", mode)
    #else
      Darwin.open("/dev/null", mode)
    #endif
  }
}
