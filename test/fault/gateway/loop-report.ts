import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { watchStalls } from '../../support/stalls.js'

// Tells at the end of the process, on stderr: how long its event loop stood still at most, and how long the longest answer
// below /api took, from the request as it was parsed to the response as it was handed to the system: on the clock, and
// without the time in which the loop stood still meanwhile.
const stalls = watchStalls()
const startedAt = new WeakMap<IncomingMessage, { readonly ms: number; readonly stalled: number }>()
let longestMs = 0
let longestAwakeMs = 0
const requestOf = (message: unknown) => (message as { request: IncomingMessage }).request
subscribe('http.server.request.start', (message) => {
  startedAt.set(requestOf(message), { ms: performance.now(), stalled: stalls.total() })
})
subscribe('http.server.response.finish', (message) => {
  const request = requestOf(message)
  const start = startedAt.get(request)
  if (start === undefined || !request.url?.startsWith('/api')) return
  const ms = performance.now() - start.ms
  longestMs = Math.max(longestMs, ms)
  longestAwakeMs = Math.max(longestAwakeMs, ms - (stalls.total() - start.stalled))
})
process.on('exit', () => {
  console.error(`longest stall: ${Math.ceil(stalls.longest())} ms`)
  console.error(`longest answer: ${Math.ceil(longestMs)} ms`)
  console.error(`longest answer awake: ${Math.ceil(longestAwakeMs)} ms`)
})
