/** Where a program listens, or finds another. */
export interface Address {
  /** Undefined: every address of this machine. */
  readonly host: string | undefined
  readonly port: number
}

/** Reads a port, `:port` or `host:port`. @throws Error whose message names the flag, what was given and what it takes */
export function toAddress(flag: string, text: string, example = '127.0.0.1:8100'): Address {
  const match = /^(?:(\[[\da-f:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new Error(`${flag} takes a port, :port or host:port, such as ${example}; got "${text}"`)
  }
  return { host: match[1]?.replace(/^\[|\]$/g, '') || undefined, port }
}

/** The URL of an address; this machine's own where it names none. */
export function urlOf(scheme: string, { host = '127.0.0.1', port }: Address): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
