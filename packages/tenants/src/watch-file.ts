import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { watch } from 'chokidar'

/** What is written in several steps, or replaced by several renames, is read once. */
const QUIET_MS = 100
/** What never comes to rest is read all the same. */
const LONGEST_MS = 1000

export interface Watch {
  close(): Promise<void>
}

/**
 * Calls `changed` when the file may say something else: it was written, replaced by a rename, or a symbolic link on the
 * way to it leads elsewhere, as where Kubernetes mounts a ConfigMap. Keeps no process alive.
 */
export async function watchFile(
  file: string,
  { changed, failed }: { readonly changed: () => void; readonly failed: (error: unknown) => void },
): Promise<Watch> {
  const settle = debounced(changed)
  // Folders, because a file that is replaced takes its watch with it; of what is in them only what can matter.
  const real = await realpath(file)
  const folders = [...new Set([dirname(resolve(file)), dirname(real)])]
  const files = new Set(
    folders.flatMap((folder) => [basename(file), basename(real), '..data'].map((name) => join(folder, name))),
  )
  const watcher = watch(folders, {
    persistent: false,
    ignoreInitial: true,
    followSymlinks: false,
    depth: 0,
    ignored: (path) => !folders.includes(path) && !files.has(path),
  })
  watcher.on('all', settle.call).on('error', failed)
  await new Promise<void>((ready) => void watcher.once('ready', ready))
  return {
    async close() {
      settle.cancel()
      await watcher.close()
    },
  }
}

function debounced(work: () => void): { readonly call: () => void; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined
  let since = 0
  const cancel = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    cancel,
    call() {
      const now = performance.now()
      if (timer === undefined) since = now
      cancel()
      timer = setTimeout(
        () => {
          timer = undefined
          work()
        },
        Math.min(QUIET_MS, Math.max(0, since + LONGEST_MS - now)),
      ).unref()
    },
  }
}
