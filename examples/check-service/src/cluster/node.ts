import { fileURLToPath } from 'node:url'
import type { PartPlan } from '@rl-examples/cluster'

/** The service as it is built. */
const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** One instance of the service on this machine, with more flags if need be. */
export function node(port: number, flags: readonly string[]): PartPlan {
  return {
    name: `node ${port}`,
    command: process.execPath,
    args: [PROGRAM, '--addr', `127.0.0.1:${port}`, ...flags],
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
  }
}
