// The keys of a question in their order, as they are written: one list, from which the file and the names of differences come.

import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// What a question says, key by key. What has no meaning for its kind is nil.
struct QuestionFields {
  static let schema = "permlog.question/1"

  var kind: Question.Kind
  var asOf: Milliseconds
  var zone: ZoneTable
  var from: CivilDate?
  var to: CivilDate?
  var conditions: [String]?
  var permission: String?
  var by: [StringField]?
  var variants: [String]?
  var experiment: String?
  var property: StringField?
  var adjust: [StringField]?
  var steps: [String]?
  var logStart: Milliseconds?
  var responseWindow: Milliseconds?
  var followUp: Milliseconds?
  var settingsWindow: Milliseconds?
  var examples: Int?
  var now: Milliseconds
}

extension QuestionFields {
  init(_ asked: Question.Asked, in zone: ZoneTable, now: Milliseconds) {
    func time(_ moment: Moment?) -> Milliseconds? { if case .time(let time) = moment { time } else { nil } }
    let scope = asked.scope
    self.init(kind: asked.kind, asOf: time(scope.asOf) ?? 0, zone: zone, now: now)
    let settings = AnalysisWindows(asOf: 0).settings
    switch asked {
    case .report(let request):
      (from, to, conditions) = (request.from, request.to, request.conditions.map(\.description))
      (permission, by, logStart) = (request.permission, request.properties, time(request.logStart))
      (responseWindow, followUp, settingsWindow) = (scope.responseWindow, scope.followUp, settings)
    case .compare(let request):
      (conditions, permission) = (request.conditions.map(\.description), request.permission)
      (by, variants, experiment) = (request.property.map { [$0] } ?? [], request.variants, request.experiment)
      (property, adjust) = (request.comparedProperty, request.adjust)
      (responseWindow, followUp, settingsWindow) = (scope.responseWindow, scope.followUp, settings)
    case .flow(let request):
      (from, to, conditions) = (request.from, request.to, request.conditions.map(\.description))
      (steps, responseWindow) = (request.steps, scope.responseWindow)
    case .audit(let request):
      (from, to, conditions) = (request.from, request.to, request.conditions.map(\.description))
      (logStart, examples) = (time(request.logStart), request.examples)
    }
  }

  /// Canonical JSON, on one line.
  var encoded: [UInt8] {
    var json = JSONWriter(.compact)
    json.object { json in
      json.member("schema", Self.schema)
      json.member("kind", kind.rawValue)
      json.member("fold", kind.fold)
      json.member("as_of", Timestamp.text(asOf))
      json.object("time_zone") { json in
        json.member("name", zone.name)
        json.array("transitions") { json in
          // The first offset holds from the beginning of time.
          Self.write(nil, zone.initialOffset, to: &json)
          for transition in zone.transitions { Self.write(transition.at, transition.offset, to: &json) }
        }
      }
      json.member("from", from?.text)
      json.member("to", to?.text)
      json.member("where", conditions)
      json.member("permission", permission)
      json.member("by", by?.map(\.name))
      json.member("variants", variants)
      json.member("experiment", experiment)
      json.member("property", property?.name)
      json.member("adjust", adjust?.map(\.name))
      json.member("steps", steps)
      json.member("log_start", logStart.map(Timestamp.text))
      json.member("response_window_ms", responseWindow.map { Int($0) })
      json.member("follow_up_ms", followUp.map { Int($0) })
      json.member("settings_window_ms", settingsWindow.map { Int($0) })
      json.member("examples", examples)
      json.member("now", Timestamp.text(now))
    }
    return json.take()
  }

  private static func write(_ at: Milliseconds?, _ offset: Milliseconds, to json: inout JSONWriter) {
    json.element { json in
      json.member("at", at.map(Timestamp.text))
      json.member("offset_s", Int(offset / 1000))
    }
  }

  /// What each key says, as text; nothing for those that are null. The first two that differ tell two questions apart.
  var facts: [String: String] {
    var facts: [String: String] = [:]
    facts["kind"] = kind.rawValue
    facts["fold"] = kind.fold
    facts["as_of"] = Timestamp.text(asOf)
    facts["time_zone"] = zone.name
    facts["time_zone_transitions"] = zone.transitionsText
    facts["from"] = from?.text
    facts["to"] = to?.text
    facts["where"] = Self.list(conditions)
    facts["permission"] = permission
    facts["by"] = Self.list(by?.map(\.name))
    facts["variants"] = Self.list(variants)
    facts["experiment"] = experiment
    facts["property"] = property?.name
    facts["adjust"] = Self.list(adjust?.map(\.name))
    facts["steps"] = Self.list(steps)
    facts["log_start"] = logStart.map(Timestamp.text)
    facts["response_window_ms"] = responseWindow.map { String($0) }
    facts["follow_up_ms"] = followUp.map { String($0) }
    facts["settings_window_ms"] = settingsWindow.map { String($0) }
    facts["examples"] = examples.map { String($0) }
    facts["now"] = Timestamp.text(now)
    return facts
  }

  private static func list(_ items: [String]?) -> String? {
    items.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") }
  }
}
