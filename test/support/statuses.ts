import { rawGet, send, sendRaw, type Target } from './http-client.js'

/** Statuses of one GET of each path, in order. Paths go out as they stand, however wrong. */
export async function statusesOf(target: Target, ...paths: readonly string[]): Promise<number[]> {
  const statuses = []
  for (const path of paths) statuses.push(Number((await sendRaw(target, rawGet(path))).slice(9, 12)))
  return statuses
}

/** Statuses of a POST of each body as JSON, in order. */
export async function statusesOfPosts(
  target: Target,
  path: string,
  ...bodies: readonly unknown[]
): Promise<number[]> {
  const statuses = []
  const headers = { 'content-type': 'application/json' }
  for (const body of bodies) {
    const answer = await send(target, path, { method: 'POST', headers, body: JSON.stringify(body) })
    statuses.push(answer.status)
  }
  return statuses
}
