import { spawnSync } from 'node:child_process'

/** A program that a cluster starts. */
export type ProgramName = 'nginx' | 'redis-server'

/**
 * Brings a program of Debian where it is missing.
 * @throws Error that says what to install, when it can't.
 */
export function ensureProgram(name: ProgramName): void {
  // Debian keeps servers where only root has its PATH.
  process.env.PATH = `${process.env.PATH}:/usr/local/sbin:/usr/sbin:/sbin`
  if (has(name)) return
  console.error(
    `${name} is missing: installing it with apt-get. Where systemd runs, the package also starts a server of`,
  )
  console.error(`its own, apart from ours; "systemctl disable --now ${name}" ends that.`)
  apt(['update'])
  apt(['install', '--yes', '--no-install-recommends', name])
  if (has(name)) return
  throw new Error(
    `${name} is not on the PATH and could not be installed with apt-get (as root, or through sudo without a password). ` +
      `Please install it: ${name} on Debian, ${name === 'nginx' ? 'nginx' : 'redis'} with Homebrew.`,
  )
}

function has(name: ProgramName): boolean {
  return spawnSync(name, ['-v']).status === 0
}

/** Whether it worked shows in what is there then. */
function apt(args: readonly string[]): void {
  const wait = ['-o', 'DPkg::Lock::Timeout=120']
  const [command, before] = process.getuid?.() === 0 ? ['apt-get', []] : ['sudo', ['-n', 'apt-get']]
  spawnSync(command, [...before, ...wait, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
