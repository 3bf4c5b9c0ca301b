// The checksum of a file that is not the log's: whether it still has the bytes that were read.

import EventLog
import PermissionEvents
import SystemCalls
import Threads

/// XXH3 of the XXH3 of each 4 MiB, so that several threads can share the work of one file.
enum FileChecksum {
  private static let piece = 1 << 22

  /// - Parameter files: paths, and their sizes.
  /// - Returns: for each the checksum; nil if it cannot be read, or has another size.
  static func of(_ files: [(path: FilePath, size: Int)], threads: Int) -> [UInt64?] {
    let pieces = files.indices.flatMap { file in
      (0..<max(1, (files[file].size + piece - 1) / piece)).map { (file: file, number: $0) }
    }
    let hashes = Mutex([UInt64?](repeating: nil, count: pieces.count))
    let tasks = Workers.Tasks(count: pieces.count)
    Workers.run(threads: min(threads, pieces.count)) { _ in
      while let task = tasks.claim() {
        let (file, number) = pieces[task]
        let hash = hash(files[file].path, files[file].size, number)
        hashes.withLock { $0[task] = hash }
      }
    }
    var sums: [[UInt64]?] = Array(repeating: [], count: files.count)
    for (place, hash) in zip(pieces, hashes.withLock { $0 }) {
      sums[place.file] = hash.flatMap { hash in sums[place.file].map { $0 + [hash] } }
    }
    return sums.map { $0.map { hashes in hashes.withUnsafeBytes { Checksum.of($0, seed: 0) } } }
  }

  /// Of one piece; nil if it is not there as a whole, or the file has a different size.
  private static func hash(_ path: FilePath, _ size: Int, _ number: Int) -> UInt64? {
    var descriptor: Int32
    repeat {
      descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int(status.st_size) == size else { return nil }
    let start = number * piece
    let count = min(piece, size - start)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let n = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(start + filled))
        if n > 0 { filled += n } else if n == 0 || errno != EINTR { break }
      }
    }
    return bytes.count == count ? Checksum.of(bytes, seed: UInt64(number)) : nil
  }
}
