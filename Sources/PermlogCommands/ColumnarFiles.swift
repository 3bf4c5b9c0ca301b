// Files of columns (Parquet, Feather, ORC) are read by the Python package, which hands the tool their rows.

import Permlog
import SystemCalls

enum ColumnarFiles {
  private static let marks = ["PAR1", "ARROW1", "ORC"].map { Array($0.utf8) }
  /// In the environment of a tool that the package has called: it hands nothing over again.
  private static let mark = "PERMLOG_HANDED_OVER"

  /// Becomes `python3 -m permlog` with this tool's own arguments, if one of the files is one of columns and the package of this version is
  /// installed, with pyarrow. Returns otherwise: then reading the file says what to do.
  static func handOver(_ paths: [FilePath]) {
    guard getenv(mark) == nil, paths.contains(where: { isColumnar($0) }), let tool = ownPath,
      let python = interpreters(beside: tool).first(where: { hasPackage($0) })
    else { return }
    setenv("PERMLOG_TOOL", tool, 1)
    setenv(mark, "1", 1)
    let words: [String] = [python, "-m", "permlog"]
    var arguments = words.map { strdup($0) }
    // As they are: a name need not be text.
    for index in 1..<max(1, Int(CommandLine.argc)) { arguments.append(CommandLine.unsafeArgv[index]) }
    arguments.append(nil)
    execvp(python, &arguments)
  }

  private static func isColumnar(_ path: FilePath) -> Bool {
    var status = stat()
    // Whoever opens a pipe takes what was meant for the ingest.
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { return false }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 8)
    guard pread(file, &head, head.count, 0) == head.count else { return false }
    return marks.contains { head.starts(with: $0) }
  }

  /// Nil where the system does not tell: then the package looks for its own tool.
  private static var ownPath: String? {
    var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = text.withUnsafeMutableBytes { memory in
      memory.baseAddress.map { readlink("/proc/self/exe", $0, memory.count) } ?? -1
    }
    // As it is: the path of this program.
    return count > 0 ? String(validating: text.prefix(count), as: UTF8.self) : nil
  }

  /// The interpreter of the environment that the tool is in comes first.
  private static func interpreters(beside tool: String) -> [String] {
    let folder = tool.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let own = folder + "/python3"
    return (access(own, X_OK) == 0 ? [own] : []) + ["python3"]
  }

  private static func hasPackage(_ python: String) -> Bool {
    let script =
      "import sys, pyarrow, permlog; sys.exit(permlog.__version__ != '\(PermlogVersion.text)')"
    let words: [String] = [python, "-c", script]
    var arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
    }
    var process = pid_t()
    guard posix_spawnp(&process, python, &actions, nil, arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
    return status == 0
  }
}
