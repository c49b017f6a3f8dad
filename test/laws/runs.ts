const { RL_RUNS = '200', RL_SEED } = process.env

/** How many cases a law is tried on; other ones each time, unless a seed is given. */
export const RUNS: { readonly numRuns: number; readonly seed?: number } = {
  numRuns: Number(RL_RUNS),
  ...(RL_SEED === undefined ? {} : { seed: Number(RL_SEED) }),
}
