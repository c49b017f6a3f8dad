/** No event of a model server is as long as that. */
const MAX_EVENT = 256 * 1024

/** The data of each event of a stream. One that the stream's end cuts off is dropped. @throws Error for one without end */
export async function* sseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    rest += text
    if (rest.length > MAX_EVENT + text.length) throw new Error('the model server sends an event without end')
    // Nothing ends in it: what is long and comes in small parts is not searched again for each of them.
    if (!text.includes('\n')) continue
    // What may be the first half of a line's end stays for the next chunk.
    const events = rest.split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = dataOf(event)
      if (data !== '') yield data
    }
  }
}

/** An event as it is sent. */
export function sseEvent(data: string): string {
  return `data: ${data}\n\n`
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n')
}
