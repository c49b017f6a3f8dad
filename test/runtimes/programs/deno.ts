import { getConnInfo } from 'hono/deno'
import { createApp } from './app.js'

declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen: (address: { port: number }) => void },
    handler: (request: Request, info: object) => unknown,
  ): void
}

const app = createApp(getConnInfo)
const onListen = ({ port }: { port: number }) => console.log(`listening on ${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, (request, info) => app.fetch(request, info))
