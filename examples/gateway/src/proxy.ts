import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Request, RequestHandler, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { dropHopByHop, type IsProxy, isOurs, toForwarded } from './proxy-headers.js'

export interface ProxyOptions {
  /** Where requests go, with the path that stands before theirs. */
  readonly url: string
  /** How long the upstream may be silent. */
  readonly timeoutMs: number
  readonly isProxy: IsProxy
  /** Called where it is answered that the upstream failed. */
  readonly onFailure?: (kind: UpstreamFailure) => void
}

/** What was wrong with an upstream: no answer that can be passed on, or none in time. */
export type UpstreamFailure = 'unreachable' | 'silent'

type Fail = (error: Error, res: Response) => void

/**
 * Passes requests on, targets as they are, bodies as they come in both directions. A client that leaves ends the request
 * upstream; an upstream that is gone is answered 502, one that says nothing 504, and one that breaks off in an answer breaks
 * off ours.
 */
export function createProxy({ url, timeoutMs, isProxy, onFailure }: ProxyOptions): RequestHandler {
  const before = new URL(url).pathname.replace(/\/$/, '')
  const fail: Fail = (error, res) => failWith(error, res, onFailure)
  return createProxyMiddleware<Request, Response>({
    target: url,
    changeOrigin: true,
    // The library's own way leaves a client waiting when an upstream breaks off, and an upstream when a client leaves.
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('start', (req) => toForwarded(req, isProxy))
        server.on('proxyReq', (upstream, req, res) => {
          keepPath(upstream, before, (req as Request).originalUrl)
          watch(upstream, res as Response, { timeoutMs, fail })
        })
        server.on('proxyRes', (answer, _req, res) => passOn(answer, res as Response, fail))
        server.on('error', (error, _req, res) => fail(error, res as Response))
      },
    ],
  })
}

/**
 * As the client wrote it: the library would make one slash of two, and a slash of a backslash, and break signed URLs. Of a
 * whole URL, what follows the host.
 */
function keepPath(upstream: ClientRequest, before: string, written: string): void {
  const path = written.replace(/^https?:\/\/[^/?#]*/i, '')
  // Of visible characters alone, as Node's parser lets nothing else through.
  if (/^\/[\x21-\xff]*$/.test(path)) upstream.path = before + path
}

const SILENT = 'UPSTREAM_SILENT'
const STALLED = 'CLIENT_STALLED'

function watch(
  upstream: ClientRequest,
  res: Response,
  { timeoutMs, fail }: { readonly timeoutMs: number; readonly fail: Fail },
): void {
  if (res.closed) upstream.destroy()
  res.once('close', () => upstream.destroy())
  upstream.setTimeout(timeoutMs, () => {
    // An upstream that takes what there is waits for the client itself.
    const isWaiting = !upstream.socket?.connecting && !upstream.writableNeedDrain
    const code = isWaiting && !res.req.complete ? STALLED : SILENT
    upstream.destroy(Object.assign(new Error('silent'), { code }))
  })
  // Without an error where it switches to a protocol that nobody asked for.
  upstream.once('close', () => fail(new Error('closed'), res))
}

function passOn(answer: IncomingMessage, res: Response, fail: Fail): void {
  try {
    writeHead(answer, res)
  } catch (error) {
    // A status or a field that must not be passed on: Node refuses to write it.
    answer.destroy()
    for (const name of res.getHeaderNames()) if (!isOurs(name)) res.removeHeader(name)
    fail(error as Error, res)
    return
  }
  // Whichever side breaks off, the other one is ended too.
  pipeline(answer, res, () => {})
}

function writeHead(answer: IncomingMessage, res: ServerResponse): void {
  dropHopByHop(answer.headers)
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !(isOurs(name) && res.hasHeader(name))) res.setHeader(name, value)
  }
  // The words beside it are Node's own: an upstream's may hold what must not be sent.
  res.writeHead(answer.statusCode ?? 502)
  res.flushHeaders()
}

/** Nothing of the error stands in the answer: it names hosts and ports. */
function failWith(error: Error, res: Response, onFailure: ProxyOptions['onFailure']): void {
  if (res.headersSent) {
    if (!res.writableEnded) res.destroy()
    return
  }
  if (res.destroyed) return
  const { code } = error as NodeJS.ErrnoException
  if (code === STALLED) {
    // What is left of the body must not be read as a request.
    res.status(408).set('Connection', 'close').json({ error: 'the request did not arrive in time' })
    return
  }
  onFailure?.(code === SILENT ? 'silent' : 'unreachable')
  if (code === SILENT) res.status(504).json({ error: 'the upstream does not answer' })
  else res.status(502).json({ error: 'the upstream can’t be reached' })
}
