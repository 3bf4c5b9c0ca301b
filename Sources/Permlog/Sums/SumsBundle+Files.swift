// Files of sums, read one after the other.

import EventImport
public import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension SumsBundle {
  /// Adds up files of shards of one job, one after the other: the sum and one file are in memory.
  /// - Parameter paths: files, and `-` for standard input, once.
  /// - Throws: as `init(_:name:)` and `add(_:)`; `usage` for no file, `notFound` and `inputOutput` for one that cannot be read.
  public init(paths: [FilePath]) throws(PermlogError) {
    guard let first = paths.first else { throw PermlogError(.usage, "no file of sums is named") }
    guard paths.count(where: { $0.isStandardInput }) <= 1 else {
      throw PermlogError(.usage, "standard input can be read once, and is named several times")
    }
    self = try SumsBundle(SumsInput.read(first), name: first.nameInSentences)
    for path in paths.dropFirst() {
      try add(SumsBundle(SumsInput.read(path), name: path.nameInSentences))
    }
  }

  public init(paths: [String]) throws(PermlogError) { try self.init(paths: paths.map { FilePath($0) }) }
}

extension FilePath {
  fileprivate var isStandardInput: Bool { bytes == [0x2D] }
  fileprivate var nameInSentences: String { isStandardInput ? "standard input" : shown }
}

enum SumsInput {
  /// What bytes are that are no sums, and what to do, if their beginning tells it.
  static func otherContent(_ bytes: [UInt8]) -> String? {
    // gzip, Zstandard, xz, bzip2, ZIP.
    let packed: [[UInt8]] = [
      [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A], [0x42, 0x5A, 0x68], [0x50, 0x4B, 3, 4],
    ]
    if packed.contains(where: bytes.starts) { return "it is packed. Unpack it." }
    if bytes.starts(with: Array(#"{"schema":"permlog.question/"#.utf8)) {
      return "it is a question, and not the sums that answer it. Make sums with it, and name these."
    }
    return nil
  }

  /// Bytes of the largest file that is read.
  static let mostBytes = 1 << 30
  private static let piece = 1 << 20

  /// All bytes of a file of sums, or those up to where it turns out to be none: an endless stream is not read to its end.
  static func read(_ path: FilePath) throws(PermlogError) -> [UInt8] {
    let name = path.nameInSentences
    func failure(_ operation: String) -> PermlogError {
      let error = SystemError(operation: operation, path: name, number: errno)
      return PermlogError(
        error.number == ENOENT ? .notFound : .inputOutput, "\(name): \(error.reason). Name a file that you may read.",
        cause: error)
    }
    let descriptor = path.isStandardInput ? 0 : path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure("open") }
    defer { if descriptor > 0 { close(descriptor) } }
    var bytes: [UInt8] = []
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      bytes.reserveCapacity(min(Int(status.st_size), mostBytes) + 1)
    }
    let magic = Array("permlog-sums ".utf8)
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = posixRead(descriptor, &buffer)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("read")
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      // Whoever reads the bytes says what is wrong with them.
      guard bytes.starts(with: magic.prefix(bytes.count)) else { return bytes }
      guard bytes.count <= mostBytes else {
        throw PermlogError(.limit, "\(name): it is larger than 1 GiB, and no larger sums are read. Ask for less.")
      }
    }
  }

  private static func posixRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, &buffer, buffer.count)
    #else
      Darwin.read(descriptor, &buffer, buffer.count)
    #endif
  }
}
