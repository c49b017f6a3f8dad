import { express } from './express.mjs'
import { fastify } from './fastify.mjs'
import { hono } from './hono.mjs'
import { koa } from './koa.mjs'

/**
 * A framework and what can stand in front of its one route. Each sends the fields that it sends by default, unless its
 * name says otherwise: ours two of draft-8, express-rate-limit and the limiters of Koa and Fastify three `X-RateLimit-*`
 * (express-rate-limit those and a `RateLimit-*` set), hono-rate-limiter four of draft-6, rate-limiter-flexible none.
 *
 * @typedef {{
 *   title: string, ours: string,
 *   serve: (middleware: any) => import('node:http').Server | Promise<import('node:http').Server>,
 *   limiters: Record<string, (limit: number) => unknown>,
 *   added: Record<string, number>, kept: number
 * }} Framework `serve` listens on a free port of the loopback address; `limiters` make a middleware for a limit in a day;
 *   `added`: how much of the CPU that a peer adds we may; `kept`: the share of the bare rate that refusals must reach
 */

/** @type {Record<string, Framework>} */
export const frameworks = { express, koa, hono, fastify }

export const BARE = 'bare'
