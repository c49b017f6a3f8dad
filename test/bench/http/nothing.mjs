/** A middleware that counts nothing: it lets all pass, or at a limit of 1 refuses all. No limiter can cost less. */
export const NOTHING = 'no limiter'
