import process from 'node:process'

/**
 * What a process does when all are ready.
 *
 * @template Result
 * @typedef {() => Result | Promise<Result>} Work
 */

/**
 * The child's half of `processes.ts`: prepare, wait for the others, run, report.
 *
 * `prepare` gets the input of this process and returns the work, which starts when all processes are ready.
 * Its result is sent to the parent, and the process ends then, whatever is still open in it. A process whose
 * parent is gone ends at once.
 *
 * @template Input, Result
 * @param {(input: Input) => Work<Result> | Promise<Work<Result>>} prepare
 * @returns {Promise<void>}
 */
export async function atBarrier(prepare) {
  process.once('disconnect', () => process.exit(1))
  // Listening before "ready" is sent: a go that nobody hears would be lost.
  const go = new Promise((resolve) => process.once('message', resolve))
  const work = await prepare(JSON.parse(process.argv[2] ?? 'null'))
  await send({ type: 'ready' })
  await go
  await send({ type: 'result', result: await work() })
  process.exit(0)
}

/**
 * Resolves when the message has left: an exit right after it would lose it.
 *
 * @param {{ type: 'ready' } | { type: 'result', result: unknown }} message
 * @returns {Promise<void>}
 */
function send(message) {
  if (process.send === undefined) throw new Error('This program is to be started by processes.ts')
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()))
  })
}
