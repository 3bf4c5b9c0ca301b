// The reasons without the values of the line: lines are counted by them, since a file that is wrong is wrong in every line.

extension Rejection {
  /// A short reason that is the same for all lines that are refused for it.
  var group: String {
    switch self {
    case .cellCount: "the record has another number of cells than the header"
    case .afterQuote(_, let reason): reason.group + ", after an open quote"
    case .tooFewCells: "the record has too few cells"
    case .badRecordTime: "the time is neither a date with a time nor an epoch"
    case .missingPermission: "permission is missing"
    case .wrongType(let field, _, let wanted): "\(ImportField.names[field]) is not \(wanted)"
    case .tooLong(let field, _, let maximum): "\(ImportField.names[field]) has more than \(maximum) bytes"
    case .nobody: "user_id stands for nobody"
    case .roundedID(let field, _): "\(ImportField.names[field]) was rounded by a spreadsheet"
    case .badTimestamp: "timestamp is neither a date with a time nor an epoch"
    case .noZone: "timestamp names no zone"
    case .tooEarly: "timestamp is before 2008"
    case .tooLate: "timestamp is in the future"
    case .unknownKind: "event is not a known kind"
    case .unknownPermission: "permission is not a known permission"
    case .unknownStatus: "status is not an authorization status"
    default: text
    }
  }
}
