import { spawn } from 'node:child_process'

/** Outlives this process by a moment, to end what it leaves behind even when it is killed. */
export interface Watchdog {
  /** The process groups that are to end with this process, in place of those named before. */
  watch(pids: readonly number[]): void
}

/** Each line is the whole list; the end of the input, which no kind of death can prevent, is the signal to act. */
const SCRIPT = `
trap '' HUP INT TERM
while read -r line; do groups=$line; done
for group in $groups; do kill -9 "-$group"; done
rm -rf "$1"
`

/** Starts it. It also removes the directory. */
export function startWatchdog(dir: string): Watchdog {
  const shell = spawn('sh', ['-c', SCRIPT, 'watchdog', dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  return { watch: (pids) => void shell.stdin.write(`${pids.join(' ')}\n`) }
}
