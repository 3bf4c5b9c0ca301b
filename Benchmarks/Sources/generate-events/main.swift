// generate-events: canonical NDJSON for benchmarks on standard output, the same bytes for the same arguments.

import EventGenerator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

let usage = """
  usage: generate-events --events N [--users N] [--seed N] > FILE

  Writes N lines of canonical NDJSON: events of 343 days from 2025-01-06, about 26 a user, 0.4 % exact copies.

    --events N   number of lines, copies included
    --users N    number of users (default: 3 for every 80 lines)
    --seed N     seed (default: 1)

  """

func report(_ text: String) {
  // If standard error is closed there is nobody left to tell.
  try? Array(text.utf8).withUnsafeBytes { try writeAll($0, to: STDERR_FILENO) }
}

var numbers: [String: Int] = ["--seed": 1]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  if name == "--help" || name == "-h" {
    print(usage, terminator: "")
    exit(0)
  }
  guard ["--events", "--users", "--seed"].contains(name) else {
    report("generate-events: unknown argument \(name)\n\n\(usage)")
    exit(64)
  }
  guard let value = arguments.popFirst(), let number = Int(value), number >= 0, number <= 4_000_000_000 else {
    report("generate-events: \(name) needs a number from 0 to 4000000000\n\n\(usage)")
    exit(64)
  }
  numbers[name] = number
}
guard let events = numbers["--events"] else {
  report("generate-events: --events is missing\n\n\(usage)")
  exit(64)
}

signal(SIGPIPE, SIG_IGN)
let generator = EventGenerator(events: events, users: numbers["--users"], seed: UInt64(numbers["--seed"] ?? 1))
do {
  let summary = try generator.run { try writeAll($0, to: STDOUT_FILENO) }
  report("\(summary.lines) lines, \(summary.users) users, \(summary.duplicates) copies\n")
} catch let error as WriteError {
  // The reader has had enough, as `head` does: that is no failure.
  if error.code == EPIPE { exit(0) }
  report("generate-events: writing to standard output failed: \(String(cString: strerror(error.code)))\n")
  exit(1)
}
