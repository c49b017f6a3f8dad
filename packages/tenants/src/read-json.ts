import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Breath } from './breath.js'
import { fault, quoted } from './fault.js'
import { JsonScan } from './json-scan.js'

/** The bytes of a file. @throws RateLimitError `RL_CONFIG` when it can't be read, or is larger than that. */
export async function readBytes(file: string, maxBytes: number): Promise<Buffer> {
  try {
    const { size, isFile } = await statOf(file)
    // A pipe or a device could be read for ever.
    if (!isFile) throw fault('', 'is no file')
    if (size > maxBytes) throw tooLarge(maxBytes)
    const parts: Buffer[] = []
    // It may grow meanwhile; one byte more tells.
    for await (const part of createReadStream(file, { end: maxBytes })) parts.push(part)
    const bytes = Buffer.concat(parts)
    if (bytes.length > maxBytes) throw tooLarge(maxBytes)
    return bytes
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'RL_CONFIG') throw error
    // A path that is relative is looked for where the process was started, which may be elsewhere.
    if (code === 'ENOENT') throw fault('', `no such file: ${quoted(resolve(file), 400)}`)
    throw fault('', `can't be read (${code ?? 'unknown error'})`)
  }
}

/** What JSON text says, and nothing that two readers would take for different things. */
export async function parseJson(bytes: Buffer, breath: Breath): Promise<unknown> {
  const text = decoded(bytes)
  const scan = new JsonScan(text)
  while (scan.step()) if (breath.isDue()) await breath.rest()
  return JSON.parse(text)
}

async function statOf(file: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await stat(file)
  return { size: stats.size, isFile: stats.isFile() }
}

function tooLarge(maxBytes: number): Error {
  return fault('', `is larger than maxBytes (${maxBytes})`)
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fault('', 'is no UTF-8 text')
  }
}
