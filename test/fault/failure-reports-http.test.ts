import { describe, expect, it, onTestFinished } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import type { Served } from '../contract/served.js'
import { type Answer, send } from '../support/http-client.js'
import { FRAMEWORKS } from './frameworks.js'
import { clientOf, limitedBy, untilAvailable, useMortalServer } from './lost-redis.js'

const server = useMortalServer()
const frameworks = Object.entries(FRAMEWORKS)

async function ask({ target }: Served, times: number): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < times; i++) answers.push(await send(target, '/ok'))
  return answers
}

describe.each(frameworks)('%s', (_, serve) => {
  it('B60: ten requests after Redis was killed are answered, by the limit in this process', async () => {
    const { options, store } = limitedBy(clientOf(server().port), { limit: '5/1h' })
    const served = await serve({ app: [options] })
    onTestFinished(() => served.close())
    await untilAvailable(store)
    await ask(served, 3)
    await server().kill()
    const statuses = (await ask(served, 10)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429])
    expect(served.errors).toEqual([])
  })

  it.each([
    ['open', 200],
    ['closed', 503],
  ] as const)('B64: %s, a lost Redis is a %d, and no number is made up', async (onStoreFailure, status) => {
    await server().kill()
    const { options } = limitedBy(clientOf(server().port), { limit: '5/1h', onStoreFailure })
    const served = await serve({ app: [options] })
    onTestFinished(() => served.close())
    for (const answer of await ask(served, 7)) {
      expect(answer.status).toBe(status)
      expect(limitFields(answer)).toEqual(status === 200 ? {} : { 'cache-control': 'no-store' })
      expect(`${JSON.stringify(answer.fields)} ${answer.body}`).not.toMatch(/NaN|undefined|null|quota/i)
    }
  })
})

describe.each(frameworks)('B69: %s', (_, serve) => {
  it('a request in the tick in which the client is made is answered; Redis counts once it is there', async () => {
    const { options, store } = limitedBy(clientOf(server().port), { limit: '5/1h' })
    const served = await serve({ app: [options] })
    onTestFinished(() => served.close())
    const [first] = await ask(served, 1)
    expect([first?.status, served.errors]).toEqual([200, []])
    await untilAvailable(store)
    await ask(served, 1)
    expect(served.results.at(-1)).toMatchObject({ source: 'store' })
  })
})
