/** The part of Node's response, HTTP/1 or 2, that tells how it ended. */
export interface EndingResponse {
  readonly headersSent: boolean
  readonly statusCode: number
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  /** Of HTTP/1. */
  readonly closed?: boolean
  /** Of HTTP/2. */
  readonly stream?: { readonly destroyed: boolean } | undefined
  once(event: 'close', listener: () => void): unknown
}

/** Tells once how a response ended: after its last byte, or when the client has gone. Both are `close` in Node. */
export function onResponseEnd(
  res: EndingResponse,
  tell: (outcome: { readonly status: number | undefined; readonly aborted: boolean }) => void,
): void {
  // That a stream of HTTP/2 has finished is true also of one that was reset before anybody ended it.
  const isComplete = () => res.writableEnded && res.writableFinished
  const done = () => tell({ status: res.headersSent ? res.statusCode : undefined, aborted: !isComplete() })
  // Closed before we came: told when the caller, who is about to, has decided.
  if (res.closed ?? res.stream?.destroyed) void Promise.resolve().then(done)
  else res.once('close', done)
}
