// What is above each page: the bar with the pages and the logs, the question, and its answer in other formats.

import Foundation
import Permlog

/// Files of the site, with addresses that change with their content.
enum SiteFiles {
  static let style = file(
    "style", "css", "text/css; charset=utf-8", Array(PageFrame.css.utf8) + [0x0A] + PackageResources.dashboard_css)
  static let script = file("script", "js", "text/javascript; charset=utf-8", PackageResources.dashboard_js)

  struct File: Sendable {
    var path: String
    var type: String
    var bytes: [UInt8]
  }

  private static func file(_ name: String, _ ending: String, _ type: String, _ bytes: [UInt8]) -> File {
    let sum = bytes.withUnsafeBytes { CRC32C.of($0) }
    return File(path: "/\(name)-\(String(sum, radix: 16)).\(ending)", type: type, bytes: bytes)
  }
}

/// The frame of a page.
struct SiteFrame: Sendable {
  var asked: Asked
  /// The names of all logs.
  var logs: [String]
  var form: QuestionForm?
  /// The command that prints the same; nil for pages that no command has.
  var command: String?
  /// Formats that can be made of the answer.
  var formats: [String] = []
  /// The commit that the page shows; nil if it shows none.
  var state: String?
  /// Whether readers came in with a token, and can leave.
  var canLeave = false
  /// Whether pages show large groups alone.
  var pages = Page.allCases

  var frame: PageFrame {
    PageFrame(styleSheet: SiteFiles.style.path, script: SiteFiles.script.path) { write(on: &$0) }
  }

  private func write(on page: inout Markup) {
    page.element(
      "div",
      Markup.Attributes([("class", "bar"), ("data-live-address", asked.liveAddress), ("data-state", state)])
    ) { page in
      page.element("a", ["class": "home", "href": asked.address(.today, query: "")], text: "permlog")
      page.element("nav", ["aria-label": "Pages"]) { page in
        page.element("ul") { page in
          for other in pages {
            let isThis = other == asked.page
            let address = asked.address(other, query: "")
            page.element("li") { page in
              page.element(
                "a", isThis ? ["href": address, "aria-current": "page"] : ["href": address], text: other.title)
            }
          }
        }
      }
      if logs.count > 1 { choice(of: logs, on: &page) }
      if canLeave {
        page.element("form", ["method": "post", "action": "/logout"]) { page in
          page.element("button", ["type": "submit", "class": "quiet"], text: "Log out")
        }
      }
    }
    guard form != nil || command != nil else { return }
    page.newLine()
    page.element("div", ["class": "asked"]) { page in
      form?.write(on: &page)
      if let command { other(command, on: &page) }
    }
  }

  private func choice(of logs: [String], on page: inout Markup) {
    page.element("nav", ["aria-label": "Logs"]) { page in
      page.element("ul") { page in
        for log in logs {
          var other = asked
          other.logName = log
          let isThis = log == asked.logName
          page.element("li") { page in
            page.element(
              "a",
              isThis
                ? ["href": other.address(query: ""), "aria-current": "true"] : ["href": other.address(query: "")]
            ) { $0.name(log) }
          }
        }
      }
    }
  }

  /// The answer in other formats, and the command that prints it.
  private func other(_ command: String, on page: inout Markup) {
    page.element("div", ["class": "other"]) { page in
      if !formats.isEmpty {
        page.element("p") { page in
          page.text("This answer as ")
          for (i, format) in formats.enumerated() {
            if i > 0 { page.text(", ") }
            page.element("a", ["href": asked.address(format: format), "data-plain": ""], text: format.uppercased())
          }
        }
      }
      page.details("As a command") { page in
        page.element("pre") { $0.element("code", text: command) }
      }
    }
  }
}

extension Asked {
  /// Where live numbers of the log come from.
  var liveAddress: String { "/live" + (logName.map { "?log=" + QueryPart.encoded($0) } ?? "") }
}
