import { createServer } from 'node:http'
import Koa from 'koa'
import koa2 from 'koa2'
import { onTestFinished } from 'vitest'
import { listen } from '../contract/listen.js'
import type { Target } from '../support/http-client.js'

export const versions: readonly (readonly [name: string, framework: typeof Koa])[] = [
  ['Koa 2', koa2],
  ['Koa 3', Koa],
]

/** Listens until the test is over. */
export async function started(app: Koa): Promise<Target> {
  app.silent = true
  const { target, close } = await listen(createServer(app.callback()))
  onTestFinished(close)
  return target
}
