// The controls of a page: the fields of its question, as a plain form that works without a script.

import Permlog

/// The form of a page's question.
struct QuestionForm: Sendable {
  let asked: Asked
  let given: GivenFields
  /// What the log has.
  let names: LogNames
  /// Why the question is refused; nil if it is not.
  var problem: String?
  /// The only fields that can be set; nil for all.
  var only: [String]?

  /// Values of a field that are listed to choose from.
  private static let mostChoices = 200

  func write(on page: inout Markup) {
    guard let kind = asked.page.kind else { return }
    let fields = kind.fields.filter { field in
      field.values != .file && !Page.withheld.contains(field.name) && only?.contains(field.name) ?? true
    }
    let main = asked.page.mainFields.compactMap { name in fields.first { $0.name == name } }
    let rest = fields.filter { field in !main.contains { $0.name == field.name } }
    // On a phone the answer comes first: there the form is folded, unless it says what is wrong.
    page.element("details", problem == nil ? ["class": "choices"] : ["class": "choices", "open": "open"]) { page in
      page.element("summary", text: "Change the question")
      page.element(
        "form",
        ["class": "question", "method": "get", "action": "/" + asked.page.rawValue, "aria-label": "Question"]
      ) { page in
        if let log = asked.logName { page.empty("input", ["type": "hidden", "name": "log", "value": log]) }
        if let problem { page.element("p", ["class": "problem", "role": "alert"], text: problem) }
        page.element("div", ["class": "fields"]) { page in
          for field in main { control(field, on: &page) }
          page.element("button", ["type": "submit"], text: "Show")
        }
        guard !rest.isEmpty else { return }
        // Open if one of them is set, so that nothing is asked for unseen.
        let isOpen = rest.contains { given[$0.argument] != nil }
        page.element("details", isOpen ? ["open": "open"] : [:]) { page in
          page.element("summary", text: "More choices")
          page.element("div", ["class": "fields"]) { page in
            for field in rest { control(field, on: &page) }
          }
        }
      }
    }
  }

  // MARK: Controls

  private func control(_ field: FieldDescription, on page: inout Markup) {
    let texts = given[field.argument] ?? []
    let inputs = texts + Array(repeating: "", count: max(0, count(field, texts.count) - texts.count))
    let id = "f-" + field.name
    page.newLine()
    page.element("div", ["class": "field"]) { page in
      if inputs.count > 1 {
        page.element("fieldset") { page in
          page.element("legend", text: Self.label(field))
          for (i, text) in inputs.enumerated() {
            input(field, text, id: "\(id)-\(i)", label: "\(Self.label(field)) \(i + 1)", on: &page)
          }
          help(field, id, on: &page)
        }
      } else {
        page.element("label", ["for": id], text: Self.label(field))
        input(field, inputs.first ?? "", id: id, label: nil, on: &page)
        help(field, id, on: &page)
      }
    }
  }

  /// How many inputs a field has: one more than there are values, if it can have several.
  private func count(_ field: FieldDescription, _ given: Int) -> Int {
    switch (field.name, field.shape) {
    case ("by", .values): min(2, given + 1)
    case (_, .operands): min(ComparisonRequest.mostVariants, max(2, given + 1))
    case (_, .values): given + 1
    case (_, .value): 1
    }
  }

  private func help(_ field: FieldDescription, _ id: String, on page: inout Markup) {
    guard !asked.page.mainFields.contains(field.name) else { return }
    page.element("p", ["class": "help", "id": id + "-help"], text: field.help { Self.label($0) })
  }

  private static func label(_ field: FieldDescription) -> String { label(field.name) }

  private static func label(_ name: String) -> String {
    switch name {
    case "planned_n": return "Planned users"
    case "variant_from": return "Message from"
    case "by": return "By"
    default:
      let words = name.replacing("_", with: " ")
      return words.prefix(1).uppercased() + words.dropFirst()
    }
  }

  /// The values to choose from; nil for a free text.
  private func choices(_ field: FieldDescription) -> [String]? {
    switch field.values {
    case .choice(let names) where field.separator == nil && asked.page == .compare && field.name == "by":
      // The messages themselves are compared.
      names.filter { given[.comparedProperty] != nil || $0 != StringField.variant.name }
    case .choice(let names): field.separator == nil ? names : nil
    case .names(let property) where field.separator == nil && field.shape != .operands:
      names.values[property].flatMap { $0.count <= Self.mostChoices ? $0 : nil }
    case .week: names.weeks(given[.weekStart]?.first)
    default: nil
    }
  }

  private func input(_ field: FieldDescription, _ text: String, id: String, label: String?, on page: inout Markup) {
    if let choices = choices(field), text.isEmpty || choices.contains(text) {
      return select(field, choices, text, id: id, label: label, on: &page)
    }
    // A browser shows nothing of a text that is no date.
    let isDate = field.values == .date && (text.isEmpty || CivilDate(parsing: text) != nil)
    let list = suggestions(field)
    page.empty(
      "input",
      Markup.Attributes([
        ("type", isDate ? "date" : "text"), ("id", id), ("name", field.name), ("value", text), ("aria-label", label),
        ("placeholder", isDate ? nil : placeholder(field)), ("autocomplete", "off"), ("spellcheck", "false"),
        ("list", list.isEmpty ? nil : id + "-list"), ("inputmode", field.values == .number ? "decimal" : nil),
      ]))
    guard !list.isEmpty else { return }
    page.element("datalist", ["id": id + "-list"]) { page in
      for name in list { page.empty("option", ["value": name]) }
    }
  }

  private func select(
    _ field: FieldDescription, _ choices: [String], _ text: String, id: String, label: String?, on page: inout Markup
  ) {
    page.element("select", Markup.Attributes([("id", id), ("name", field.name), ("aria-label", label)])) { page in
      page.element("option", ["value": ""], text: field.values == .week ? "all" : "–")
      for choice in choices {
        page.element(
          "option", choice == text ? ["value": choice, "selected": "selected"] : ["value": choice], text: choice)
      }
    }
  }

  private func placeholder(_ field: FieldDescription) -> String {
    switch field.values {
    case .zone: "UTC"
    case .condition: "country=DE"
    case .duration: "like 30m"
    default: field.placeholder
    }
  }

  /// Names to type, where several are written into one input.
  private func suggestions(_ field: FieldDescription) -> [String] {
    switch field.values {
    case .names(let property):
      let property =
        field.shape == .operands
        ? given[.comparedProperty]?.first.flatMap { name in StringField.allCases.first { $0.name == name } } ?? property
        : property
      return Array((names.values[property] ?? []).prefix(Self.mostChoices))
    case .choice(let names) where field.separator != nil: return names
    default: return []
    }
  }
}

/// What a log has to choose from.
struct LogNames: Sendable {
  var values: [StringField: [String]] = [:]
  /// Times of the oldest and the newest event.
  var times: ClosedRange<Milliseconds>?

  init(_ information: LogInformation? = nil) {
    (values, times) = (information?.values ?? [:], information?.times)
  }

  /// The weeks of the log, the newest first.
  func weeks(_ start: String?) -> [String] {
    guard let times else { return [] }
    let start = start.flatMap { WeekStart(rawValue: $0) } ?? .monday
    let day = { (time: Milliseconds) in time / 86_400_000 }
    // A zone may be a day ahead or behind.
    let weeks = [day(times.lowerBound) - 1, day(times.upperBound) + 1].map { CalendarWeek(day: $0, from: start) }
    return stride(from: weeks[1].firstDay, through: weeks[0].firstDay, by: -7).prefix(520).map {
      CalendarWeek(day: $0, from: start).text
    }
  }
}
