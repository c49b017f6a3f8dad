import { Redis } from 'ioredis'
import type { RedisServer } from './redis-server.js'
import { waitUntil } from './wait-until.js'

/** What clients send to a server, commands of scripts and our own left out. */
export interface Monitor {
  /** Commands seen so far, each as a list. Everything that was answered before the call is in it. */
  seen(): Promise<readonly (readonly string[])[]>
  close(): void
}

export async function startMonitor(server: RedisServer): Promise<Monitor> {
  const client = new Redis(server.port)
  const monitor = await client.monitor()
  const commands: (readonly string[])[] = []
  monitor.on('monitor', (_time: string, command: string[], source: string) => {
    if (source !== 'lua') commands.push(command)
  })
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
    close() {
      monitor.disconnect()
      client.disconnect()
    },
  }
}
