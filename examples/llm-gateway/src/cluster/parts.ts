import { fileURLToPath } from 'node:url'
import type { PartPlan } from '@rl-examples/cluster'
import type { ClusterFlags } from './flags.js'

/** A gateway as it is built, before all model servers of the cluster. */
export function gateway(port: number, { models, redis, config, deadlineMs }: ClusterFlags): PartPlan {
  const upstream = models.map((model) => `http://127.0.0.1:${model}`).join(',')
  const shared = ['--redis-addr', `127.0.0.1:${redis}`, '--deadline-ms', deadlineMs]
  return {
    name: `gateway ${port}`,
    ...program('main', port, ['--upstream', upstream, '--config', config, ...shared]),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
  }
}

/** A model server as it is built. */
export function modelServer(port: number, more: readonly string[]): PartPlan {
  return {
    name: `model-server ${port}`,
    ...program('model-server', port, more),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/stats`)).ok,
  }
}

function program(name: string, port: number, more: readonly string[]) {
  const file = fileURLToPath(new URL(`../${name}.js`, import.meta.url))
  return {
    command: process.execPath,
    args: [file, '--addr', `127.0.0.1:${port}`, ...more],
    // A gateway gives what is under way five seconds, and settles it.
    stopMs: 8000,
  }
}
