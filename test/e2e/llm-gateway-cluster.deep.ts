import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { waitUntil } from '../support/wait-until.js'
import { anyOpen, startCluster } from './llm-gateway-cluster.js'

beforeAll(() => ensureBuilt(), 120_000)

describe('npm run cluster', () => {
  it('one that is killed leaves nothing running, and a part that dies ends the rest', async () => {
    const { cluster, ports } = await startCluster()
    cluster.kill('SIGKILL')
    await waitUntil(async () => !(await anyOpen(ports)), { what: 'its parts are gone' })
    const again = await startCluster()
    const [, , model = 0] = again.ports
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `grep -lz '127.0.0.1:${model}$' /proc/[0-9]*/cmdline || true`,
    ])
    for (const file of stdout.split('\n').filter(Boolean)) {
      const line = readFileSync(file, 'utf8')
      if (line.includes('model-server.js')) process.kill(Number(file.split('/')[2]), 'SIGKILL')
    }
    expect(await again.cluster.ended).toBe(1)
    expect(again.cluster.output()).toContain(
      `cluster: model-server ${model} ended (SIGKILL), so the rest is stopped`,
    )
    expect(await anyOpen(again.ports)).toBe(false)
  })
})
