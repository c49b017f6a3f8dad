// A limiter in a runtime with diagnostics_channel, or in one that hides it from those who ask for it by name.
const [how] = process.argv.slice(2)
if (how === 'hidden') Object.defineProperty(process, 'getBuiltinModule', { value: undefined })
if (how === 'no process') Object.defineProperty(globalThis, 'process', { value: undefined, writable: true })
// Later than that, and not hoisted before it.
const { createLimiter } = await import('@rl/core')
const { subscribe } = await import('node:diagnostics_channel')

let heard = 0
subscribe('rl:decision', () => {
  heard++
})
const limiter = createLimiter({ limit: '2/1m' })
const allowed: boolean[] = []
for (let i = 0; i < 3; i++) allowed.push((await limiter.consume('ann')).allowed)
console.log(JSON.stringify({ allowed, heard }))

export {}
