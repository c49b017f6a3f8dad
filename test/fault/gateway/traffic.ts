import { Agent, get, type RequestOptions } from 'node:http'
import type { Target } from '../../support/http-client.js'

/** Requests at a steady rate, whatever becomes of the ones before. */
export interface Traffic {
  sent(): number
  /** How many were answered with each status; what was not answered is under the words of its error. */
  readonly answers: Readonly<Record<string, number>>
  /** Returns when all are answered. */
  stop(): Promise<void>
}

const EVERY_MS = 5

/** 200 requests a second. */
export function startTraffic(target: Target, path: string): Traffic {
  const agent = new Agent({ keepAlive: true })
  const answers: Record<string, number> = {}
  const open = new Set<Promise<void>>()
  const one = async (): Promise<void> => {
    const answer = await statusOf({ ...target, path, agent })
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  // A timer that comes late makes up for what it missed: the rate is of the clock.
  const beganAt = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    while (sent * EVERY_MS < performance.now() - beganAt) {
      sent++
      const request = one().finally(() => open.delete(request))
      open.add(request)
    }
  }, EVERY_MS)
  return {
    sent: () => sent,
    answers,
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
    },
  }
}

function statusOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const request = get(options, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server has just closed the idle connection that it was to go over.
      const isUnsent = request.reusedSocket && error.code === 'ECONNRESET'
      resolve(isUnsent ? statusOf(options) : String(error))
    })
  })
}
