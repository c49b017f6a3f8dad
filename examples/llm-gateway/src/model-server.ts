import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { urlOf } from './address.js'
import { answer } from './model-server/answer.js'
import { type ModelServerFlags, readModelServerFlags, USAGE } from './model-server/flags.js'
import { toQuestion } from './model-server/question.js'
import { Stats } from './model-server/stats.js'

// It plays a model server: it says numbers, token by token, and goes wrong where it is told to. It trusts who asks.
if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = flagsOrExit()
const stats = new Stats()
const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    if (!response.headersSent) response.writeHead(400)
    response.end(String(error))
  })
})
server.listen(flags.address)
await once(server, 'listening')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
console.log(`model-server ${flags.name}: ${urlOf('http', { ...flags.address, port: portOf() })}`)

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/stats') return void response.end(JSON.stringify(stats))
  if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
  stats.begin()
  response.once('close', () => stats.end())
  await answer(toQuestion(await text(request)), response, { flags, stats })
}

function flagsOrExit(): ModelServerFlags {
  try {
    return readModelServerFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`model-server: ${(error as Error).message}\n\n${USAGE}`)
    return process.exit(2)
  }
}

function portOf(): number {
  return (server.address() as AddressInfo).port
}

function stop(): void {
  server.close()
  server.closeAllConnections()
}
