// A page of its own: nothing is fetched, nothing is run.

enum Page {
  static func render(_ document: Document) -> [UInt8] {
    var page = Markup()
    page.raw("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { page in
      page.newLine()
      page.element("head") { head(&$0, document.title) }
      page.newLine()
      page.element("body") { page in
        page.newLine()
        let (lead, rest) = answer(document)
        page.element("header") { page in
          page.element("h1") { $0.name(ChartName.heading(document.title)) }
          // The week, if the page has a title of its own; the rest of the head follows the answer.
          for block in document.head where lead == nil || block.isHeadline { page.write(block) }
          if lead == nil, !document.contents.isEmpty { navigation(document.contents, on: &page) }
        }
        page.newLine()
        page.element("main") { page in
          stripes(&page)
          if let lead {
            page.write(lead) { page in
              navigation(document.contents, on: &page)
              for block in document.head where !block.isHeadline { page.write(block) }
            }
          }
          for section in rest { page.write(section) }
        }
        page.newLine()
        page.element("footer") { page in
          page.element("p", text: "Made by permlog. A dash is a number that is not known, never 0.")
        }
        page.newLine()
      }
      page.newLine()
    }
    page.newLine()
    return page.bytes
  }

  /// The section with the answer, which stands before the list of sections and before where the numbers are from; nil if
  /// the document has no list.
  private static func answer(_ document: Document) -> (lead: Section?, rest: ArraySlice<Section>) {
    guard let first = document.sections.first, first.name == .lead, !document.contents.isEmpty else {
      return (nil, document.sections[...])
    }
    return (first, document.sections.dropFirst())
  }

  private static func head(_ page: inout Markup, _ title: String) {
    page.empty("meta", ["charset": "utf-8"])
    page.empty(
      "meta",
      [
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
      ])
    page.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    page.empty("meta", ["name": "color-scheme", "content": "light dark"])
    page.empty("meta", ["name": "referrer", "content": "no-referrer"])
    // Without one, a browser asks the server for it.
    page.empty("link", ["rel": "icon", "href": "data:,"])
    page.element("title", text: title)
    page.element("style") { $0.raw("\n" + PageStyle.css + "\n") }
  }

  /// The pattern of what is granted in part.
  private static func stripes(_ page: inout Markup) {
    page.element("svg", ["class": "hidden", "aria-hidden": "true", "width": "0", "height": "0"]) { page in
      page.element(
        "pattern",
        [
          "id": "stripes", "width": "5", "height": "5", "patternUnits": "userSpaceOnUse",
          "patternTransform": "rotate(45)",
        ]
      ) { page in
        page.empty("rect", ["width": "3", "height": "5", "class": "granted fill"])
      }
    }
  }

  private static func navigation(_ sections: [Section], on page: inout Markup) {
    let sections = sections.filter { $0.name != .lead }
    guard !sections.isEmpty else { return }
    page.element("nav", ["aria-label": "Sections"]) { page in
      page.element("ul") { page in
        for section in sections {
          page.element("li") {
            $0.element("a", ["href": "#" + section.id]) { $0.name(ChartName.heading(section.shortTitle)) }
          }
        }
      }
    }
  }
}

extension Block {
  fileprivate var isHeadline: Bool { if case .headline = self { true } else { false } }
}
