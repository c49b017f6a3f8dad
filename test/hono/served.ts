import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import type { Target } from '../support/http-client.js'

/** Listens on Node until the test is over. */
export async function started({ fetch }: Pick<Hono, 'fetch'>): Promise<Target> {
  const { target, close } = await listen(createAdaptorServer({ fetch }) as Server)
  onTestFinished(close)
  return target
}

/** Options of a limiter on Node: so many a minute, at noon. */
export const onNode = (limit: number) => ({ ...limitAtNoon(limit), getConnInfo })
