import { memoryStore } from '@rl/core'
import express from 'express'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveExpress } from '../contract/express-app.js'
import { serveFastify } from '../contract/fastify-app.js'
import { serveHono } from '../contract/hono-app.js'
import { serveKoa } from '../contract/koa-app.js'
import type { Serve } from '../contract/served.js'
import { send } from '../support/http-client.js'
import { tenantsFile } from './tenants-file.js'

const FILE = {
  default: 'free',
  plans: {
    free: { limit: { free: '2/1h' } },
    pro: { limit: { pro: '3/1h' }, profiles: { batch: { batch: '1/1h' }, internal: null } },
  },
  tenants: {
    acme: { plan: 'pro', keys: ['key-acme', 'key-other'] },
    beta: { plan: 'pro', keys: ['key-beta'] },
  },
}

const FRAMEWORKS: Readonly<Record<string, Serve>> = {
  Express: serveExpress(express),
  Koa: serveKoa(Koa),
  Hono: serveHono,
  Fastify: serveFastify,
}

describe.each(Object.entries(FRAMEWORKS))('plans and tenants on %s', (_, serve) => {
  async function served() {
    const tenants = await tenantsFile(FILE).load({ watch: false, sighup: false })
    const { target, close } = await serve({
      app: [{ ...tenants.rules(), store: memoryStore(), name: 'api' }],
    })
    onTestFinished(close)
    return async (headers: Record<string, string>, from?: string) => {
      const options = from === undefined ? { headers } : { headers, from }
      const { status, fields } = await send(target, '/ok', options)
      return `${status} ${fields.ratelimit?.split(';t=')[0] ?? 'no field'}`
    }
  }

  it('the keys of a tenant share its limit; tenants and callers without a key have their own', async () => {
    const ask = await served()
    expect(await ask({ 'x-api-key': 'key-acme' })).toBe('200 "api:pro";r=2')
    expect(await ask({ 'x-api-key': 'key-other' })).toBe('200 "api:pro";r=1')
    expect(await ask({ 'x-api-key': 'key-acme' })).toBe('200 "api:pro";r=0')
    expect(await ask({ 'x-api-key': 'key-other' })).toBe('429 "api:pro";r=0')
    expect(await ask({ 'x-api-key': 'key-beta' })).toBe('200 "api:pro";r=2')
    expect(await ask({})).toBe('200 "api:free";r=1')
  })

  it('keys that are made up are counted by address, however many', async () => {
    const ask = await served()
    expect(await ask({ 'x-api-key': 'made-up-1' }, '127.0.0.2')).toBe('200 "api:free";r=1')
    expect(await ask({ 'x-api-key': 'made-up-2' }, '127.0.0.2')).toBe('200 "api:free";r=0')
    expect(await ask({ 'x-api-key': 'made-up-3' }, '127.0.0.2')).toBe('429 "api:free";r=0')
    expect(await ask({ 'x-api-key': 'made-up-3' }, '127.0.0.3')).toBe('200 "api:free";r=1')
  })

  it('a profile of the plan counts by itself; one without a limit is not counted; others mean the plan', async () => {
    const ask = await served()
    const by = (profile: string) => ask({ 'x-api-key': 'key-acme', 'config-profile': profile })
    expect(await by('batch')).toBe('200 "api:batch";r=0')
    expect(await by('batch')).toBe('429 "api:batch";r=0')
    expect(await by('internal')).toBe('200 no field')
    expect(await by('made-up')).toBe('200 "api:pro";r=2')
    expect(await ask({ 'config-profile': 'internal' })).toBe('200 "api:free";r=1')
  })
})
