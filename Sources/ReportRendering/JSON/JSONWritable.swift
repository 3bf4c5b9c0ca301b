// What `JSONWriter` writes: plain values, lists of them, and objects as keys and values.

/// A value that can be written as JSON.
package protocol JSONWritable {
  func write(to json: inout JSONWriter)
}

/// Keys and values of an object, in their order.
package typealias JSONMembers = KeyValuePairs<StaticString, any JSONWritable>

/// A type that is written as an object.
protocol JSONObject: JSONWritable {
  var members: JSONMembers { get }
}

extension JSONObject {
  package func write(to json: inout JSONWriter) { json.object { $0.members(members) } }
}

extension Int: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

/// Null if it is not finite.
extension Double: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self ? "true" : "false" as StaticString) }
}

extension String: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  package func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.write("null" as StaticString) }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { json.element(element) }
    }
  }
}

extension KeyValuePairs: JSONWritable where Key == StaticString, Value == any JSONWritable {
  package func write(to json: inout JSONWriter) { json.object { $0.members(self) } }
}
