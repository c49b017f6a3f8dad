/** Whether a promise is fulfilled in time. One that is rejected, or settles later, is not; nothing is thrown. */
export function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    const end = (fulfilled: boolean) => {
      clearTimeout(timer)
      resolve(fulfilled)
    }
    promise.then(
      () => end(true),
      () => end(false),
    )
  })
}
