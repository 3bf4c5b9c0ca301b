// Where each number of a comparison comes from: method, formula, source, limits.

import PermissionAnalysis

package enum ComparisonExplanation {
  package struct Entry: Sendable {
    /// What it is called in the output.
    package var figure: String
    /// As it came out here.
    package var value: String
    package var method: String
    package var formula: String
    package var source: String
    /// When it is conservative, approximate or refused.
    package var limits: String
  }

  package static func entries(_ set: ComparisonSet) -> [Entry] { [] }
}
