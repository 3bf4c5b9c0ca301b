// The built tool on one table as spreadsheets and warehouses write it: each form gives the same log.

import Foundation
import Testing

@Suite struct SpreadsheetTests {
  private static let rows = [
    ["user_id", "timestamp", "event", "permission", "variant", "note"],
    ["u1", "2026-03-02T10:00:00Z", "prompt_shown", "camera", "Grün", "\"two\nlines\""],
    ["u1", "2026-03-02T10:00:03Z", "granted", "camera", "Grün", ""],
    ["u2", "2026-03-03T10:00:00Z", "denied", "camera", "", "x"],
  ]

  private func table(_ delimiter: String = ",", end: String = "\n", trailing: String = "") -> String {
    Self.rows.map { $0.joined(separator: delimiter) + trailing + end }.joined()
  }

  private func export(_ data: Data, _ name: String) throws -> (csv: String, errors: String) {
    let workspace = try Workspace()
    try data.write(to: workspace.url.appendingPathComponent(name))
    let result = try Tool.run(["ingest", workspace.path(name), "--log", workspace.path("log"), "--strict"])
    #expect(result.status == 0, "\(name): \(result.errors)")
    return (try Tool.run(["export", "--format", "csv", "--log", workspace.path("log")]).text, result.errors)
  }

  @Test func everyFormGivesTheSameLog() throws {
    let plain = try export(Data(table().utf8), "plain.csv").csv
    #expect(plain.split(whereSeparator: \.isNewline).count == 4 && plain.contains("Grün"), "\(plain)")
    let spelled = table().replacing("user_id", with: " User ID ").replacing("timestamp", with: "TIMESTAMP")
    let twice = table() + "User_Id,Timestamp,Event,Permission,Variant,Note\n"
    let forms: [(String, String)] = [
      ("semicolons.csv", table(";")), ("tabs.tsv", table("\t")), ("bars.txt", table("|")),
      ("windows.csv", table(end: "\r\n")), ("mac.csv", table(end: "\r")), ("mark.csv", "\u{FEFF}" + table()),
      ("trailing.csv", table(trailing: ",,") + ",,,,,,,\n"), ("spelled.csv", spelled), ("twice.csv", twice),
      ("sep.csv", "sep=;\r\n" + table(";", end: "\r\n")),
    ]
    for (name, text) in forms { #expect(try export(Data(text.utf8), name).csv == plain, "\(name)") }
    let encodings: [(String, String.Encoding)] = [
      ("little.txt", .utf16LittleEndian), ("big.txt", .utf16BigEndian), ("latin.csv", .windowsCP1252),
    ]
    for (name, encoding) in encodings {
      let data = try #require(table("\t", end: "\r\n").data(using: encoding))
      let (csv, errors) = try export(data, name)
      #expect(csv == plain, "\(name)")
      #expect(errors.contains("read as \(name == "latin.csv" ? "Windows-1252" : "UTF-16") text: "), "\(errors)")
    }
  }

  @Test func aSecondHeadingIsRefusedWithItsLine() throws {
    let workspace = try Workspace()
    let path = try workspace.write("two.csv", table() + "event,user_id,timestamp\ngranted,u3,2026-03-03T10:00:00Z\n")
    let result = try Tool.run(["ingest", path, "--log", workspace.path("log")])
    #expect(result.status == 2)
    #expect(result.errors.contains("two.csv, line 6: a second heading with other columns; split the file there"))
  }

  @Test func aStrayQuoteCostsItsLine() throws {
    let workspace = try Workspace()
    let rows = ["u3,2026-03-03T10:00:00Z,denied,camera,\"A,", "u4,2026-03-03T10:00:00Z,denied,camera,A,"]
    let text = table() + rows.joined(separator: "\n") + "\n"
    let path = try workspace.write("quote.csv", text)
    let result = try Tool.run(["ingest", path, "--log", workspace.path("log")])
    #expect(result.status == 0)
    #expect(result.errors.contains("quote.csv:6: a quoted cell is not closed"), "\(result.errors)")
    #expect((result.text + result.errors).contains("read       5 lines"), "\(result.text)")
  }
}
