import type { Registry } from 'prom-client'

/** What a scrape shows: a value for each series, by the text that stands before it. */
export async function scrape(register: Registry): Promise<Readonly<Record<string, number>>> {
  return samplesOf(await register.metrics())
}

/** The samples of a scrape's text. */
export function samplesOf(text: string): Readonly<Record<string, number>> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}
