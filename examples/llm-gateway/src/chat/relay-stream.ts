import { sseEvent, sseEvents } from './sse-events.js'
import type { StreamMeter } from './stream-meter.js'

/** How a stream ended: whole, by the client's leaving, or by the model server's fault. */
export type StreamEnd = 'complete' | 'aborted' | 'cut'

export interface Relay {
  readonly body: AsyncIterable<Uint8Array>
  readonly meter: StreamMeter
  /** Aborted when the client has left, which ends the body too; the relay aborts it as well. */
  readonly leaving: AbortController
  /** Called once, however it ends, and awaited before the client sees the end. */
  readonly onEnd: (end: StreamEnd) => Promise<void>
}

/** Passes a stream on, event by event, as fast as the client reads. */
export function relayStream({ body, meter, leaving, onEnd }: Relay): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let ending: Promise<void> | undefined
  const end = (how: StreamEnd) => {
    ending ??= onEnd(leaving.signal.aborted && how === 'cut' ? 'aborted' : how)
    return ending
  }
  const parts = relayed(body, meter, end)
  // Also when nobody reads any more, or ever did: then no `return` reaches the code behind a `yield`.
  leaving.signal.addEventListener('abort', () => void end('aborted').catch(() => {}))
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => leaving.abort(),
  })
}

async function* relayed(
  body: AsyncIterable<Uint8Array>,
  meter: StreamMeter,
  end: (how: StreamEnd) => Promise<void>,
): AsyncGenerator<string, void, undefined> {
  let isComplete = false
  try {
    for await (const data of sseEvents(body)) {
      // What comes behind the end is read, to keep the connection, and dropped.
      if (isComplete) continue
      isComplete = data === '[DONE]'
      // Before the client sees it: what it asks next finds the counter settled.
      if (isComplete) await end('complete')
      const part = isComplete ? data : meter.take(data)
      if (part !== undefined) yield sseEvent(part)
    }
  } catch {
    // Cut off; what has come so far is known.
  }
  if (isComplete) return
  await end('cut')
  yield sseEvent(JSON.stringify(CUT))
}

/** OpenAI's clients throw it as an error. */
const CUT = {
  error: {
    message: 'The model server ended the stream too early.',
    type: 'server_error',
    param: null,
    code: 'upstream_cut',
  },
}
