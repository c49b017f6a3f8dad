/** The part of Node's response, HTTP/1 or 2, that tells how it ended. */
export interface EndingResponse {
  readonly headersSent: boolean
  readonly statusCode: number
  readonly writableFinished: boolean
  readonly closed?: boolean
  once(event: 'close', listener: () => void): unknown
}

/** Tells once how a response ended: after its last byte, or when the client has gone. Both are `close` in Node. */
export function onResponseEnd(
  res: EndingResponse,
  tell: (outcome: { readonly status: number | undefined; readonly aborted: boolean }) => void,
): void {
  const done = () =>
    tell({ status: res.headersSent ? res.statusCode : undefined, aborted: !res.writableFinished })
  // Closed before we came: told when the caller, who is about to, has decided.
  if (res.closed) void Promise.resolve().then(done)
  else res.once('close', done)
}
