import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, LIMITERS, type Sent, STAND_INS, type Stage, type StandIn } from './fault.js'
import { type Ended, type Load, type LoadInput, startLoad } from './load.js'

/** What a row has shown. */
export interface Outcome {
  readonly fault: Fault
  /** The process with a limiter for each stand-in. */
  readonly load: Ended
  /** The process that closed everything while the fault lasted. */
  readonly leaver: Ended
  /** By one limiter, in five seconds of the fault. */
  readonly sent: Sent
  /** The store decided again for all three. */
  readonly isBack: boolean
}

const BEFORE_MS = 1000
const LASTING_MS = 5000
const LEAVES_AFTER_MS = 2000

/** Plays a fault against real servers: it is made, lasts for five seconds under load, and ends. */
export async function runFault(fault: Fault, program: URL): Promise<Outcome> {
  const stage = await fault.open()
  try {
    return await play(fault, stage, program)
  } finally {
    await stage.stop()
  }
}

async function play(fault: Fault, stage: Stage, program: URL): Promise<Outcome> {
  const [load, leaver] = await Promise.all([
    startLoad(program, inputOf(fault, stage, STAND_INS)),
    startLoad(program, inputOf(fault, stage, ['leaver'])),
  ])
  const both = [load, leaver]
  if (!fault.fromStart) {
    enter(both, 'before')
    await sleep(BEFORE_MS)
    enter(both, 'breaking')
  }
  await stage.begin()
  enter(both, 'lasting')
  const before = stage.sent()
  await sleep(LEAVES_AFTER_MS)
  const left = leaver.end('leave')
  await sleep(LASTING_MS - LEAVES_AFTER_MS)
  const after = stage.sent()
  load.enter('ending')
  await stage.end()
  const back = load.isBack()
  load.enter('after')
  const isBack = await back
  const ended = await load.end('finish')
  const each = (total: number) => Math.ceil(total / STAND_INS.length)
  const attempts = Math.max(...ended.deciders.map(({ tallies }) => tallies.lasting.attempts))
  return {
    fault,
    load: ended,
    leaver: await left,
    isBack,
    sent: {
      // A refused attempt never reaches a proxy; of a cluster the client tells of none.
      connections: Math.max(attempts, each(after.connections - before.connections)),
      scriptCalls: each(after.scriptCalls - before.scriptCalls),
    },
  }
}

function enter(loads: readonly Load[], phase: Parameters<Load['enter']>[0]): void {
  for (const load of loads) load.enter(phase)
}

function inputOf({ fromStart }: Fault, { places }: Stage, names: readonly string[]): LoadInput {
  const limiters = LIMITERS.flatMap((name, i) => {
    const place = places[i]
    if (place === undefined || !names.includes(name)) return []
    const standIn: StandIn = name === 'leaver' ? 'local' : name
    return [{ name, standIn, place }]
  })
  return { limiters, fromStart: fromStart === true }
}
