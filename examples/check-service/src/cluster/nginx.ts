import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { PartPlan } from '@rl-examples/cluster'

export interface NginxOptions {
  /** An empty directory of its own: all that it writes. */
  readonly dir: string
  readonly port: number
  readonly nodePorts: readonly number[]
}

/** Nginx in front of nodes on this machine, as the user who runs this, with no file of the system's. */
export function nginx({ dir, port, nodePorts }: NginxOptions): PartPlan {
  mkdirSync(join(dir, 'temp'), { recursive: true })
  writeFileSync(join(dir, 'nginx.conf'), mainConfig())
  writeFileSync(join(dir, 'check-service.conf'), serverConfig(port, nodePorts))
  return {
    name: 'nginx',
    command: 'nginx',
    args: ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'],
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
    // What is under way is answered.
    stopSignal: 'SIGQUIT',
  }
}

/** The file that the containers use too, filled in as their nginx fills it in. */
function serverConfig(port: number, nodePorts: readonly number[]): string {
  const template = readFileSync(new URL('../../nginx.conf.template', import.meta.url), 'utf8')
  const values: Readonly<Record<string, string>> = {
    LISTEN: `127.0.0.1:${port}`,
    NODES: nodePorts.map((nodePort) => `server 127.0.0.1:${nodePort};`).join(' '),
  }
  return template.replaceAll(/\$\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)
}

function mainConfig(): string {
  const { uid, username } = userInfo()
  // Without the line root's workers would be another user, who can't enter the directory.
  const user = uid === 0 ? `user ${username};` : ''
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
${user}
worker_processes 2;
worker_rlimit_nofile 8192;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4000; }
http {
  access_log off;
  ${temps.map((name) => `${name}_temp_path temp/${name};`).join('\n  ')}
  include check-service.conf;
}
`
}
