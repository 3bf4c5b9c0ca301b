// One event of an app as a line of each vendor's export, for tests that know the truth.

import Foundation

enum VendorLine {
  static let forms = ["amplitude", "mixpanel", "segment", "ga4", "posthog", "snowplow"]

  /// - Parameter seconds: since 1970.
  static func make(
    _ form: String, id: Int, user: String, seconds: Int, name: String, properties: [(String, String)]
  ) -> String {
    let time = Date(timeIntervalSince1970: TimeInterval(seconds))
    let iso = time.formatted(.iso8601)
    let plain = iso.replacing("T", with: " ").replacing("Z", with: "")
    let pairs = properties.map { "\(quoted($0)):\(quoted($1))" }.joined(separator: ",")
    switch form {
    case "amplitude":
      return
        #"{"event_type":\#(quoted(name)),"event_time":"\#(plain).000000","device_id":"\#(user)","$insert_id":"i\#(id)","event_properties":{\#(pairs)}}"#
    case "mixpanel":
      return
        #"{"event":\#(quoted(name)),"properties":{"time":\#(seconds),"$device_id":"\#(user)","distinct_id":"\#(user)","$insert_id":"i\#(id)",\#(pairs)}}"#
    case "segment":
      return
        #"{"type":"track","messageId":"i\#(id)","anonymousId":"\#(user)","timestamp":"\#(iso)","event":\#(quoted(name)),"properties":{\#(pairs)}}"#
    case "ga4":
      let list = properties.map { #"{"key":\#(quoted($0)),"value":{"string_value":\#(quoted($1))}}"# }
      return
        #"{"event_name":\#(quoted(name)),"event_timestamp":"\#(seconds)000000","user_pseudo_id":"\#(user)","event_params":[\#(list.joined(separator: ","))]}"#
    case "posthog":
      return
        #"{"event":\#(quoted(name)),"uuid":"i\#(id)","distinct_id":"\#(user)","timestamp":"\#(iso)","properties":{\#(pairs)}}"#
    default:
      var cells = [String](repeating: "", count: 131)
      cells[5] = "unstruct"
      cells[6] = "i\(id)"
      cells[15] = user
      cells[58] =
        #"{"schema":"iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0","data":{"schema":"iglu:com.acme/x/jsonschema/1-0-0","data":{\#(pairs)}}}"#
      cells[124] = "\(plain).000"
      cells[126] = name
      return cells.joined(separator: "\t")
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
