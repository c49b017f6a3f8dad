import { type EndingResponse, onResponseEnd } from '@rl/core/http'
import type { Context } from 'hono'

type Tell = (outcome: { readonly status: number | undefined; readonly aborted: boolean }) => void

/** What the middleware has to say for an end to be known. */
interface Ending {
  answered(): void
  failed(): void
}

/** Tells once how the response ended. Node's own response knows; elsewhere the body is watched as it is read. */
export function ending(c: Context, tell: Tell): Ending {
  const response = nodeResponse(c)
  if (response === undefined) return webEnding(c, tell)
  onResponseEnd(response, tell)
  return { answered() {}, failed() {} }
}

/** Node's response, where @hono/node-server gives it. */
function nodeResponse(c: Context): EndingResponse | undefined {
  const outgoing = (c.env as { outgoing?: Partial<EndingResponse> } | undefined)?.outgoing
  return typeof outgoing?.once === 'function' ? (outgoing as EndingResponse) : undefined
}

function webEnding(c: Context, tell: Tell): Ending {
  let isTold = false
  const once: Tell = (outcome) => {
    if (!isTold) tell(outcome)
    isTold = true
  }
  const statusNow = () => (c.finalized ? c.res.status : undefined)
  c.req.raw.signal?.addEventListener('abort', () => once({ status: statusNow(), aborted: true }))
  return {
    answered() {
      const { status, body } = c.res
      if (c.req.raw.signal?.aborted) once({ status: undefined, aborted: true })
      // Of the answer to HEAD, Hono drops the body unread.
      else if (body === null || c.req.method === 'HEAD') once({ status, aborted: false })
      else
        c.res = new Response(
          watched(body, (aborted) => once({ status, aborted })),
          c.res,
        )
    },
    // What the error handler answers is not known here.
    failed: () => once({ status: undefined, aborted: false }),
  }
}

function watched(
  body: ReadableStream<Uint8Array>,
  ended: (aborted: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
        ended(false)
      } catch (error) {
        controller.error(error)
        ended(true)
      }
    },
    cancel(reason) {
      ended(true)
      return reader.cancel(reason)
    },
  })
}
