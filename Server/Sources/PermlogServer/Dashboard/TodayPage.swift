// The first page: what comes in now, what changed, and what needs a decision.

import Foundation
import Permlog

enum TodayPage {
  /// What is computed from the log, kept for as long as it does not change.
  static func analysis(of log: PermissionLog, _ asked: Asked, style: TextStyle) throws -> Markup {
    var page = Markup(idPrefix: "t")
    var request = ReportRequest()
    // The sections that it has do not need them.
    request.hasCharts = false
    let report = try log.report(request)
    report.write([.lead, .attention], style: style, on: &page)
    // Its sentences speak of weeks that are there.
    page.element("p") { page in
      page.text("The weeks, the charts and everything else are in the ")
      page.element("a", ["href": asked.address(.report, query: "")], text: "report")
      page.text(".")
    }
    // Experiments of a log that cannot be compared are no reason to show nothing else.
    let list = Result { try log.experiments() }
    page.section("decisions", "Experiments") { page in
      switch list {
      case .failure(let error): page.prose((error as? PermlogError)?.message ?? "\(error)", ["class": "caution"])
      case .success(let list) where list.experiments.isEmpty:
        page.prose("No screen names an experiment. Messages without one can be compared, too.")
      case .success(let list):
        list.writeVerdicts(style: style, on: &page) { experiment in
          guard experiment.comparison != nil else { return nil }
          return asked.address(.compare, query: query(of: experiment))
        }
      }
    }
    return page
  }

  private static func query(of experiment: ExperimentSummary) -> String {
    var request = ComparisonRequest()
    request.variants = experiment.messages.map(\.variant)
    request.permission = experiment.permission
    request.experiment = experiment.experiment
    request.screen = experiment.screen
    return request.query
  }

  // MARK: Live numbers

  /// The numbers as the page shows them at first, and as a script keeps them.
  struct Live: Sendable, Codable {
    var last_minute: String
    var last_hour: String
    var newest: String
    var newest_time: String
    var waiting: String
    var quarantine: String
  }

  static func write(_ live: Live, _ numbers: LiveFeed.Numbers, on page: inout Markup) {
    page.section("live", "Live") { page in
      page.element("div", ["aria-live": "off"]) { page in
        page.element("ul", ["class": "rates live"]) { page in
          let shown = [
            ("last_minute", "events in the last minute", live.last_minute),
            ("last_hour", "in the last hour", live.last_hour),
            ("newest", "newest event", live.newest), ("waiting", "waits to be read", live.waiting),
            ("quarantine", "in quarantine", live.quarantine),
          ]
          for (name, words, text) in shown {
            page.element("li") { page in
              page.element("span", ["class": "what"], text: words)
              page.element("strong", ["data-live": name], text: text)
              guard name == "newest" else { return }
              page.element("span", ["class": "detail", "data-live": "newest_time"], text: live.newest_time)
            }
          }
        }
        if numbers.lastHour > 0 { bars(numbers, on: &page) }
        page.prose(
          "New events that this server stored; those of files are not counted here."
            + (numbers.isWholeHour ? "" : " Minutes before it started are not known, and have no bar."),
          ["class": "note"])
      }
    }
  }

  /// A bar for each of the last minutes.
  private static func bars(_ numbers: LiveFeed.Numbers, on page: inout Markup) {
    let most = max(1, numbers.byMinute.compactMap(\.self).max() ?? 1)
    let (width, height) = (720, 36)
    let each = width / LiveFeed.minutes
    page.element("figure", ["class": "large"]) { page in
      page.element(
        "svg",
        [
          "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(width) \(height + 2)", "role": "img",
          "aria-labelledby": "live-bars",
        ]
      ) { page in
        page.element("title", ["id": "live-bars"], text: "New events of each of the last 60 minutes, at most \(most)")
        for (i, count) in numbers.byMinute.enumerated() {
          guard let count else { continue }
          let bar = count * height / most
          page.element("g", ["class": "granted"]) { page in
            page.element("title", text: "\(LiveFeed.minutes - 1 - i) minutes ago: \(count)")
            page.empty(
              "rect",
              ["x": "\(i * each)", "y": "0", "width": "\(each - 1)", "height": "\(height)", "class": "hit"])
            page.empty(
              "rect",
              [
                "x": "\(i * each)", "y": "\(height - max(bar, 1))", "width": "\(each - 1)", "height": "\(max(bar, 1))",
                "class": "fill",
              ])
          }
        }
      }
    }
  }
}
