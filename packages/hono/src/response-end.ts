import { type EndingResponse, onResponseEnd } from '@rl/core/http'
import type { Context } from 'hono'

type Tell = (outcome: { readonly status: number | undefined; readonly aborted: boolean }) => void

/** Tells once how the response ended. Node's own response knows; elsewhere the body is watched as it is read. */
export function onEnd(c: Context, tell: Tell): void {
  let isTold = false
  const once: Tell = (outcome) => {
    if (!isTold) tell(outcome)
    isTold = true
  }
  const { status, body } = c.res
  c.req.raw.signal?.addEventListener('abort', () => once({ status, aborted: true }))
  if (body === null) once({ status, aborted: false })
  else
    c.res = new Response(
      watched(body, (aborted) => once({ status, aborted })),
      c.res,
    )
}

/** Node's response, where @hono/node-server gives it. */
export function nodeResponse(c: Context): EndingResponse | undefined {
  const outgoing = (c.env as { outgoing?: Partial<EndingResponse> } | undefined)?.outgoing
  return typeof outgoing?.once === 'function' ? (outgoing as EndingResponse) : undefined
}

export { onResponseEnd }

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
