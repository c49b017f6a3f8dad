import { spawn } from 'node:child_process'
import { connectRedisCluster } from '@rl/core/ioredis'
import { Cluster } from 'ioredis'
import { it } from 'vitest'
import { SAFE } from '../support/redis-clients.js'
import { startCluster } from '../support/redis-cluster.js'

it('conn', async () => {
  const cluster = await startCluster()
  const burners = Array.from({ length: 24 }, () => spawn('node', ['-e', 'for(;;);'], { stdio: 'ignore' }))
  for (const pre of [true, false]) {
    const times: number[] = []
    for (let i = 0; i < 25; i++) {
      const t0 = performance.now()
      const nodes = [{ host: '127.0.0.1', port: cluster.nodes[0]!.port }]
      const client = pre
        ? connectRedisCluster(nodes)
        : new Cluster(nodes, {
            enableOfflineQueue: false,
            retryDelayOnFailover: 0,
            redisOptions: SAFE,
            clusterRetryStrategy: () => 50,
          })
      const log: string[] = []
      client.on('error', (e) =>
        log.push(`${Math.round(performance.now() - t0)} ${String(e)} ${String((e as any).lastNodeError)}`),
      )
      for (const ev of ['connect', 'close', 'reconnecting', 'end', 'ready', '+node', '-node'])
        client.on(ev as any, () => log.push(`${Math.round(performance.now() - t0)} ${ev}`))
      await new Promise<void>((r) => {
        client.once('ready', () => r())
        setTimeout(r, 9000)
      })
      const t = performance.now() - t0
      times.push(Math.round(t))
      if (t > 1500) console.log(pre, log.join('\n'))
      client.disconnect()
    }
    console.log(pre, times.join(' '))
  }
  for (const b of burners) b.kill('SIGKILL')
  await cluster.stop()
}, 600000)
