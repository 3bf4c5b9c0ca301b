// The system calls that the log makes, as a protocol, so that tests can let any of them fail.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A failed system call.
package struct FileError: Error, Sendable {
  package let operation: String
  package let path: String
  package let errorNumber: Int32
  /// What was found under a name of the log that should lead to a plain file; nil if that is not what is wrong.
  package let found: String?

  package init(operation: String, path: String, errorNumber: Int32, found: String? = nil) {
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
    self.found = found
  }
}

extension FileError {
  var isMissingFile: Bool { errorNumber == ENOENT }
  var isExistingFile: Bool { errorNumber == EEXIST }

  /// True if the place of a file does not let it be synchronised, and not the disk fails.
  var isOfThePlace: Bool { [EINVAL, ENOTSUP, EROFS, EACCES, EPERM].contains(errorNumber) }

  /// True if the file system has no locks, or gives none.
  var isOfLocks: Bool { operation == "lock" && [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errorNumber) }

  /// True if one file is bad and the others need not be: a failing disk, another kind of file under its name.
  var isOfTheFile: Bool { found != nil || [EIO, EISDIR, ELOOP, ENOTDIR].contains(errorNumber) }

  /// The system's words, or what was found.
  var reason: String { found.map { "it is \($0)" } ?? String(cString: strerror(errorNumber)) }

  /// The sentence for a person: what failed, where, and what to do.
  package var sentence: String {
    if let found {
      return "cannot \(operation) \(path): it is \(found), and each file of a log is a plain file of its own. "
        + "Put the file itself there. If it is the lock, remove it: the next writer makes one."
    }
    if isOfLocks {
      return
        "cannot lock \(path): \(reason). The file system of the log gives no locks: put the log on a local disk, or mount "
        + "its file system with locks."
    }
    let advice =
      switch errorNumber {
      case ENOSPC, EDQUOT: "The disk is full: free some space and try again."
      case EACCES, EPERM, EROFS: "Check who owns the file and its directory, and that they can be written."
      case EMFILE, ENFILE: "Too many files are open: raise `ulimit -n` and try again."
      case ENOENT: "Check the path."
      default: "Check the disk and try again."
      }
    return "cannot \(operation) \(path): \(reason). \(advice)"
  }
}

/// How a file is opened.
package enum OpenMode: Sendable {
  case read
  /// Made new; an error if it exists.
  case create
  /// For the lock: made if it is missing, read and written.
  case readWrite
  /// Made new and without a name that outlives the process.
  case scratch
}

/// The files and directories of a log. Offsets and sizes in bytes. Every call may throw a `FileError`.
package protocol FileSystem: Sendable {
  /// The same files, with all names in a directory looked up in the one that its path leads to now, whatever becomes of the
  /// path. There a name leads to a plain file, or opening it fails: no links are followed, and nothing is waited for.
  func opened(at directory: String) throws -> any FileSystem
  /// True if the path of the directory that was opened still leads to it.
  func isCurrent(_ directory: String) throws -> Bool
  func open(_ path: String, _ mode: OpenMode) throws -> Int32
  func close(_ descriptor: Int32) throws
  func size(_ descriptor: Int32, path: String) throws -> Int
  /// Reads until the buffer is full or the file ends; the number of bytes read.
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, path: String) throws -> Int
  /// Writes all bytes.
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String) throws
  func truncate(_ descriptor: Int32, to size: Int, path: String) throws
  /// Returns when data and size have reached the disk.
  func synchronize(_ descriptor: Int32, path: String) throws
  /// Returns when the names in a directory have reached the disk.
  func synchronizeDirectory(_ path: String) throws
  func rename(_ from: String, to: String) throws
  func remove(_ path: String) throws
  /// Names in a directory, without `.` and `..`, in no order.
  func list(_ directory: String) throws -> [String]
  /// Makes a directory; nothing if there is one. The name is in the directory above.
  /// - Returns: whether it was made.
  @discardableResult
  func makeDirectory(_ path: String) throws -> Bool
  /// Removes a directory that is empty.
  func removeDirectory(_ path: String) throws
  /// False if the name does not lead to the file any more: it was removed or replaced after it had been opened.
  func isNamed(_ descriptor: Int32, path: String) throws -> Bool
  /// True if the file has another name too, maybe elsewhere.
  func isShared(_ descriptor: Int32, path: String) throws -> Bool
  /// Takes the lock of a file for this process; false if another has it.
  func lock(_ descriptor: Int32, path: String) throws -> Bool
}
