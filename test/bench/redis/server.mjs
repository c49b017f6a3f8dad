import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onCore } from '../children.mjs'

/** A redis-server of this run, that keeps nothing on disk: its port, and how to end it. */
export async function startRedis() {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'rl-bench-'))
  const [program = '', ...args] = [
    ...onCore(1),
    'redis-server',
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no'],
  ]
  const server = spawn(program, args, { stdio: 'ignore' })
  const stop = () => {
    server.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  await Promise.race([
    accepting(port),
    once(server, 'exit').then(() => Promise.reject(new Error('redis-server has ended: is it installed?'))),
  ])
  return { port, stop }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
  probe.close()
  await once(probe, 'close')
  return port
}

/** @param {number} port */
async function accepting(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('redis-server does not answer')
}
