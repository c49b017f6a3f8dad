/** A model server did not do its work, so another may be asked. */
export class UpstreamFailed extends Error {
  readonly isTimeout: boolean

  constructor(message: string, { isTimeout = false, cause }: { isTimeout?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.isTimeout = isTimeout
  }
}
