// The rates that others published: each is read, has a source and a denominator, and stands beside its figure with its age.

import CReferences
import Foundation
import PermissionEvents
import ReportRendering
import Testing

@testable import Permlog

@Suite struct PublishedRatesTests {
  @Test func everyOneOfTheFileIsRead() throws {
    let bytes = Data(UnsafeBufferPointer(start: crf_references(), count: crf_length()))
    let file = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(file["schema"] as? String == "permlog.references/1")
    let items = try #require(file["references"] as? [[String: Any]])
    #expect(items.count == PublishedRates.all.count && !items.isEmpty)
    for (item, read) in zip(items, PublishedRates.all) {
      #expect(item["source"] as? String == read.source && item["denominator"] as? String == read.denominator)
      #expect(item["figure"] as? String == read.figure.rawValue && item["permission"] as? String == read.permission)
      #expect(item["apps"] as? Int == read.apps && item["users"] as? String == read.users)
      #expect(read.isMedian == (item["statistic"] as? String == "median"))
      #expect(read.address.hasPrefix("https://") && !read.source.isEmpty && read.denominator.hasPrefix("of "))
      #expect(read.published.wholeMatch(of: /20[0-9]{2}(-(0[1-9]|1[0-2]))?/) != nil, "\(read.published)")
      let rates = try #require(item["rates"] as? [[String: Any]])
      #expect(rates.count == read.rates.count && !rates.isEmpty)
      for (rate, found) in zip(rates, read.rates) {
        #expect(rate["percent"] as? Double == found.percent && (1...99).contains(found.percent))
        #expect(rate["platform"] as? String == found.platform && ["ios", "android"].contains(found.platform))
        #expect(rate["vertical"] as? String == found.vertical)
      }
    }
  }

  /// A log of two permissions with a report of 1 April 2026.
  private func report() throws -> Report {
    let directory = try TemporaryDirectory()
    let lines = ["notifications", "tracking", "camera"].flatMap { permission in
      [
        Sample.line("u", "prompt_shown", permission: permission, time: "2026-03-30T10:00:00Z"),
        Sample.line("u", "granted", permission: permission, time: "2026-03-30T10:00:09Z"),
      ]
    }
    let log = try PermissionLog(directory.path + "/log")
    try log.ingest([FilePath(try directory.write("a.ndjson", lines.joined()))])
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    return try log.report(request)
  }

  private func text(_ report: Report, _ format: ReportFormat, _ rates: [PublishedRates] = PublishedRates.all) -> String
  {
    String(decoding: report.render(as: format, references: rates), as: UTF8.self)
      .replacing(/\u{A0}|\s+/, with: " ")
  }

  @Test func eachStandsBesideItsFigureWithItsAge() throws {
    let report = try report()
    for format in [ReportFormat.text, .markdown, .html] {
      let with = text(report, format)
      for words in [
        "Published by AppsFlyer in March 2022, 4 years before: iOS 46 %, by vertical 41 % (education) to "
          + "53 % (finance), of those who answered the prompt (4600 apps, 4.9 billion installs).",
        "Published by Batch in July 2025, 9 months before: iOS 56 %; Android 67 %, of the users of the apps (",
        "Published by Airship, quoted by contentbase.com in 2025, 1 year before: medians of apps, iOS by vertical "
          + "20.6 % (games) to 48.7 % (finance); Android by vertical 27.8 % (games) to 49.5 % (finance), of the users",
      ] {
        #expect(with.contains(words), "\(format): \(words)")
      }
      #expect(!text(report, format, []).contains("Published"), "\(format)")
    }
    // Programs have their own numbers alone.
    for format in [ReportFormat.json, .csv] { #expect(!text(report, format).contains("Published")) }
  }

  @Test func whatIsNewerThanTheReportSaysSo() throws {
    var rates = try #require(PublishedRates.all.first { $0.figure == .reach })
    let report = try report()
    for (published, age) in [
      ("2026-05", "in May 2026, after this report"), ("2026-04", "in April 2026, the month of this report"),
      ("2026-03", "in March 2026, 1 month before"), ("2024-04", "in April 2024, 2 years before"),
      ("2026", "in 2026, the year of this report"), ("2027", "in 2027, after this report"),
      ("2024", "in 2024, 2 years before"),
    ] {
      rates.published = published
      #expect(text(report, .text, [rates]).contains(age), "\(published)")
    }
    // Of a permission that the report does not have nothing is said.
    rates.permission = "contacts"
    #expect(!text(report, .text, [rates]).contains("Published"))
  }
}
