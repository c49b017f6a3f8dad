import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'
import { startExample } from './llm-gateway.js'
import { anyOpen, NAMED, startCluster } from './llm-gateway-cluster.js'

beforeAll(() => ensureBuilt(), 120_000)

const FOLDER = inRoot('examples/llm-gateway')

describe('the README', () => {
  const text = readFileSync(inRoot('examples/llm-gateway/README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
  const samples = blocks.flatMap((block) => block.split(/^\$ /m).slice(1))

  it('has commands to try', () => expect(samples.length).toBe(8))

  it('every command gives, as printed, what is printed; a Ctrl-C ends everything', {
    timeout: 40_000,
  }, async () => {
    const { cluster, ports } = await startCluster()
    for (const sample of samples) {
      const [command = '', ...printed] = sample.split('\n')
      // Five at once that meet the end of a second are admitted in both.
      const tries = command.includes('config-profile') ? 6 : 1
      let output = ''
      for (let n = 0; n < tries; n++) {
        if (n > 0) await sleep(1100)
        output = (await promisify(execFile)('sh', ['-c', here(command, ports)], { cwd: FOLDER })).stdout
        if (lasting(output, ports).join() === lasting(printed.join('\n'), ports).join()) break
      }
      expect(lasting(output, ports), command).toEqual(lasting(printed.join('\n'), ports))
    }
    cluster.kill('SIGINT')
    expect(await cluster.ended).toBe(0)
    expect(await anyOpen(ports)).toBe(false)
  })

  it('the usage of each program names every flag that it reads, and the README those of the gateway', async () => {
    const program = startExample('main', ['--no-such-flag'])
    expect(await program.ended).toBe(2)
    const flags = [...program.output().matchAll(/^ {2}(--[a-z-]+) /gm)].map(([, flag]) => flag)
    expect(flags.length).toBe(10)
    expect(flags.filter((flag) => !text.includes(`| \`${flag}\``))).toEqual([])
  })
})

describe('the programs', () => {
  it.each(['main', 'cluster', 'seed', 'model-server'])(
    '%s --help: how it is used, and exit code 0',
    async (name) => {
      const program = startExample(name, ['--help'])
      expect([await program.ended, program.output().slice(0, 7)]).toEqual([0, 'usage: '])
    },
  )

  it('seed says where no Redis is', async () => {
    const port = await freePort()
    const program = startExample('seed', ['--redis-addr', `${port}`])
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain(`seed: can't reach Redis at redis://127.0.0.1:${port}; is it running?`)
  })

  it.each(['eve,sk-eve', 'eve,sk-eve,1,x', 'sk-eve'])('seed prints no key: --user %s', async (user) => {
    const program = startExample('seed', ['--redis-addr', '127.0.0.1:6379', '--user', user])
    expect(await program.ended).toBe(2)
    expect(program.output()).toContain('--user takes NAME,API-KEY')
    expect(program.output().split('usage:')[0]).not.toContain('sk-eve')
  })

  it('an address that is none is answered with an example of its own', async () => {
    const program = startExample('main', ['--redis-addr', 'nope'])
    expect(await program.ended).toBe(2)
    expect(program.output()).toContain(
      '--redis-addr takes a port, :port or host:port, such as 127.0.0.1:6379;',
    )
  })

  it.each(['--ports', '--model-ports', '--redis-port'])(
    'cluster names %s when that port is taken',
    async (flag) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = taken.address() as AddressInfo
      const others = ['--ports', '--model-ports', '--redis-port'].filter((other) => other !== flag)
      const flags = [flag, `${port}`]
      for (const other of others) flags.push(other, `${await freePort()}`)
      const program = startExample('cluster', flags)
      expect(await program.ended).toBe(1)
      expect(program.output()).toBe(
        `cluster: port ${port} is taken: end what listens there, or choose another by ${flag}\n`,
      )
      taken.close()
    },
  )
})

/** A command with the ports of this cluster. */
function here(command: string, ports: readonly number[]): string {
  return NAMED.reduce((text, named, i) => text.replaceAll(named, String(ports[i])), command)
}

/** What does not change from run to run: no times, and what is left only as far as time does not bring it back. */
function lasting(output: string, ports: readonly number[]): readonly string[] {
  const named = ports.reduce((text, port, i) => text.replaceAll(`:${port}`, `:${NAMED[i]}`), output)
  return named
    .replaceAll('\r', '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^(Date|Content-Length): .*/i, '$1: …')
        .replace(/"id":"chatcmpl-\d+","created":\d+/g, '"id":…')
        .replace(/Used \d+/, 'Used …'),
    )
}
