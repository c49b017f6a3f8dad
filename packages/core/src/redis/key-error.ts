/** What a script finds or stumbles over in a value that is not ours: its type, its bytes, or what they mean. */
const OF_ONE_KEY =
  /WRONGTYPE|user_script:\d+: (the key holds|Missing bytes|Bad data format|attempt to) |table index is (nil|NaN)|too many return values/

/** True for an error of the store that speaks of what stands at a key, and says that the server is well. */
export function isOfOneKey(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && OF_ONE_KEY.test(error.cause.message)
}
