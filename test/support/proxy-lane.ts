/** Bytes as they arrived, or the end of the stream. */
export type Parcel = Buffer | 'end'

/** One direction of a proxied connection: parcels in order, each no earlier than its delay. */
export interface ProxyLane {
  /** Adds a parcel that may move on `delayMs` from now. */
  push(parcel: Parcel, delayMs: number): void
  /** Moves on what is due, if the lane is open; to be called when it may have opened. */
  pump(): void
  /** Forgets what waits and stops the timer. */
  clear(): void
}

/** Makes a lane that hands its parcels to `move` while `isOpen` says so. */
export function createLane(isOpen: () => boolean, move: (parcel: Parcel) => void): ProxyLane {
  const waiting: { readonly parcel: Parcel; readonly dueAt: number }[] = []
  let timer: NodeJS.Timeout | undefined

  const pump = (): void => {
    clearTimeout(timer)
    for (let head = waiting[0]; head !== undefined && isOpen(); head = waiting[0]) {
      const waitMs = head.dueAt - performance.now()
      if (waitMs > 0) {
        timer = setTimeout(pump, Math.ceil(waitMs)).unref()
        return
      }
      waiting.shift()
      move(head.parcel)
    }
  }
  return {
    push(parcel, delayMs) {
      waiting.push({ parcel, dueAt: performance.now() + delayMs })
      pump()
    },
    pump,
    clear() {
      clearTimeout(timer)
      waiting.length = 0
    },
  }
}
