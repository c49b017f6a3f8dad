import { once } from 'node:events'
import { connect } from 'node:net'
import type { RedisServer } from './redis-server.js'
import { encodeCommand } from './resp.js'
import { waitUntil } from './wait-until.js'

/** What clients send to a server, commands of scripts left out. */
export interface Monitor {
  /** Commands seen so far, each as a list. Everything that was answered before the call is in it. */
  seen(): Promise<readonly (readonly string[])[]>
  close(): void
}

/** A line is `+TIME [DB SOURCE] "COMMAND" "ARGUMENT" …`; the source of what scripts do is `lua`. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/
const WORD = /"((?:[^"\\]|\\.)*)"/g

export async function startMonitor(server: RedisServer): Promise<Monitor> {
  const socket = connect(server.port, '127.0.0.1')
  const commands: (readonly string[])[] = []
  let rest = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, source, words = ''] = LINE.exec(line) ?? []
      if (source !== undefined && source !== 'lua') {
        commands.push([...words.matchAll(WORD)].map(([, word]) => word as string))
      }
    }
  })
  socket.write(encodeCommand(['MONITOR']))
  await once(socket, 'data')
  let marks = 0
  return {
    async seen() {
      const mark = `mark ${++marks}`
      await server.command('ECHO', mark)
      const isMark = ([, text]: readonly string[]): boolean => text === mark
      await waitUntil(() => commands.some(isMark), { what: 'the monitor has seen the mark' })
      const before = commands.slice(0, commands.findIndex(isMark))
      return before.filter(([name]) => name?.toLowerCase() !== 'echo')
    },
    close: () => socket.destroy(),
  }
}
