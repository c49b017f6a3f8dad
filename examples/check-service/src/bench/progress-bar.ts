const WIDTH = 40

/** Draws how far it is, over and over on one line of a terminal; draws nothing where the output is no terminal. */
export function progressBar(total: number, out: NodeJS.WriteStream = process.stderr): (done: number) => void {
  let drawn = -1
  return (done) => {
    const percent = Math.floor((100 * done) / total)
    if (!out.isTTY || percent === drawn) return
    drawn = percent
    const filled = Math.round((WIDTH * done) / total)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`
    out.write(`\r${bar} ${String(percent).padStart(3)} %${done === total ? '\n' : ''}`)
  }
}
