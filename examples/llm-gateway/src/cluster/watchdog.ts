import { spawn } from 'node:child_process'

/** Each line is a list of process groups; the end of the input, which no kind of death can prevent, is the signal to act. */
const SCRIPT = `
trap '' HUP INT TERM
while read -r line; do groups=$line; done
for group in $groups; do kill -9 "-$group"; done
rm -rf "$1"
`

/** Outlives this process by a moment, ends the groups of the last list, and removes the directory. */
export function startWatchdog(dir: string): (groups: readonly number[]) => void {
  const shell = spawn('sh', ['-c', SCRIPT, 'watchdog', dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  return (groups) => void shell.stdin.write(`${groups.join(' ')}\n`)
}
