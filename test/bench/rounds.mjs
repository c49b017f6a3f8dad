import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Lets everyone have a turn in each round.
 * @param {number} rounds @param {readonly string[]} names @param {(name: string) => number | Promise<number>} measure
 */
export async function takeTurns(rounds, names, measure) {
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) samples[name]?.push(await measure(name))
  }
  return samples
}

/** The number that a program prints. @param {string} file @param {readonly string[]} args */
export function resultOf(file, args) {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, ...args], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`)
  return Number(JSON.parse(stdout).value)
}
