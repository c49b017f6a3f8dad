import { inRoot } from '../scripts/workspace.mjs'
import { type Nginx, startNginx } from '../support/nginx.js'
import { type Program, startProgram } from '../support/program.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'

/** A program of the check service: `dist/<name>.js`. */
export function startService(name: 'main' | 'cluster' | 'bench', flags: readonly string[]): Program {
  return startProgram(inRoot('examples/check-service/dist', `${name}.js`), flags)
}

/** Runs a program to its end. */
export async function runProgram(
  name: 'main' | 'cluster' | 'bench',
  flags: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { ended, output } = startService(name, flags)
  const code = await ended
  return { code, output: output() }
}

/** One instance of the service. */
export interface Node extends Program {
  readonly port: number
  readonly url: string
}

// A full machine lets Redis wait for a core; no test but those of outages shall take that for one.
const PATIENT = ['--deadline-ms', '5000']

/** Starts one on a port that the system chooses, and returns when it has said which. */
export async function startNode(flags: readonly string[]): Promise<Node> {
  const node = startService('main', ['--addr', '127.0.0.1:0', ...PATIENT, ...flags])
  const port = await untilSaid(node, /^check-service: http:\/\/127\.0\.0\.1:(\d+)/m)
  return { ...node, port: Number(port), url: `http://127.0.0.1:${port}` }
}

/** Waits until a program has printed what a pattern describes; its first group. @throws Error when it ends before. */
export async function untilSaid({ ended, output }: Program, pattern: RegExp): Promise<string> {
  let code: number | null | undefined
  void ended.then((value) => {
    code = value
  })
  for (;;) {
    const match = pattern.exec(output())
    if (match !== null) return match[1] ?? ''
    if (code !== undefined) throw new Error(`ended with ${code} before it said ${pattern}:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Redis, three nodes and nginx. */
export interface Cluster {
  readonly redis: RedisServer
  readonly nodes: readonly Node[]
  readonly nginx: Nginx
  readonly url: string
  stop(): Promise<void>
}

/** Starts all, on free ports. */
export async function startCluster(flags: readonly string[] = []): Promise<Cluster> {
  const redis = await startRedis()
  const start = () => startNode(['--redis', redis.url, ...flags])
  const nodes = await Promise.all([start(), start(), start()])
  const nginx = await startNginx(nodes.map(({ port }) => port))
  const stop = async () => {
    await nginx.stop()
    for (const node of nodes) node.kill()
    await Promise.all(nodes.map(({ ended }) => ended))
    await redis.stop()
  }
  return { redis, nodes, nginx, url: nginx.url, stop }
}

/** An answer to a check. */
export interface Checked {
  readonly status: number
  readonly headers: Headers
  /** Whatever the service says: what it must say is the test's to write out. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Asks `GET /check`. */
export async function check(url: string, parameters: Readonly<Record<string, string>>): Promise<Checked> {
  const response = await fetch(`${url}/check?${new URLSearchParams(parameters)}`)
  const body = (await response.json()) as Checked['body']
  return { status: response.status, headers: response.headers, body }
}
