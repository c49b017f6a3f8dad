import { connect } from 'node:net'

/** A parsed RESP2 reply: simple and bulk strings, integers, nil, arrays. */
export type Reply = string | number | null | readonly Reply[]

/** An argument of a command; buffers are sent as they are. */
export type Argument = string | number | Buffer

/** How long {@link callRedis} waits for the whole reply. */
const timeoutMs = 5000

/**
 * Sends one command over a socket of its own and returns the parsed reply.
 *
 * @throws Error with the server's words for an error reply, also for one inside an array; and when the server
 * cannot be reached, hangs up, or has not answered within 5 s (a frozen one).
 */
export function callRedis(port: number, args: readonly Argument[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    const what = `${String(args[0])} on port ${port}`
    socket.setTimeout(timeoutMs, () => fail(new Error(`No answer to ${what} within ${timeoutMs} ms`)))
    socket.on('error', fail)
    socket.on('close', () => fail(new Error(`The server hung up before it answered ${what}`)))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      try {
        const parsed = parseReply(Buffer.concat(chunks))
        if (parsed === undefined) return
        resolve(parsed.reply)
        socket.destroy()
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.write(encodeCommand(args))
  })
}

/** A command as the array of bulk strings that every Redis client sends. */
export function encodeCommand(args: readonly Argument[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${args.length}\r\n`)]
  for (const arg of args) {
    const bytes = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg))
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(parts)
}

/** A reply, and where the bytes after it begin. */
export interface ParsedReply {
  readonly reply: Reply
  readonly end: number
}

/** Parses the reply at `start`; `undefined` when its last bytes are still to come. */
export function parseReply(bytes: Buffer, start = 0): ParsedReply | undefined {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd < 0) return undefined
  const line = bytes.toString('utf8', start + 1, lineEnd)
  const next = lineEnd + 2
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case '+':
      return { reply: line, end: next }
    case '-':
      throw new Error(line)
    case ':':
      return { reply: Number(line), end: next }
    case '$':
      return parseBulk(bytes, next, Number(line))
    case '*':
      return parseArray(bytes, next, Number(line))
    default:
      throw new Error(`Not a RESP2 reply: ${JSON.stringify(bytes.toString('latin1', start, start + 40))}`)
  }
}

function parseBulk(bytes: Buffer, start: number, length: number): ParsedReply | undefined {
  if (length < 0) return { reply: null, end: start }
  const end = start + length
  return bytes.length < end + 2 ? undefined : { reply: bytes.toString('utf8', start, end), end: end + 2 }
}

function parseArray(bytes: Buffer, start: number, length: number): ParsedReply | undefined {
  if (length < 0) return { reply: null, end: start }
  const items: Reply[] = []
  let end = start
  for (let index = 0; index < length; index++) {
    const item = parseReply(bytes, end)
    if (item === undefined) return undefined
    items.push(item.reply)
    end = item.end
  }
  return { reply: items, end }
}
