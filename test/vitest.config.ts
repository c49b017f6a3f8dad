import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Packages resolve to their source, so that a test never runs against a stale build.
const conditions = ['@rl/source', 'module', 'node', 'development|production']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'normal',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'deep',
          include: ['test/**/*.deep.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
