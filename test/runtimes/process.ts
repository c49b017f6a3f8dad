import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { guard, unguard } from '../support/guardian.js'
import type { Target } from '../support/http-client.js'

/** Starts a program of another runtime that prints where it listens. It ends with the test. */
export async function startServer(command: string, args: readonly string[]): Promise<Target> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const pid = child.pid ?? 0
  guard(pid)
  let text = ''
  const ended = new Promise<never>((_resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => reject(new Error(`${command} ended with ${code}\n${text}`)))
  })
  ended.catch(() => {})
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      text += part
    })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    unguard(pid)
  })
  const listening = new Promise<number>((resolve) => {
    child.stdout.on('data', () => {
      const port = /listening on (\d+)/.exec(text)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
  return { host: '127.0.0.1', port: await Promise.race([listening, ended]) }
}
