// Reads exports into a log and prints the weekly report and the answer to a question of its own: weekly-report LOG FILE…

import Permlog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, arguments.count > 1 else {
  print("usage: weekly-report LOG FILE...")
  exit(64)
}

do {
  let log = try PermissionLog(path)
  let result = try log.ingest(Array(arguments.dropFirst()))
  if let refusal = result.refusal {
    print("Nothing was stored: \(refusal.finding)")
    exit(2)
  }
  print("\(result.stored.new) new events of \(result.read.lines) lines\n")

  var request = ReportRequest()
  request.permission = "notifications"
  print(String(decoding: try log.report(request).render(as: .text), as: UTF8.self))

  let sums = try log.ask { contexts in AskedAgain(contexts: contexts) }
  let (again, denied) = (sums.users["asked_again", of: "notifications"], sums.users["denied", of: "notifications"])
  print("\(again) of \(denied) users who denied notifications were asked again.")
} catch {
  // Any package may say in its own words what its reader can do.
  print(error.explanation.text { remedy in remedy == .fillLog ? ": choose another file." : remedy.advice })
  exit(1)
}
