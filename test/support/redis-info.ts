import { callRedis } from './resp.js'

/** What the server counted for one command since it started or since `CONFIG RESETSTAT`. */
export interface CommandStat {
  readonly calls: number
  readonly usecPerCall: number
}

/** The lines of `INFO` (or of one section) as a record. */
export async function readInfo(port: number, section = 'default'): Promise<Readonly<Record<string, string>>> {
  const text = String(await callRedis(port, ['INFO', section]))
  const info: Record<string, string> = {}
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0 && !line.startsWith('#')) info[line.slice(0, colon)] = line.slice(colon + 1)
  }
  return info
}

/** `INFO commandstats` by command name in lower case: `evalsha`, `config|get`. */
export async function readCommandStats(port: number): Promise<Readonly<Record<string, CommandStat>>> {
  const stats: Record<string, CommandStat> = {}
  for (const [name, line] of Object.entries(await readInfo(port, 'commandstats'))) {
    const fields = new Map(line.split(',').map((field) => splitAt(field, '=')))
    stats[name.replace('cmdstat_', '')] = {
      calls: Number(fields.get('calls')),
      usecPerCall: Number(fields.get('usec_per_call')),
    }
  }
  return stats
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + 1)]
}
