// The name of a file that is being written: hidden, so that no ingest of its directory takes it, and taken away if a signal
// ends the process. What is left by a power cut or SIGKILL says by its name what it is.

import CUnfinishedFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new file beside a place: `.report.html.permlog-unfinished-k3xq81zz`.
struct UnfinishedFile {
  let place: FilePlace
  private let name: [CChar]
  private let number: Int32

  /// - Returns: the file, and its descriptor, open for writing.
  static func make(beside place: FilePlace, path: String) throws(SystemError) -> (UnfinishedFile, Int32) {
    while true {
      let name = makeName(place.name)
      // Before it is there: a signal may come at any moment.
      let number = cuf_add(place.directory, name)
      let descriptor = openat(place.directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return (UnfinishedFile(place: place, name: name, number: number), descriptor) }
      let error = errno
      cuf_remove(number)
      if error != EEXIST && error != EINTR { throw SystemError(operation: "write", path: path, number: error) }
    }
  }

  private static func makeName(_ name: [CChar]) -> [CChar] {
    // Room for the rest in 255 bytes, and no character cut in two.
    var head = name.dropLast().prefix(200)
    if name.count > 201 {
      while let last = head.last, last < 0 {
        head.removeLast()
        // The first byte of a character: the character is gone.
        if UInt8(bitPattern: last) >= 0xC0 { break }
      }
    }
    let letters = (0..<8).map { _ in CChar.random(in: 0x61...0x7A) }
    return [0x2E] + head + ".permlog-unfinished-".utf8.map { CChar(bitPattern: $0) } + letters + [0]
  }

  /// Gives it its name.
  /// - Returns: false if a file has the name and is not to be replaced.
  func put(replaces: Bool) throws(SystemError) -> Bool {
    let directory = place.directory
    if !replaces {
      if linkat(directory, name, directory, place.name, 0) == 0 {
        remove()
        return true
      }
      // Some file systems have no hard links.
      if errno == EEXIST || place.status != nil { return false }
    }
    guard renameat(directory, name, directory, place.name) == 0 else {
      throw SystemError(operation: "write", path: "", number: errno)
    }
    cuf_remove(number)
    return true
  }

  /// Takes it away.
  func remove() {
    unlinkat(place.directory, name, 0)
    cuf_remove(number)
  }
}
