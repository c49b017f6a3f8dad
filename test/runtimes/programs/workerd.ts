import { getConnInfo } from 'hono/cloudflare-workers'
import { createApp } from './app.js'

// biome-ignore lint/style/noDefaultExport: a worker is its default export
export default createApp(getConnInfo)
