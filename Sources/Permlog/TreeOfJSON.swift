// The reader of JSON, for the command line too, which reads its own description with it.

import EventImport

package typealias TreeOfJSON = JSONTree
