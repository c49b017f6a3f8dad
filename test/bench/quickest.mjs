const WARM_UP_MS = 400
const MEASURED_MS = 800

/**
 * Nanoseconds of a decision in the quickest of many batches, after a time to warm up: a disturbance only ever adds. A batch
 * gives a sum of what was answered, so that nothing of it is left out as unused.
 * @param {number} decisions that a batch makes @param {() => number | Promise<number>} batch
 */
export async function quickest(decisions, batch) {
  await best(WARM_UP_MS)
  return best(MEASURED_MS)

  /** @param {number} forMs */
  async function best(forMs) {
    const end = performance.now() + forMs
    let quickest = Number.POSITIVE_INFINITY
    while (performance.now() < end) {
      const start = process.hrtime.bigint()
      const sum = await batch()
      quickest = Math.min(quickest, Number(process.hrtime.bigint() - start) / decisions)
      if (Number.isNaN(sum)) throw new Error('it was answered with something that is no number')
    }
    return quickest
  }
}
