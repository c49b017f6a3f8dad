/** How many cases a law is tried on. */
export const RUNS: number = Number(process.env.RL_RUNS ?? 200)
