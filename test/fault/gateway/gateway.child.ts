// The gateway as it stands, in a process that tells of its event loop.
import './loop-report.js'
import '../../../examples/gateway/src/main.js'
