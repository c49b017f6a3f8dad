/**
 * The same text, keeping nothing else alive: V8 cuts strings of 13 or more characters out of longer ones, and joins them,
 * by pointing to their parts, so that a few letters of a URL would hold all of it for as long as they are held.
 */
export function copyOf(text: string): string {
  return text.length < 13 ? text : [text.slice(0, 1), text.slice(1)].join('')
}
