import { getConnInfo } from 'hono/bun'
import { createApp } from './app.js'

declare const Bun: {
  serve(options: { hostname: string; port: number; fetch: (request: Request, server: object) => unknown }): {
    readonly port: number
  }
}

const app = createApp(getConnInfo)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, server) => app.fetch(request, server),
})
console.log(`listening on ${server.port}`)
