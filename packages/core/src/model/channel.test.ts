import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

describe('a channel', () => {
  beforeEach(() => vi.resetModules())
  afterEach(() => vi.unstubAllGlobals())

  const inRuntime = async (process: unknown) => {
    vi.stubGlobal('process', process)
    const { decisionChannel, storeChannel } = await import('./channel.js')
    return [decisionChannel, storeChannel] as const
  }

  it('is that of node:diagnostics_channel where there is one', async () => {
    const channel = (name: string) => ({ name, hasSubscribers: true, publish() {} })
    const channels = await inRuntime({ getBuiltinModule: () => ({ channel }) })
    expect(channels).toMatchObject([{ name: 'rl:decision' }, { name: 'rl:store' }])
  })

  it.each<[string, unknown]>([
    ['no process', undefined],
    ['a process that is not Node’s', { env: {} }],
    ['no such module', { getBuiltinModule: () => undefined }],
    ['a stand-in for the module that has nothing', { getBuiltinModule: () => ({}) }],
    [
      'a stand-in for the process that throws',
      {
        getBuiltinModule: () => {
          throw new Error('not implemented')
        },
      },
    ],
  ])('has nobody who hears it in a runtime with %s', async (_, process) => {
    const channels = await inRuntime(process)
    expect(channels.map(({ hasSubscribers }) => hasSubscribers)).toEqual([false, false])
  })
})
