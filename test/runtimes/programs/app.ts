import { type GetConnInfo, rateLimit } from '@rl/hono'
import { Hono } from 'hono'

/** What is told of the end of a response, as it is asked for later. */
interface Ended {
  readonly path: string
  readonly status: number | undefined
  readonly aborted: boolean
}

/**
 * The same application on every runtime: two requests a minute for each path and client below `/limited`, ten for what
 * tells how it ended. Made at module level.
 */
export function createApp(getConnInfo: GetConnInfo): Hono {
  const ended: Ended[] = []
  const app = new Hono()
  app.get('/limited', rateLimit({ limit: '2/1h', getConnInfo }), (c) => c.text(`${c.var.rateLimit.key}`))
  app.use(
    '/told/*',
    rateLimit({
      limit: '10/1h',
      getConnInfo,
      onDone: (c, { status, aborted }) => ended.push({ path: c.req.path, status, aborted }),
    }),
  )
  app.get('/told/raw', () => new Response('raw'))
  app.get('/told/redirect', () => Response.redirect('http://example.org/', 302))
  app.get('/told/throws', () => {
    throw new Error('of the handler')
  })
  app.get('/told/streams', () => new Response(parts(2)))
  app.get('/told/hangs', () => new Response(parts(1_000_000)))
  app.onError((_error, c) => c.text('failed', 500))
  app.get('/ended', (c) => c.json(ended))
  return app
}

/** A body of so many parts, each when it is asked for and a moment after the one before. */
function parts(count: number): ReadableStream<Uint8Array> {
  let left = count
  return new ReadableStream({
    async pull(controller) {
      if (left-- === 0) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, 5))
      controller.enqueue(new TextEncoder().encode('part'))
    },
  })
}
