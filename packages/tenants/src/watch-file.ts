import { stat } from 'node:fs/promises'

/** Between two looks at the file. */
const EVERY_MS = 250
/** What does not come to rest is read all the same after so many looks. */
const MOST_LOOKS = 8

export interface Watch {
  close(): void
}

/**
 * Which file a path leads to, and when it was last changed. It follows links, so it is another one when any link on the way
 * leads elsewhere, as where Kubernetes mounts a ConfigMap.
 */
export async function stateOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/**
 * Calls `changed` when the file is no longer what it was in the state `seen`, once it has come to rest. It looks, and does
 * not wait for events: those are lost on network file systems, when a folder is replaced, and when a file is replaced
 * twice in short time. Keeps no process alive.
 */
export function watchFile(file: string, seen: string, changed: () => void): Watch {
  let [told, last, looks] = [seen, seen, 0]
  let timer: NodeJS.Timeout | undefined
  const later = () => setTimeout(() => void look(), EVERY_MS).unref()
  const look = async () => {
    const now = await stateOf(file)
    looks = now === told ? 0 : looks + 1
    if (now !== told && (now === last || looks >= MOST_LOOKS)) {
      told = now
      changed()
    }
    last = now
    if (timer !== undefined) timer = later()
  }
  timer = later()
  return {
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
