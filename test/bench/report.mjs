import { pairwise, show, spreadOf } from './statistics.mjs'

/**
 * What was measured: a value of each contender in each round.
 * @typedef {Readonly<Record<string, readonly number[]>>} Samples
 */

/**
 * A column: values of contenders, their unit, and the one that they are held against.
 * @typedef {{ samples: Samples, unit: string, digits: number, against?: string }} Column
 */

/**
 * A table as Markdown: each contender's value, and its ratio to the one that it is held against.
 * @param {string} title @param {Samples} samples @param {Omit<Column, 'samples'>} form
 */
export function table(title, samples, form) {
  return wideTable(title, [{ samples, ...form }])
}

/**
 * The same of several things that were measured in the same rounds.
 * @param {string} title @param {readonly Column[]} columns
 */
export function wideTable(title, columns) {
  const names = [...new Set(columns.flatMap(({ samples }) => Object.keys(samples)))]
  const rows = names.map((name) => [name, ...columns.flatMap((column) => cellsOf(column, name))])
  const head = [
    title,
    ...columns.flatMap(({ unit, against }) => (against ? [unit, `ratio to ${against}`] : [unit])),
  ]
  const widths = head.map((text, i) => Math.max(text.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** @param {Column} column @param {string} name */
function cellsOf({ samples, digits, against }, name) {
  const values = samples[name]
  const cells = [values === undefined ? '' : show(spreadOf(values), digits)]
  if (against) cells.push(values === undefined ? '' : show(pairwise(values, samples[against] ?? []), 2))
  return cells
}

/**
 * A bar and whether it is met. Bars are ratios, or bytes; never times, which are the machine's.
 * @typedef {{ text: string, value: import('./statistics.mjs').Spread, atMost?: number, atLeast?: number }} Bar
 */

/** @param {readonly Bar[]} bars */
export function barList(bars) {
  return bars.map((bar) => `- ${verdict(bar)}: ${bar.text}: ${show(bar.value, 2)}`).join('\n')
}

/** Missed is a bar when all between the quartiles is beyond it. @param {Bar} bar */
export function isMet({ value, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }) {
  return value.q1 <= atMost && value.q3 >= atLeast
}

/** @param {Bar} bar */
function verdict(bar) {
  const { median } = bar.value
  if (isMet({ ...bar, value: { q1: median, median, q3: median } })) return 'met'
  return isMet(bar) ? 'met between the quartiles, not by the median' : 'NOT MET'
}
