/** One small fault: in `file`, below packages/core/src, the text `from` is made `to`. */
export interface Fault {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly from: string
  readonly to: string
  /** What goes wrong then. */
  readonly why: string
}

/** The faults of one file, as lines of from, to and why. */
export function faultsIn(
  file: string,
  lines: readonly (readonly [string, string, string])[],
): readonly Fault[] {
  return lines.map(([from, to, why]) => ({ file, from, to, why }))
}
