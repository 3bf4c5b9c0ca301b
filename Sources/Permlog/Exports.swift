// What comes with `import Permlog`: of the modules beneath, the types that requests and results are made of, and no more.
// docs/decisions/0016 says why they are named one by one.

@_exported public import struct EventImport.AnswerCount
@_exported public import struct EventImport.ConvertedFiles
@_exported public import struct EventImport.ImportCounts
@_exported public import enum EventImport.ImportFormat
@_exported public import struct EventImport.RejectedLine
@_exported public import struct EventImport.SkippedFiles
@_exported public import struct EventImport.TalliedEvent
@_exported public import struct EventImport.UserKey
@_exported public import struct EventLog.IngestCounts
@_exported public import struct EventLog.LogInformation
@_exported public import struct EventLog.Verification
@_exported public import enum ExportSimulation.SimulatedFormat
@_exported public import struct ExportSimulation.SimulationSummary
@_exported public import struct PermissionAnalysis.ComparisonSet
@_exported public import enum PermissionAnalysis.ComparisonMetric
@_exported public import enum PermissionAnalysis.ContaminationPolicy
@_exported public import struct PermissionAnalysis.ExperimentPlan
@_exported public import struct PermissionAnalysis.GuardrailQuestion
@_exported public import struct PermissionAnalysis.Report
@_exported public import struct PermissionEvents.CivilDate
@_exported public import struct PermissionEvents.Explanation
@_exported public import struct PermissionEvents.ISOWeek
@_exported public import typealias PermissionEvents.Milliseconds
@_exported public import enum PermissionEvents.Remedy
@_exported public import typealias PermissionEvents.RemedyWords
@_exported public import enum PermissionEvents.StringField
@_exported public import enum PermissionEvents.Timestamp
@_exported public import struct ReportRendering.TextStyle
