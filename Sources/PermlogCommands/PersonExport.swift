// `permlog export --user`: all that a log has of persons.

import Permlog
import ReportRendering

extension ExportCommand {
  func exportPersons() throws {
    if format == .ndjson { throw CommandFailure.usage("--user prints text, html, json or csv, not ndjson") }
    let asked = format.flatMap { PersonFormat(rawValue: $0.rawValue) }
    let format = try FileFormat.choose(asked, result.output, else: PersonFormat.text)
    var protected = log.protectedFiles
    protected.add(erasures.key, "the key of the list of erased users")
    fields.protect(in: &protected)
    let persons = try CommandFailure.wrap {
      var ids = user.map { Array($0.utf8) }
      if let usersFrom { ids += try UserIDFile.named(usersFrom) }
      let key = try UserHashOptions.key(userKeys, besides: log.path)
      let persons = try log.open().personData(of: ids, key: key, erasureKey: erasures.source())
      if format == .html, persons.count != 1 {
        throw CommandFailure.usage("a page is of one person: give one --user, or --format json or csv for several")
      }
      return persons
    }
    let missing = persons.filter { !$0.isFound }
    if !missing.isEmpty { Output.setStatusIfUnread(CommandFailure.holds("").status) }
    let style = appearance.style(toFile: result.output != nil)
    try Output.result(
      persons.render(as: format, log: log.path, style: style), to: result.output, besides: protected)
    guard !missing.isEmpty else { return }
    let names = listed(missing.map { style.legible($0.id) }, most: 20)
    throw CommandFailure.holds("the log has nothing of \(names)")
  }
}
