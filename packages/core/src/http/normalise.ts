import { configError, RateLimitError, show } from '../model/errors.js'

/**
 * Which spellings of a text are one subject. `true`: blanks around it trimmed, lower case, composed characters (NFC).
 * A function: what it gives, so that a key goes through the very normaliser of the account's look-up.
 */
export type Normalise = boolean | ((text: string) => string)

/** Longer than any name or mail address. Composing takes time by the square of the length: seconds for a megabyte. */
const MAX_LENGTH = 256

/** The function that a `normalise` option stands for. @throws RateLimitError `RL_CONFIG` */
export function toNormaliser(option: Normalise | undefined, where: string): (text: string) => string {
  if (option === undefined || option === false) return asItIs
  if (option === true) return oneSpelling
  if (typeof option !== 'function') throw configError(where, option, 'takes true, false or (text) => text')
  return (text) => {
    const normal: unknown = option(text)
    if (typeof normal === 'string') return normal
    throw new RateLimitError('RL_KEY', `${where}: must give a text; got ${show(normal)}`)
  }
}

function asItIs(text: string): string {
  return text
}

/** What is too long stays as it is but for the blanks. Composed twice: lower case can come apart. */
function oneSpelling(text: string): string {
  const trimmed = text.trim()
  if (trimmed.length > MAX_LENGTH) return trimmed
  return trimmed.normalize('NFC').toLowerCase().normalize('NFC')
}
