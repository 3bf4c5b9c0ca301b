// How a directory is told to be a log of this tool: by the head of its manifest, as an import knows nothing else of logs.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package enum LogMark {
  /// The file that every log has.
  package static let fileName = "manifest"
  /// How to open it: a pipe of that name must not stop anybody who does.
  package static let openFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
  private static let head = Array("permlog-manifest".utf8)

  /// True for a manifest.
  /// - Parameter descriptor: of a file of that name; closed here. Negative if there is none.
  package static func isManifest(closing descriptor: Int32) -> Bool {
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    var start = [UInt8](repeating: 0, count: head.count)
    return read(descriptor, &start, head.count) == head.count && start == head
  }
}
